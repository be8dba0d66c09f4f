"""The agent as it ships, under attack: what must hold whatever a peer says."""

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import time

STATUS_SECONDS = 1.0
END_SECONDS = 10.0
# Of one processor, measured over a life. What it reads is bounded, and so is what it does with it.
CPU_SHARE_MAX = 0.5
# The most memory that it ever had, whatever it was sent.
MEMORY_KILOBYTES_MAX = 64 * 1024
# What a start costs, whatever comes after it.
CPU_SECONDS_FREE = 1.0


class Found(Exception):
  """A peer did something to the agent."""


class Victim:
  """One agent and its folder. It lives again and again, mostly with what it kept."""

  def __init__(self, lab, name):
    self.lab, self.name = lab, name
    self.folder = lab.folder / name
    self.state = self.folder / "state"
    (self.folder / "sys/class").mkdir(parents=True)
    (self.folder / "token").write_text("practice")
    (self.folder / "token").chmod(0o600)
    self.configuration = self.folder / "homeward.yaml"
    self.process = None
    self.begun = 0.0

  def configure(self, url, sections):
    """`sections` are lines of YAML beside those that all have."""
    home = f'url: "{url}", token_file: {self.folder}/token'
    self.configuration.write_text(
      f"every: 5s\nstate_directory: {self.state}\ndevice: {{ name: {self.name} }}\n"
      f"host: {{ proc: /proc, sys: {self.folder}/sys }}\nbattery: off\n"
      + sections.replace("HOME", home))

  async def start(self, *prefix, **environment):
    """`prefix` is a command that starts the command after it."""
    command = [*prefix, str(self.lab.agent), "run", "--config", str(self.configuration), "--json"]
    with open(self.folder / "log", "wb") as log:
      self.process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
        # With a terminal of its own, SIGHUP would say that this is closed.
        start_new_session=True, env=dict(os.environ, **environment))
    self.begun = time.monotonic()
    await self.until_it_answers()

  async def until_it_answers(self):
    """A start may take longer than an answer: the machine is busy with its peers, too."""
    end = time.monotonic() + 10
    while not await self.status():
      self.check_lives()
      if time.monotonic() > end:
        raise Found("it does not answer `status` within 10 s of its start")
      await asyncio.sleep(0.05)

  def check_lives(self):
    code = self.process.returncode
    if code is not None:
      how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
      raise Found(f"it ended by itself: {how}")

  async def status(self):
    """What it tells of itself; None where it does not in time."""
    with contextlib.suppress(OSError, asyncio.TimeoutError):
      async with asyncio.timeout(STATUS_SECONDS):
        reader, writer = await asyncio.open_unix_connection(str(self.state / "agent.socket"))
        try:
          return await reader.read()
        finally:
          writer.close()
    return None

  async def check(self):
    """It lives, answers, and what it answers is JSON."""
    self.check_lives()
    # A busy machine may cost one answer its time, but not two.
    document = await self.status() or await self.status()
    self.check_lives()
    if document is None:
      raise Found(f"it does not answer `status` within {STATUS_SECONDS} s")
    try:
      json.loads(document)
    except ValueError as error:
      raise Found(f"its status is no JSON: {error}: {document[:200]!r}") from error

  def cpu_seconds(self):
    with open(f"/proc/{self.process.pid}/stat") as file:
      fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

  def memory_kilobytes(self):
    with open(f"/proc/{self.process.pid}/status") as file:
      return int(re.search(r"VmHWM:\s*([0-9]+)", file.read()).group(1))

  async def stop(self):
    """It took little, and ends when it is asked to."""
    self.check_lives()
    if self.memory_kilobytes() > MEMORY_KILOBYTES_MAX:
      raise Found(f"it took {self.memory_kilobytes()} KiB of memory")
    used, lived = self.cpu_seconds(), time.monotonic() - self.begun
    if used > CPU_SECONDS_FREE + CPU_SHARE_MAX * lived:
      raise Found(f"it used {used:.1f} s of a processor in {lived:.1f} s")
    self.signal(signal.SIGTERM)
    try:
      code = await asyncio.wait_for(self.process.wait(), END_SECONDS)
    except asyncio.TimeoutError:
      raise Found(f"it does not end within {END_SECONDS} s of SIGTERM") from None
    if code != 0:
      raise Found(f"asked to end, it ended with {code}")

  def signal(self, number):
    """Sends a signal. `send_signal` of asyncio would fetch the exit code first if there is one, and
    `wait` would not have it."""
    with contextlib.suppress(ProcessLookupError):
      if self.process.returncode is None:
        os.kill(self.process.pid, number)

  async def kill(self):
    """At the end, whatever happened."""
    if self.process and self.process.returncode is None:
      with contextlib.suppress(ProcessLookupError):
        self.process.kill()
      await self.process.wait()

  def forget(self):
    """Like a new board."""
    shutil.rmtree(self.state, ignore_errors=True)

  def last_words(self):
    """The end of its log, for the person who has to mend it."""
    with open(self.folder / "log", "rb") as file:
      return file.read()[-2000:].decode(errors="replace")

"""The agent as it ships, with a line of its own."""

import asyncio
import collections
import contextlib
import json
import os
import signal
import time
from collections import namedtuple

from line import Line

CYCLE_SECONDS = 5
PATIENCE_SECONDS = 120
LINE_BYTES_MAX = 1 << 20

Kill = namedtuple("Kill", "life at")


class Silence(Exception):
  """The agent did not say what was waited for."""


class Agent:
  """One agent, its folder, and all its lives."""

  def __init__(self, lab, name, durability, url, token, wire=None):
    self.lab, self.name, self.durability, self.wire = lab, name, durability, wire
    self.folder = lab.folder / name
    self.state = self.folder / "state"
    serial = self.folder / "sys/firmware/devicetree/base"
    serial.mkdir(parents=True)
    (serial / "serial-number").write_text(name)
    (self.folder / "token").write_text(token)
    self.configuration = self.folder / "homeward.yaml"
    self.configuration.write_text(
      f"every: {CYCLE_SECONDS}s\nstate_directory: {self.state}\ndurability: {durability}\n"
      f'home_assistant: {{ url: "{url}", token_file: {self.folder}/token }}\n'
      f"device: {{ name: {name} }}\nhost: {{ proc: /proc, sys: {self.folder}/sys }}\n"
      "system: off\nbattery: off\nlocation: off\n"
      "sensors: [{ gpio: LINE, name: Line, debounce: 0s, urgent: true }]\n")
    self.line = Line(self.folder / "line")
    self.process = self.listener = self.player = None
    self.kills = []
    self.said = collections.Counter()
    self.last = {}
    self.news = asyncio.Condition()

  # --- its life

  async def start(self, *prefix):
    """`prefix` is a command that starts the command after it."""
    self.line.begin()
    self.said.clear()
    self.last.clear()
    environment = dict(os.environ, LD_PRELOAD=str(self.lab.preload), **self.line.environment())
    # Only the agent looks at the line, not who starts it.
    command = [
      *(self.wire.prefix if self.wire else []), *prefix, str(self.lab.agent), "run", "--config",
      str(self.configuration), "--json"]
    with open(self.folder / "log", "ab") as log:
      self.process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=log,
        env=environment, limit=LINE_BYTES_MAX)
    self.listener = asyncio.create_task(self.listen(self.process.stdout))

  async def listen(self, output):
    async for text in output:
      event = json.loads(text)
      async with self.news:
        self.said[event["event"]] += 1
        self.last[event["event"]] = event
        self.news.notify_all()
    async with self.news:
      self.said["end"] += 1
      self.news.notify_all()

  async def hears(self, event, count=1):
    """Waits until the agent said so, `count` times in this life."""
    async with self.news:
      def is_so():
        return self.said[event] >= count or self.said["end"]
      with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(self.news.wait_for(is_so), PATIENCE_SECONDS)
    if self.said[event] < count:
      raise Silence(f"{self.name} never said {event}, but {dict(self.said)}; see {self.folder}/log")

  def play(self, dice, shortest, longest):
    self.player = asyncio.create_task(self.line.play(dice, shortest, longest))

  async def pause(self):
    if self.player:
      self.player.cancel()
      with contextlib.suppress(asyncio.CancelledError):
        await self.player
    self.player = None

  async def kill(self):
    """kill -9, this very moment."""
    at = time.monotonic()
    self.process.send_signal(signal.SIGKILL)
    await self.process.wait()
    await self.pause()
    self.line.killed()
    await self.listener
    self.kills.append(Kill(self.line.life, at))

  async def stop(self):
    """Asks it to end. Returns its last words."""
    await self.pause()
    await self.line.rest()
    self.process.send_signal(signal.SIGTERM)
    status = await asyncio.wait_for(self.process.wait(), PATIENCE_SECONDS)
    await self.listener
    self.line.finished()
    if status != 0 or "stopped" not in self.last:
      raise Silence(f"{self.name} ended with {status}; see {self.folder}/log")
    return self.last["stopped"]

  async def end(self):
    """At the end of everything, whatever happened."""
    await self.pause()
    if self.process and self.process.returncode is None:
      with contextlib.suppress(ProcessLookupError):
        self.process.kill()
      await self.process.wait()
    self.line.close()

  # --- what it costs

  def io(self, key):
    """A count of /proc/PID/io."""
    with open(f"/proc/{self.process.pid}/io") as file:
      return next(int(line.split()[1]) for line in file if line.startswith(key + ":"))

  def peak_kib(self):
    """The most memory that was resident, KiB."""
    with open(f"/proc/{self.process.pid}/status") as file:
      return next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))

  def files(self):
    """What the state directory holds, and when it was changed."""
    return sorted(
      (str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in self.state.rglob("*"))

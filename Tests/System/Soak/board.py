"""The agent as it ships, on a board whose devices come and go, and what it takes of the machine."""

import asyncio
import collections
import contextlib
import json
import os
import pathlib
import re
import signal

from bench import Bench
from children import end_with_parent
from disk import Disk
from line import Line
from receivers import Charger, Receiver
from reloads import Reloads

CYCLE_SECONDS = 5
DISK_MEGABYTES = 4
STATUS_SECONDS = 60
END_SECONDS = 300
EDGE_SECONDS = (2, 20)


class Broken(Exception):
  """The agent is not what it should be, so that nothing more can be learned."""


class Board:
  """One agent, its folder, its devices, and its way to the home."""

  def __init__(self, lab, name, way, settings, budget):
    self.lab, self.name, self.way = lab, name, way
    self.folder = lab.folder / name
    self.folder.mkdir()
    self.disk = Disk(self.folder / "disk", way) if lab.may_mount else None
    self.state = (self.disk.folder if self.disk else self.folder) / "state"
    self.bench = Bench(self.folder)
    self.receiver = Receiver()
    # A serial port is in /dev, where this is the one place that is not root's alone.
    self.charger = Charger(pathlib.Path("/dev/shm") / f"{lab.folder.name}-{name}")
    self.line = Line(self.folder / "line")
    self.reloads = Reloads(self)
    self.settings, self.budget = settings, budget
    self.tasks = []
    self.edges = self.dice = None
    self.process = None

  def configure(self):
    serial = self.bench.sys / "firmware/devicetree/base"
    serial.mkdir(parents=True)
    (serial / "serial-number").write_text(self.name)
    token = self.folder / "token"
    token.write_text("practice")
    token.chmod(0o600)
    self.bench.put(self.bench.proc / "uptime", "350735.47 234388.90")
    transport, durability = self.settings
    (self.folder / "homeward.yaml").write_text(
      f"every: {CYCLE_SECONDS}s\nstate_directory: {self.state}\ndurability: {durability}\n"
      f"history: {{ disk_megabytes: {DISK_MEGABYTES} }}\n"
      f"home_assistant: {{ url: \"{self.way.url}\", token_file: {token}, transport: {transport},"
      " register_again: 30s }\n"
      f"device: {{ name: {self.name} }}\nhost: {{ proc: {self.bench.proc},"
      f" sys: {self.bench.sys} }}\n"
      f"location: {{ source: gpsd, port: {self.receiver.port} }}\n"
      "battery: auto\nsystem: [cpu_temperature]\n" + self.bench.sensors(self.charger.path))

  async def start(self, dice):
    await self.receiver.open()
    await self.way.open()
    if self.disk:
      self.disk.mount()
    self.configure()
    self.line.begin()
    environment = dict(
      os.environ, LD_PRELOAD=f"{self.lab.preload}:{os.environ['LD_PRELOAD']}",
      **self.line.environment(), **self.bench.environment())
    with open(self.folder / "log", "wb") as log:
      self.process = await asyncio.create_subprocess_exec(
        str(self.lab.agent), "run", "--config", str(self.folder / "homeward.yaml"),
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=log,
        env=environment, preexec_fn=end_with_parent)
    self.tasks = [
      asyncio.create_task(self.receiver.play()), asyncio.create_task(self.charger.play())]
    self.dice = dice
    self.give_edges()

  def give_edges(self):
    self.edges = asyncio.create_task(self.line.play(self.dice, *EDGE_SECONDS))

  async def rest(self):
    """No more edges; the last one is taken."""
    self.edges.cancel()
    await self.line.rest()

  @contextlib.asynccontextmanager
  async def no_edges(self):
    """None for a while."""
    try:
      await asyncio.wait_for(self.rest(), END_SECONDS)
    except asyncio.TimeoutError as error:
      raise Broken(f"{self.name} takes no edge any more") from error
    try:
      yield
    finally:
      self.give_edges()

  async def stop(self):
    """Asks it to end; at the end of everything, whatever happened."""
    for task in (*self.tasks, self.edges):
      if task:
        task.cancel()
    code = 0
    if self.process and self.process.returncode is None:
      self.process.send_signal(signal.SIGTERM)
      try:
        code = await asyncio.wait_for(self.process.wait(), END_SECONDS)
      except asyncio.TimeoutError:
        self.process.kill()
        code = await self.process.wait()
    self.line.close()
    self.charger.unplug()
    if self.disk:
      self.disk.leave(self.folder / "state")
    return code

  # --- what it says of itself

  async def status(self):
    """What it tells; None where it does not."""
    if self.process.returncode is not None:
      raise Broken(f"{self.name} ended by itself with {self.process.returncode}")
    with contextlib.suppress(OSError, asyncio.TimeoutError, ValueError):
      async with asyncio.timeout(STATUS_SECONDS):
        reader, writer = await asyncio.open_unix_connection(str(self.state / "agent.socket"))
        try:
          return json.loads(await reader.read())
        finally:
          writer.close()
    return None

  def log(self):
    with open(self.folder / "log", "rb") as file:
      return file.read()

  def told_lost(self, status):
    """How many readings and fixes it said to be lost: now, and at the end of each run before."""
    ended = re.findall(rb"^stopped: .* (\d+) lost$", self.log(), re.MULTILINE)
    return status["counts"]["lost"] + sum(map(int, ended))

  # --- what it takes

  def proc(self, name):
    with open(f"/proc/{self.process.pid}/{name}", encoding="utf-8") as file:
      return file.read()

  def private_kib(self):
    """Memory that it shares with no other process, and has written to."""
    rollup = dict(re.findall(r"^(\w+): +(\d+) kB", self.proc("smaps_rollup"), re.MULTILINE))
    return int(rollup["Private_Dirty"]) + int(rollup["Swap"])

  def data_kib(self):
    """What it has asked the kernel for, whether it has written to it or not."""
    return int(re.search(r"^VmData:\s+(\d+)", self.proc("status"), re.MULTILINE)[1])

  def descriptors(self):
    """How many of each kind."""
    kinds = collections.Counter()
    folder = f"/proc/{self.process.pid}/fd"
    for name in os.listdir(folder):
      with contextlib.suppress(FileNotFoundError):
        kinds[re.sub(r"[\d\[\]]+$", "", os.readlink(f"{folder}/{name}"))] += 1
    return kinds

  def threads(self):
    return int(re.search(r"^Threads:\s+(\d+)", self.proc("status"), re.MULTILINE)[1])

  def wake_ups(self):
    pattern = r"^voluntary_ctxt_switches:\s+(\d+)"
    return int(re.search(pattern, self.proc("status"), re.MULTILINE)[1])

  def cpu_seconds(self):
    """Of the thread that stays; to the nanosecond, which ticks are not."""
    return int(self.proc("schedstat").split()[0]) / 1e9

  def disk_kib(self):
    """What the state directory takes."""
    count = 0
    for path in self.state.rglob("*"):
      with contextlib.suppress(FileNotFoundError):
        count += path.stat().st_blocks // 2
    return count

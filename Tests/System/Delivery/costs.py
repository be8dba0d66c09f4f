"""What keeping costs: writes, and a start with a full spool."""

import asyncio
import random
import re
import shutil
import statistics
import time

from agent import Agent
from gate import Gate
from homes import CountingHome

TRACED_SECONDS = 22
TRACED_GAP = (0.05, 0.2)
FULL_MEBIBYTES = 60
STARTS = 3
FIRST_MESSAGE_SECONDS_MAX = 1.0
PEAK_GROWTH_KIB_MAX = 1024
DRAINED_SECONDS = 8
DRAINED_GAP = (0.3, 0.9)


async def trial(lab, seed):
  """Returns figures as {name: (measured, limit)}, what is wrong, and what was not run."""
  home = CountingHome(lab.practice_home)
  await home.start()
  gate = Gate(home.port)
  await gate.open()
  costs = Costs(lab, random.Random(f"{seed}/costs"), home, gate)
  try:
    await costs.trace()
    await costs.full()
  finally:
    for agent in costs.agents:
      await agent.end()
    await home.stop()
  return costs.figures, costs.wrong, costs.not_run


class Costs:
  def __init__(self, lab, dice, home, gate):
    self.lab, self.dice, self.home, self.gate = lab, dice, home, gate
    self.agents, self.wrong, self.not_run, self.figures = [], [], [], {}

  async def agent(self, name, durability="batch"):
    """An agent that the home knows."""
    agent = Agent(self.lab, name, durability, self.gate.url, self.home.token)
    self.agents.append(agent)
    await agent.start()
    await agent.hears("proven")
    return agent

  # --- the writes of a batch

  async def trace(self):
    if not shutil.which("strace"):
      self.not_run.append("the writes of a batch: there is no strace")
      return
    self.lab.say("the writes of a batch, counted by strace")
    agent = await self.agent("traced")
    await agent.stop()
    log = self.lab.folder / "trace"
    self.gate.shut()
    # -D: the agent stays the process that we started.
    await agent.start(
      "strace", "-D", "-y", "-o", str(log),
      "-e", "trace=openat,write,pwrite64,writev,fsync,fdatasync")
    agent.play(self.dice, *TRACED_GAP)
    await asyncio.sleep(TRACED_SECONDS)
    await agent.kill()
    await self.gate.open()
    self.judge(log.read_text(errors="replace"))

  def judge(self, trace):
    appends = len(re.findall(r"openat\(.*O_APPEND.*= \d+<[^>]*/spool/[0-9a-f]+\.spool>", trace))
    writes = len(re.findall(r"^p?write[v64]*\(\d+<[^>]*/spool/[0-9a-f]+\.spool>", trace, re.M))
    syncs = len(re.findall(r"^f(?:data)?sync\(\d+<[^>]*/spool/[0-9a-f]+\.spool>", trace, re.M))
    if "openat(" not in trace:
      self.not_run.append("the writes of a batch: strace saw nothing (it may not be allowed to look)")
      return
    if not appends:
      self.wrong.append("no batch was appended to the spool")
      return
    self.figures["batches appended to the spool, seen by strace"] = (appends, None)
    self.figures["writes of one batch"] = (round(writes / appends, 2), 2)
    self.figures["fsyncs of one batch"] = (round(syncs / appends, 2), 1)

  # --- a full spool

  async def full(self):
    self.lab.say("a start with a full spool")
    empty, full = await self.agent("empty"), await self.agent("full")
    for agent in (empty, full):
      await agent.stop()
    await self.fill(full)
    first, peaks = {empty: [], full: []}, {empty: [], full: []}
    # The home stays away: what is measured is the agent.
    for _ in range(STARTS):
      for agent in (empty, full):
        first[agent].append(await self.first_message(agent))
        await asyncio.sleep(1)
        peaks[agent].append(agent.peak_kib())
        await agent.kill()
    for agent, name in ((empty, "an empty"), (full, "a full")):
      limit = FIRST_MESSAGE_SECONDS_MAX if agent is full else None
      self.figures[f"seconds until the first message with {name} spool"] = (
        round(statistics.median(first[agent]), 3), limit)
    await self.drain(empty, full, statistics.median(peaks[empty]))

  async def fill(self, agent):
    spool = agent.state / "spool"
    shutil.rmtree(spool, ignore_errors=True)
    filler = await asyncio.create_subprocess_exec(
      self.lab.fill_spool, str(spool), self.home.ids[agent.name], str(FULL_MEBIBYTES),
      stdout=asyncio.subprocess.PIPE)
    told, _ = await filler.communicate()
    if filler.returncode != 0:
      raise RuntimeError("fill-spool failed")
    self.figures["readings in the full spool"] = (int(told), None)
    size = sum(path.stat().st_size for path in spool.iterdir())
    self.figures["its size, MiB"] = (round(size / 1048576, 1), None)

  async def first_message(self, agent):
    """How long after its start the agent's first byte comes."""
    self.gate.first_byte_at = None
    begun = time.monotonic()
    await agent.start()
    while self.gate.first_byte_at is None and time.monotonic() - begun < 30:
      await asyncio.sleep(0.002)
    return (self.gate.first_byte_at or time.monotonic()) - begun

  async def drain(self, empty, full, resting_peak):
    """History flows, and something fresh comes in between."""
    await empty.start()
    await full.start()
    await full.hears("history_proven")
    full.play(self.dice, *DRAINED_GAP)
    await asyncio.sleep(DRAINED_SECONDS)
    await full.pause()
    await full.line.rest()
    await asyncio.sleep(2)
    growth = full.peak_kib() - empty.peak_kib()
    self.figures["KiB of peak memory more with a full spool than without"] = (
      growth, PEAK_GROWTH_KIB_MAX)
    received = self.home.received
    chunks = received.chunks["full"]
    if len(chunks) < 10:
      self.wrong.append(f"only {len(chunks)} chunks of history came, which is no flow")
    waits = [
      self.chunks_before(edge, received.live["full"], chunks) for edge in full.line.made[-20:]
      if edge.life == full.line.life]
    self.figures["chunks of history that came meanwhile"] = (len(chunks), None)
    self.figures["fresh readings that came between them"] = (len(waits), None)
    self.figures["chunks that a fresh reading waited for at most"] = (max(waits, default=99), 1)

  @staticmethod
  def chunks_before(edge, live, chunks):
    """How many chunks came after the edge and before it was shown."""
    shown_at = min((at for at, level in live if at >= edge.wall and level == edge.level),
                   default=float("inf"))
    return sum(edge.wall <= at < shown_at for at in chunks)


"""A real Home Assistant that is killed, restarted, and cut off without a word."""

import asyncio
import random
import shutil

import tally
from agent import Agent
from gate import Gate
from homes import RealHome, Wire
from kills import arrive

FLEET = ["reading", "reading", "batch", "batch"]
STEADY_SECONDS = 6
STEADY_GAP = (0.15, 0.6)
OUTAGE_GAP = (0.02, 0.1)
KILLS_EACH = 2
HEARD_SECONDS = 1.5
# Longer than a request may take.
CUT_SECONDS = 34


class Trial:
  def __init__(self, lab, seed):
    self.lab, self.dice = lab, random.Random(f"{seed}/home")
    self.home = RealHome(lab)
    self.agents, self.wires, self.gates, self.wrong = [], [], [], []
    self.not_run = []

  async def run(self):
    """Returns the rows of the table, what is wrong, and what was not run."""
    try:
      await self.home.start()
      await self.home.watch()
      await self.lay_wires()
      await self.begin()
      await self.kill_home()
      await self.restart_home()
      if self.wires:
        await self.cut_wires()
      await arrive(self.agents, self.home.received)
      words = await asyncio.gather(*(agent.stop() for agent in self.agents))
      left = sum(word["undelivered"] for word in words)
      if left:
        self.wrong.append(f"at the end {left} readings were not delivered yet")
    finally:
      for agent in self.agents:
        await agent.end()
      for gate in self.gates:
        gate.shut()
      for wire in self.wires:
        wire.remove()
      await self.home.stop()
    self.home.read_recorder()
    rows = tally.summary(self.agents, self.home.received)
    return rows, self.wrong + list(tally.complaints(rows)), self.not_run

  async def lay_wires(self):
    reason = "there is no program ip" if not shutil.which("ip") else Wire.why_not()
    if reason:
      self.not_run.append(f"the firewall: {reason}")
      return
    for number in range(len(FLEET)):
      wire = Wire(number)
      self.wires.append(wire)
      wire.lay()
      gate = Gate(self.home.port, wire.host)
      await gate.open()
      self.gates.append(gate)

  async def begin(self):
    for number, durability in enumerate(FLEET):
      wire = self.wires[number] if self.wires else None
      url = self.gates[number].url if self.wires else self.home.url
      self.agents.append(
        Agent(self.lab, f"{durability}{number}", durability, url, self.home.token, wire))
    self.lab.say(f"{len(FLEET)} agents register with Home Assistant {self.home.version}")
    await asyncio.gather(*(agent.start() for agent in self.agents))
    await asyncio.gather(*(agent.hears("proven") for agent in self.agents))
    self.play(STEADY_GAP)
    await asyncio.sleep(STEADY_SECONDS)

  def play(self, gap):
    for agent in self.agents:
      agent.play(self.dice, *gap)

  async def change_pace(self, gap):
    for agent in self.agents:
      await agent.pause()
    self.play(gap)

  async def kill_home(self):
    self.lab.say("kill -9 of Home Assistant, and of each agent while it is away")
    await self.be_heard()
    self.home.kill()
    await self.change_pace(OUTAGE_GAP)
    await asyncio.gather(*(self.suffer(agent) for agent in self.agents))
    await self.home.start()
    await self.recover()

  async def be_heard(self):
    """What Home Assistant took a moment before it ends it may not have told anybody: that is no
    reading that an agent lost, and no count could hold it."""
    for agent in self.agents:
      await agent.pause()
    await asyncio.sleep(HEARD_SECONDS)

  async def suffer(self, agent):
    for _ in range(KILLS_EACH):
      await asyncio.sleep(self.dice.uniform(0.5, 7))
      await agent.kill()
      await agent.start()
      agent.play(self.dice, *OUTAGE_GAP)

  async def restart_home(self):
    self.lab.say("Home Assistant restarts")
    await self.be_heard()
    restart = asyncio.create_task(self.home.command("restart"))
    await self.home.is_closed()
    self.play(OUTAGE_GAP)
    await restart
    await self.recover()

  async def recover(self):
    await self.change_pace(STEADY_GAP)
    await asyncio.gather(*(self.proves(agent) for agent in self.agents))
    await asyncio.sleep(STEADY_SECONDS)

  async def proves(self, agent):
    await agent.hears("proven", agent.said["proven"] + 1)

  async def cut_wires(self):
    self.lab.say(f"for {CUT_SECONDS} s requests vanish for one half, answers for the other")
    for number, wire in enumerate(self.wires):
      if number % 2:
        wire.lose_answers()
      else:
        wire.lose_requests()
    await self.change_pace(OUTAGE_GAP)
    outages = [agent.said["outage"] for agent in self.agents]
    await asyncio.sleep(CUT_SECONDS)
    for agent, before in zip(self.agents, outages):
      if agent.said["outage"] == before:
        self.wrong.append(f"{agent.name} did not notice that it was cut off")
    for wire in self.wires:
      wire.restore()
    await self.recover()
    for agent in self.agents:
      await agent.pause()

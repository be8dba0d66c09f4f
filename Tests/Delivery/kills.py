"""kill -9 of the agent at random moments of an outage, against the practice home."""

import asyncio
import random
import time

import tally
from agent import Agent
from homes import Gate, PracticeHome

STEADY_SECONDS = 12
STEADY_GAP = (0.3, 0.9)
OUTAGE_GAP = (0.012, 0.06)
# Half of the lives end while the agent starts or soon after; the others span cycles.
SHORT_LIFE_SECONDS = 0.8
LONG_LIFE_SECONDS = 8
LAST_LIFE_SECONDS = 3
ARRIVAL_SECONDS_MAX = 90

# Agents of each durability, and how often each is killed.
FLEET = {"reading": (20, 10), "batch": (20, 10), "memory": (4, 5)}


def life_seconds(dice):
  return dice.uniform(0.02, dice.choice((SHORT_LIFE_SECONDS, LONG_LIFE_SECONDS)))


async def suffer(agent, kills, dice):
  """An outage, from within."""
  for number in range(kills):
    if number:
      await agent.start()
    agent.play(dice, *OUTAGE_GAP)
    await asyncio.sleep(life_seconds(dice))
    await agent.kill()
  await agent.start()
  agent.play(dice, *OUTAGE_GAP)
  await asyncio.sleep(LAST_LIFE_SECONDS)
  await agent.pause()


async def arrive(agents, received, seconds_max):
  """Waits until there is nothing more to wait for."""
  deadline = time.monotonic() + seconds_max
  while time.monotonic() < deadline:
    await asyncio.sleep(0.5)
    missing = sum(
      len(tally.count(agent, received).lost) for agent in agents if agent.durability == "reading")
    settled = all(is_delivered(agent, received) for agent in agents)
    if settled and not missing:
      return


def is_delivered(agent, received):
  """Whether the last edge of all has come, which goes after everything else."""
  edges = agent.line.made
  return not edges or edges[-1] not in tally.count(agent, received).lost


async def trial(lab, seed):
  """Returns the rows of the table, what is wrong, and the costs that were seen on the way."""
  home = PracticeHome(lab.practice_home)
  await home.start()
  gate = Gate(home.port)
  await gate.open()
  agents, kills = [], {}
  try:
    for durability, (count, kill_count) in FLEET.items():
      for number in range(count):
        agent = Agent(lab, f"{durability}{number}", durability, gate.url, home.token)
        agents.append(agent)
        kills[agent] = kill_count
    lab.say(f"{len(agents)} agents register with the practice home")
    dice = {agent: random.Random(f"{seed}/{agent.name}") for agent in agents}
    await asyncio.gather(*(agent.start() for agent in agents))
    await asyncio.gather(*(agent.hears("proven") for agent in agents))
    quiet = await steady(agents, dice)
    lab.say(f"kill -9, {sum(kills.values())} times, while nobody answers")
    gate.shut()
    await asyncio.gather(*(suffer(agent, kills[agent], dice[agent]) for agent in agents))
    lab.say("the practice home is there again")
    await gate.open()
    await arrive(agents, home.received, ARRIVAL_SECONDS_MAX)
    words = await asyncio.gather(*(agent.stop() for agent in agents))
  finally:
    for agent in agents:
      await agent.end()
    await home.stop()
  rows = tally.summary(agents, home.received)
  wrong = list(tally.complaints(rows))
  # Where nothing can be lost, nothing can be seen to be lost.
  if not rows["memory"]["lost"]:
    wrong.append("durability memory lost nothing, so the kills hit nothing")
  left = sum(word["undelivered"] for word in words)
  if left:
    wrong.append(f"at the end {left} readings were not delivered yet")
  if any(written for durability, written in quiet.items() if durability != "reading"):
    wrong.append(f"something is written while Home Assistant takes the data: {quiet}")
  return rows, wrong, quiet


async def steady(agents, dice):
  """Some cycles of a home that takes everything. Returns for each durability how many bytes a
  minute went to the disk, and 1 more where the files changed without a byte."""
  await asyncio.sleep(2)
  before = {agent: (agent.io("write_bytes"), agent.files()) for agent in agents}
  begun = time.monotonic()
  for agent in agents:
    agent.play(dice[agent], *STEADY_GAP)
  await asyncio.sleep(STEADY_SECONDS)
  for agent in agents:
    await agent.pause()
  minutes = (time.monotonic() - begun) / 60
  written = {}
  for agent in agents:
    byte_count, files = before[agent]
    growth = agent.io("write_bytes") - byte_count
    changed = growth or int(agent.files() != files)
    written[agent.durability] = max(written.get(agent.durability, 0), round(changed / minutes))
  return written

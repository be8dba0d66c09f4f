"""kill -9 of the agent at random moments of an outage, against the practice home."""

import asyncio
import collections
import random
import statistics
import time

import tally
from agent import Agent
from gate import Gate
from homes import CountingHome

STEADY_SECONDS = 10
STEADY_GAP = (0.3, 0.9)
OUTAGE_GAP = (0.012, 0.06)
# Half of the lives end while the agent starts or soon after; the others span cycles.
SHORT_LIFE_SECONDS = 0.8
LONG_LIFE_SECONDS = 8
LAST_LIFE_SECONDS = 3
# What a connection carries before it breaks: the first requests, and a part of a chunk of history.
FRAIL_BYTES = (200, 5000)
FRAIL_CONNECTIONS_EACH = 2
# More than the two waits after an outage of half a minute, where both attempts met a broken
# connection: 40 s and 80 s.
ARRIVAL_SECONDS_MAX = 130

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


async def arrive(agents, received):
  """Waits until every promised reading came, for as long as each agent has tried again."""
  deadline = time.monotonic() + ARRIVAL_SECONDS_MAX
  count = 0
  while time.monotonic() < deadline:
    await asyncio.sleep(0.5)
    if received.count() != count:
      count = received.count()
    elif not any(is_awaited(agent, received) for agent in agents):
      return


def is_awaited(agent, received):
  """Whether something is missing that should come: of its last life everything should."""
  lost = tally.count(agent, received).lost
  if agent.durability == "reading":
    return bool(lost)
  return any(edge.life == agent.line.life for edge in lost)


async def trial(lab, seed):
  """Returns the rows of the table, what is wrong, and figures as {name: (measured, limit)}."""
  home = CountingHome(lab.practice_home)
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
    lab.say(f"kill -9, {sum(kills.values())} times, while no server answers")
    gate.shut()
    await asyncio.gather(*(suffer(agent, kills[agent], dice[agent]) for agent in agents))
    lab.say("the practice home is there again; at first connections break in the middle")
    breaks = random.Random(f"{seed}/breaks")
    gate.become_frail(
      breaks.randrange(*FRAIL_BYTES) for _ in range(FRAIL_CONNECTIONS_EACH * len(agents)))
    await gate.open()
    await arrive(agents, home.received)
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
  return rows, wrong, costs_of(quiet)


def costs_of(quiet):
  """The figures of `steady`, and what is promised."""
  figures = {}
  for durability, written in quiet.items():
    name = f"bytes written a minute while all is well, {durability}"
    figures[name] = (statistics.median(written), None if durability == "reading" else 0)
    # On a busy machine a proof may take longer than the two seconds that are waited for it.
    figures[f"agents of {len(written)} that wrote at all, {durability}"] = (
      sum(count > 0 for count in written), None)
  return figures


async def steady(agents, dice):
  """Some cycles of a home that takes everything. Returns for each durability how many bytes a
  minute each agent sent to the disk; at least 1 where its files changed."""
  await asyncio.sleep(2)
  before = {agent: (agent.io("write_bytes"), agent.files()) for agent in agents}
  begun = time.monotonic()
  for agent in agents:
    agent.play(dice[agent], *STEADY_GAP)
  await asyncio.sleep(STEADY_SECONDS)
  for agent in agents:
    await agent.pause()
  minutes = (time.monotonic() - begun) / 60
  written = collections.defaultdict(list)
  for agent in agents:
    byte_count, files = before[agent]
    growth = agent.io("write_bytes") - byte_count
    changed = growth or int(agent.files() != files)
    written[agent.durability].append(round(changed / minutes))
  return written

"""What goes wrong, by dice: at the home, on the way to it, at the devices, on the disk; and what is
asked of the agent while it does."""

import asyncio
import collections
import random

from bench import MISHAPS, PARTS
from disk import Disk
from home import ACCIDENTS, FAULTS, WAYS
from receivers import Charger, Receiver
from reloads import Reloads

RAGE_SECONDS = (60, 180)
FAULT_SECONDS = (8, 60)
PAUSE_SECONDS = (0, 20)
# Mishaps of one board at the same time.
HANDS = 2
# A reload is a new program with new memory: what follows this part of the time is one life, in
# which growth is seen.
RELOADS_SHARE = 0.4


class Deck:
  """Everything once, in an order of its own; then again in another one."""

  def __init__(self, cards, dice):
    self.cards, self.dice = list(cards), dice
    self.left, self.rounds = [], 0

  def draw(self):
    if not self.left:
      self.left = self.dice.sample(self.cards, len(self.cards))
      self.rounds += 1
    return self.left.pop()

  @property
  def is_played(self):
    """Whether everything was drawn."""
    return self.rounds > 1 or (self.rounds == 1 and not self.left)


class Turmoil:
  def __init__(self, lab, home, boards):
    self.lab, self.home, self.boards = lab, home, boards
    self.counts = collections.Counter()
    self.dice = random.Random(f"{lab.seed}/home")
    self.faults = Deck([*FAULTS, *ACCIDENTS], self.dice)
    self.decks = {}
    for board in boards:
      dice = random.Random(f"{lab.seed}/{board.name}/devices")
      cards = [(part, mishap) for part in PARTS for mishap in MISHAPS]
      cards += [(board.receiver, mishap) for mishap in Receiver.MISHAPS]
      cards += [(board.charger, mishap) for mishap in Charger.MISHAPS]
      cards += [(board.reloads, mishap) for mishap in Reloads.MISHAPS]
      if board.disk:
        cards += [(board.disk, mishap) for mishap in Disk.MISHAPS]
      self.decks[board] = Deck(cards, dice), Deck(WAYS, dice), dice

  @property
  def is_played(self):
    """Whether everything has happened once."""
    decks = [self.faults, *(deck for first, second, _ in self.decks.values()
                            for deck in (first, second))]
    return all(deck.is_played for deck in decks)

  @property
  def are_reloads_over(self):
    return self.is_played and self.lab.share() > RELOADS_SHARE

  async def rage(self):
    """For a while; then all is well again."""
    end = asyncio.get_running_loop().time() + self.dice.uniform(*RAGE_SECONDS)
    works = [self.home_fails(end)]
    for board in self.boards:
      busy = set()
      works.append(self.way_fails(board, end))
      works += [self.devices_fail(board, busy, end) for _ in range(HANDS)]
    await asyncio.gather(*works)

  def is_over(self, end):
    """What takes long is not waited for in peace."""
    return asyncio.get_running_loop().time() >= end and not any(
      board.disk and board.disk.is_flooded for board in self.boards)

  async def home_fails(self, end):
    try:
      while not self.is_over(end):
        name = self.faults.draw()
        self.counts[name] += 1
        self.home.order(name)
        if name in FAULTS:
          await asyncio.sleep(self.dice.uniform(*FAULT_SECONDS))
          self.home.order("none")
        await asyncio.sleep(self.dice.uniform(*PAUSE_SECONDS))
    finally:
      self.home.order("none")

  async def way_fails(self, board, end):
    _, deck, dice = self.decks[board]
    while not self.is_over(end):
      await asyncio.sleep(dice.uniform(*PAUSE_SECONDS))
      name = deck.draw()
      self.counts[name] += 1
      await board.way.befall(name, dice.uniform(*FAULT_SECONDS))
      # Most of the time the home itself is to blame.
      await asyncio.sleep(dice.uniform(*FAULT_SECONDS))

  async def devices_fail(self, board, busy, end):
    deck, _, dice = self.decks[board]
    while not self.is_over(end):
      await asyncio.sleep(dice.uniform(*PAUSE_SECONDS))
      device, mishap = deck.draw()
      if mishap in (*Reloads.RESTARTS, Disk.FLOOD) and self.are_reloads_over:
        continue
      # One thing at a time happens to a device.
      if id(device) in busy:
        deck.left.insert(0, (device, mishap))
        continue
      busy.add(id(device))
      seconds = dice.uniform(*FAULT_SECONDS)
      try:
        if device in PARTS:
          self.counts[f"device {mishap}"] += 1
          await board.bench.befall(device, mishap, seconds)
        else:
          self.counts[f"{type(device).__name__.lower()} {mishap}"] += 1
          await device.befall(mishap, seconds)
        if mishap == Disk.FLOOD:
          # On its battery an agent tries less and less often, up to an hour. A person reloads.
          await board.reloads.befall("unchanged", seconds)
      finally:
        busy.discard(id(device))

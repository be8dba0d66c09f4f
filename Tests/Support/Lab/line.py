"""A GPIO line with edges of which every single one is known."""

import asyncio
import fcntl
import os
import struct
import termios
import time
from collections import namedtuple

# An edge, and the level it led to. `wall` is in seconds since 1970, `at` of the monotonic clock.
Edge = namedtuple("Edge", "life level wall at")

# So often is looked whether the agent took the last edge.
POLL_SECONDS = 0.003


class Line:
  """What HOMEWARD_LINE of line.c names: one edge waits in a FIFO at most.

  The agent has one thread: it takes an edge, records it, and writes it where it has to, before it
  takes the next one. So an edge is *made* once the agent took the one after it. The last one that
  it took before it was killed was in its hand: it may arrive, and was not promised.
  """

  def __init__(self, path):
    self.path = str(path)
    os.mkfifo(path)
    self.fifo = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    self.life = 0
    self.made, self.in_hand = [], []
    self.begin()

  def environment(self):
    return {"HOMEWARD_LINE": self.path}

  def begin(self):
    """A new agent looks at the line, which is low."""
    if self.unread():
      os.read(self.fifo, 65536)
    self.life += 1
    self.level, self.sequence = False, 0
    self.given = self.taken = None

  def unread(self):
    count = fcntl.ioctl(self.fifo, termios.FIONREAD, b"\0\0\0\0")
    return struct.unpack("i", count)[0]

  def look(self):
    """Notes what the agent took. Returns whether there is room for the next edge."""
    if self.unread():
      return False
    if self.given:
      if self.taken:
        self.made.append(self.taken)
      self.taken, self.given = self.given, None
    return True

  def give(self):
    self.level, self.sequence = not self.level, self.sequence + 1
    now = time.monotonic_ns()
    self.given = Edge(self.life, self.level, time.time(), now / 1e9)
    identity = 1 if self.level else 2
    event = struct.pack("=QIIII", now, identity, 0, self.sequence, self.sequence)
    os.write(self.fifo, event.ljust(48, b"\0"))

  async def play(self, dice, shortest, longest):
    """Gives edges for ever, one after another."""
    while True:
      await asyncio.sleep(dice.uniform(shortest, longest))
      while not self.look():
        await asyncio.sleep(POLL_SECONDS)
      self.give()

  async def rest(self):
    """Waits until the agent took the last edge, and has been asleep since."""
    while not self.look():
      await asyncio.sleep(POLL_SECONDS)

  def killed(self):
    """The agent is dead."""
    self.look()
    if self.taken:
      self.in_hand.append(self.taken)
    self.given = self.taken = None

  def finished(self):
    """The agent ended in peace, and after all that it took."""
    self.look()
    if self.taken:
      self.made.append(self.taken)
    self.given = self.taken = None

  def close(self):
    os.close(self.fifo)

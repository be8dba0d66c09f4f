"""What an agent takes of its machine, looked at while all is well."""

import asyncio
import contextlib
import functools
import operator
import time
from collections import namedtuple

from board import CYCLE_SECONDS

CALM_CYCLES = 8
LOOKS = 16

# At one calm moment. In KiB: `data`, which it has asked for, `memory`, which it has written to, and
# `disk`. Of a cycle: seconds of `cpu` and `wake_ups`. `descriptors` by kind; `lines` of the log;
# how often it had `started`.
Look = namedtuple("Look", "at data memory descriptors threads disk cpu wake_ups lines started")


async def look(board):
  """Over some cycles: what is there all the time. A connection that is just made, a port that is
  open while it is listened to, a thread that reads a slow file, come and go."""
  before, begun = (board.cpu_seconds(), board.wake_ups()), time.monotonic()
  data, memory, threads, descriptors = [], [], [], []
  for _ in range(LOOKS):
    await asyncio.sleep(CALM_CYCLES * CYCLE_SECONDS / LOOKS)
    data.append(board.data_kib())
    memory.append(board.private_kib())
    threads.append(board.threads())
    descriptors.append(board.descriptors())
  cycles = (time.monotonic() - begun) / CYCLE_SECONDS
  return Look(
    begun, min(data), min(memory), functools.reduce(operator.and_, descriptors),
    min(threads), board.disk_kib(), (board.cpu_seconds() - before[0]) / cycles,
    (board.wake_ups() - before[1]) / cycles, board.log().count(b"\n"), board.bench.starts())


class Peak:
  """The most that the disk held, at any time."""

  SECONDS = 5

  def __init__(self):
    self.disk = 0

  async def watch(self, board):
    while True:
      with contextlib.suppress(OSError):
        self.disk = max(self.disk, board.disk_kib())
      await asyncio.sleep(self.SECONDS)

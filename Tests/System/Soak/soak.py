"""Runs the agent as it ships for hours of its own time. See `run --help`."""

import argparse
import asyncio
import json
import os
import pathlib
import random
import shutil
import signal
import sys
import time

from board import Board, Broken
from home import Home, Way
from judge import Budget
from ledger import Ledger
from turmoil import Turmoil
from watcher import Watcher

# Each of the boards has another way of delivering: transport, durability, and what that may cost.
# Each reading that is written at once is a write, a synchronisation, and a wake-up after it.
FLEET = {
  "Boat": ("http", "batch", Budget(6, 12, 30)),
  "Van": ("websocket", "reading", Budget(25, 50, 250)),
}


def real_seconds():
  """The clock of the kernel, which is not that of the boards."""
  origin, _, rate = map(int, os.environ["HOMEWARD_CLOCK"].split())
  return (time.monotonic_ns() - origin) / rate / 1e9


def hurried(arguments):
  """Starts this program anew, in a time that goes faster; returns in that time."""
  if "HOMEWARD_CLOCK" in os.environ:
    return
  os.environ["HOMEWARD_CLOCK"] = f"{time.monotonic_ns()} {time.time_ns()} {arguments.rate}"
  os.environ["LD_PRELOAD"] = arguments.clock
  os.execv(sys.executable, [sys.executable, "-B", *sys.argv])


class Lab:
  """What the boards share."""

  def __init__(self, arguments, seed):
    self.agent = pathlib.Path(arguments.agent)
    self.preload = arguments.preload
    self.practice_home = arguments.practice_home
    self.seed, self.real_seconds_max, self.rate = seed, arguments.seconds, arguments.rate
    self.keep, self.may_mount = arguments.keep, arguments.may_mount
    self.folder = pathlib.Path(arguments.folder)

  def say(self, words):
    print(f"{real_seconds():6.0f} s  {words}", file=sys.stderr, flush=True)

  def share(self):
    """How much of the time is over."""
    return real_seconds() / self.real_seconds_max

  def leave(self, is_of_use):
    if not is_of_use and not self.keep:
      shutil.rmtree(self.folder)
    else:
      self.say(f"everything is kept in {self.folder}")


async def soak(lab):
  """Returns who watched it."""
  # A plain `kill` ends all this as Ctrl-C does: with everything that was started.
  for number in (signal.SIGTERM, signal.SIGHUP):
    asyncio.get_running_loop().add_signal_handler(number, asyncio.current_task().cancel)
  ledger = Ledger()
  home = Home(lab.practice_home, ledger)
  await home.start()
  boards = []
  try:
    for name, (*settings, budget) in FLEET.items():
      way = Way(home.port, random.Random(f"{lab.seed}/{name}/way"))
      board = Board(lab, name, way, settings, budget)
      boards.append(board)
      await board.start(random.Random(f"{lab.seed}/{name}/line"))
    turmoil = Turmoil(lab, home, boards)
    watcher = Watcher(lab, boards, ledger, turmoil)
    await watcher.settle()
    while real_seconds() < lab.real_seconds_max:
      await turmoil.rage()
      await watcher.settle()
    await watcher.account()
    watcher.stop()
  finally:
    codes = [await board.stop() for board in boards]
    await home.stop()
  watcher.ended(codes)
  return watcher


def main():
  parser = argparse.ArgumentParser()
  for name in ("agent", "practice-home", "preload", "clock", "folder"):
    parser.add_argument(f"--{name}", required=True)
  parser.add_argument("--seconds", type=float, required=True)
  parser.add_argument("--rate", type=int, required=True)
  parser.add_argument("--seed", type=int)
  parser.add_argument("--json", action="store_true")
  parser.add_argument("--keep", action="store_true")
  parser.add_argument("--may-mount", action="store_true")
  arguments = parser.parse_args()
  hurried(arguments)
  seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 32)
  lab = Lab(arguments, seed)
  lab.say(f"seed {seed}, {lab.rate} times as fast as the clock")
  is_of_use = False
  try:
    watcher = asyncio.run(soak(lab))
    is_of_use = bool(watcher.wrong)
  except Broken as broken:
    is_of_use = True
    print(f"seed {seed}\nWRONG: {broken}\n0 passed, 1 failed")
    return 1
  except (KeyboardInterrupt, asyncio.CancelledError):
    lab.say("interrupted")
    return 130
  finally:
    lab.leave(is_of_use)
  if arguments.json:
    print(json.dumps(watcher.document(), indent=2))
  else:
    print(watcher.text())
  return 1 if watcher.wrong else 0


if __name__ == "__main__":
  sys.exit(main())

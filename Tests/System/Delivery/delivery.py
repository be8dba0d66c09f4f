"""Counts every reading made against every reading received. See `run --help`."""

import argparse
import asyncio
import copy
import json
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

import costs
import kills
import real
import tally

TRIALS = ["kills", "home", "costs"]


class Lab:
  """What all trials share."""

  def __init__(self, arguments):
    self.agent = pathlib.Path(arguments.agent)
    self.practice_home = arguments.practice_home
    self.preload = pathlib.Path(arguments.line)
    self.fill_spool = arguments.fill_spool
    self.root = pathlib.Path(__file__).parents[3]
    self.keep = arguments.keep
    self.begun = time.monotonic()
    self.base = pathlib.Path(tempfile.mkdtemp(prefix="homeward-delivery-"))

  def room(self, name):
    """The same with a folder for one trial."""
    lab = copy.copy(self)
    lab.folder = self.base / name
    lab.folder.mkdir()
    return lab

  def say(self, words):
    print(f"{time.monotonic() - self.begun:6.1f} s  {words}", file=sys.stderr, flush=True)

  def leave(self, is_well):
    if is_well and not self.keep:
      shutil.rmtree(self.base)
    else:
      self.say(f"everything is kept in {self.base}")


async def run(lab, names, seed):
  """Returns what there is to tell."""
  # A plain `kill` ends all this as Ctrl-C does: with everything that was started.
  asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
  told = {"seed": seed, "tables": {}, "costs": {}, "wrong": [], "not_run": []}
  # Nearly all of the time they wait.
  trials = {"kills": run_kills, "home": run_home, "costs": run_costs}
  await asyncio.gather(*(trials[name](lab.room(name), seed, told) for name in names))
  told["wrong"] += [
    f"{name}: {measured}, and {limit} is the most"
    for name, (measured, limit) in told["costs"].items() if limit is not None and measured > limit]
  return told


async def run_kills(lab, seed, told):
  rows, wrong, figures = await kills.trial(lab, seed)
  told["tables"]["practice home"] = rows
  told["costs"] |= figures
  told["wrong"] += wrong


async def run_home(lab, seed, told):
  trial = real.Trial(lab, seed)
  rows, wrong, not_run = await trial.run()
  told["tables"][f"Home Assistant {trial.home.version}"] = rows
  told["wrong"] += wrong
  told["not_run"] += not_run


async def run_costs(lab, seed, told):
  figures, wrong, not_run = await costs.trial(lab, seed)
  told["costs"] |= figures
  told["wrong"] += wrong
  told["not_run"] += not_run


def show(told):
  for home, rows in told["tables"].items():
    print(f"\n{home}\n{tally.table(rows)}")
  if told["costs"]:
    print()
  for name, (measured, limit) in told["costs"].items():
    promise = "" if limit is None else f"  (at most {limit})"
    print(f"  {name:<66}{measured:>8}{promise}")
  print(f"\nseed {told['seed']}")
  for words in told["not_run"]:
    print(f"NOT RUN: {words}")
  for words in told["wrong"]:
    print(f"WRONG: {words}")


def main():
  parser = argparse.ArgumentParser()
  for name in ("agent", "practice-home", "line", "fill-spool"):
    parser.add_argument(f"--{name}", required=True)
  parser.add_argument("--seed", type=int)
  parser.add_argument("--json", action="store_true")
  parser.add_argument("--keep", action="store_true")
  parser.add_argument("trials", nargs="*")
  arguments = parser.parse_args()
  seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 32)
  lab = Lab(arguments)
  lab.say(f"seed {seed}")
  told = {"wrong": ["it did not come to its end"]}
  try:
    told = asyncio.run(run(lab, arguments.trials or TRIALS, seed))
  except (KeyboardInterrupt, asyncio.CancelledError):
    lab.say("interrupted")
    return 130
  finally:
    lab.leave(not told["wrong"])
  if arguments.json:
    print(json.dumps(told, indent=2))
  else:
    show(told)
  return 1 if told["wrong"] else 0


if __name__ == "__main__":
  sys.exit(main())

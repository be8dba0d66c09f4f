"""Watches all boards: waits until they are well, looks at them, and judges in the end."""

import asyncio
import collections
import time

import judge
import ledger as books
from board import CYCLE_SECONDS, DISK_MEGABYTES, Broken
from looks import Peak, look

# After all is well again it takes the longest wait of a route and of a source, and what was kept.
WELL_SECONDS_MAX = 30 * 60
POLL_SECONDS = 2
# The last cycles may be on their way, and while the readings are counted nothing else goes on here.
LAST_CYCLES = 6
COUNTS_MAX = 5
# Too short a run proves nothing of what grows.
WARM_LOOKS_MIN = judge.LAST_LOOKS
DISK_FAILS = b"the disk of state_directory fails"


class Watcher:
  def __init__(self, lab, boards, ledger, turmoil):
    self.lab, self.boards, self.ledger, self.turmoil = lab, boards, ledger, turmoil
    self.begun = time.monotonic()
    self.looks = {board: [] for board in boards}
    self.peaks = {board: Peak() for board in boards}
    self.tasks = [asyncio.create_task(self.peaks[board].watch(board)) for board in boards]
    # How many looks it took until everything had happened once.
    self.warm = None
    self.promises = {board: [] for board in boards}
    self.figures = {board: {} for board in boards}
    self.not_run = []
    if not all(board.disk for board in boards):
      self.not_run.append("a full disk: this machine lets no file system be mounted")
    # The descriptors that each start of a board was given.
    self.given = {}

  def stop(self):
    for task in self.tasks:
      task.cancel()

  # --- while it runs

  async def settle(self):
    """Waits until every board is well, and looks at it."""
    for board in self.boards:
      await self.wait_until_well(board)
    for board, seen in zip(self.boards, await asyncio.gather(*map(look, self.boards))):
      self.looks[board].append(seen)
    if self.warm is None and self.turmoil.is_played:
      self.warm = len(self.looks[self.boards[0]])
      self.lab.say("everything has happened once")
    self.tell()

  async def wait_until_well(self, board):
    """Returns its status."""
    end = time.monotonic() + WELL_SECONDS_MAX
    while not self.is_well(status := await board.status()):
      if time.monotonic() > end:
        raise Broken(f"{board.name} is not well again: {status}")
      await asyncio.sleep(POLL_SECONDS)
    return status

  @staticmethod
  def is_well(status):
    if not (status and status["home_assistant"].get("is_well")):
      return False
    # One that came and went is named for an hour, also while it works.
    failing = [it for it in status["failing_sources"] if it["cause"] != "intermittent"]
    return status["history"]["entries"] == 0 and not failing

  def tell(self):
    made = sum(board.bench.measured() for board in self.boards)
    words = [
      f"{board.name}: {seen.memory} of {seen.data} KiB, {sum(seen.descriptors.values())}"
      f" descriptors, {seen.threads} threads, {1000 * seen.cpu:.1f} ms a cycle"
      for board, (*_, seen) in self.looks.items()]
    self.lab.say(
      f"{self.hours():5.2f} h, {sum(self.turmoil.counts.values())} mishaps, {made} readings made,"
      f" {self.ledger.count} values received; {'; '.join(words)}")

  def hours(self):
    return (time.monotonic() - self.begun) / 3600

  # --- in the end

  async def account(self):
    """All is well: what was made until now has to arrive."""
    for board in self.boards:
      await board.rest()
    until = time.time()
    for board in self.boards:
      for _ in range(COUNTS_MAX):
        await asyncio.sleep(LAST_CYCLES * CYCLE_SECONDS)
        told = board.told_lost(await self.wait_until_well(board))
        tallies, *more = self.tallies(board, until)
        if sum(len(tally.lost) for tally in tallies.values()) <= told:
          break
      self.judge_readings(board, until, told, tallies, *more)
      self.judge_costs(board)
      self.judge_upkeep(board)

  def tallies(self, board, until):
    accounts, self.given[board] = books.accounts(board, self.ledger, until)
    tallies = {name: account.tally() for name, account in accounts.items()}
    tallies["line"] = books.edges(board, self.ledger)
    if not self.warm and not tallies["guest"].made:
      # It was not there yet.
      del tallies["guest"]
    return (
      tallies, {name: account.disorder() for name, account in accounts.items()},
      {name: account.strangers() for name, account in accounts.items()})

  def judge_readings(self, board, until, told, tallies, disorder, strangers):
    fixes = books.fixes(board, self.ledger)
    self.promises[board] += [
      *judge.accounted(tallies, disorder, told, strangers, self.floods(board)),
      *judge.tracked(fixes, until, self.floods(board)),
      *judge.listened(books.blocks(board, self.ledger), board.charger.number)]
    figures = collections.Counter()
    for tally in tallies.values():
      figures.update(tally._replace(lost=len(tally.lost))._asdict())
    self.figures[board] |= dict(figures) | {"fixes": len(fixes.got), "told lost": told}

  @staticmethod
  def floods(board):
    return board.disk.floods if board.disk else []

  def judge_upkeep(self, board):
    if not self.warm:
      return
    log = board.log()
    self.promises[board] += judge.reloaded(board.reloads, self.given[board])
    if board.disk:
      self.promises[board] += judge.told(log.count(DISK_FAILS))
    self.figures[board] |= {
      "configurations taken": board.reloads.taken, "refused": board.reloads.refused,
      "put off": board.reloads.put_off, "full disks told": log.count(DISK_FAILS)}

  def judge_costs(self, board):
    looks, promises = self.looks[board], self.promises[board]
    cycles = (time.monotonic() - self.begun) / CYCLE_SECONDS
    mishaps = sum(self.turmoil.counts.values())
    seen = looks[-1]
    last_life = len(judge.last_life(looks))
    if self.warm and min(len(looks) - self.warm, last_life // 2) >= WARM_LOOKS_MIN:
      promises += judge.flat(looks, self.warm)
    else:
      self.not_run.append(
        f"what {board.name} takes more and more of: not everything had happened once in time, so"
        " the run was too short")
    promises += judge.cheap(looks, board.budget, board.cpu_seconds(), cycles)
    promises += judge.quiet(
      seen.lines, mishaps, seen.disk, self.peaks[board].disk, DISK_MEGABYTES * 1024)
    self.figures[board] |= {
      "cycles": round(cycles), "KiB asked for, first": looks[0].data, "last": seen.data,
      "KiB written to, first": looks[0].memory, "last ": seen.memory,
      "descriptors": sum(seen.descriptors.values()), "threads": seen.threads,
      "ms a calm cycle": round(1000 * judge.median([each.cpu for each in looks]), 2),
      "ms a cycle": round(1000 * board.cpu_seconds() / cycles, 2),
      "wake-ups a calm cycle": round(judge.median([each.wake_ups for each in looks]), 1),
      "lines in the log": seen.lines, "KiB on the disk, most": self.peaks[board].disk}

  def ended(self, codes):
    for board, code in zip(self.boards, codes):
      self.promises[board] += judge.ended(code)

  # --- what is told

  @property
  def wrong(self):
    return [
      f"{board.name}: {promise.name}: {promise.why}"
      for board, promises in self.promises.items() for promise in promises if promise.why]

  @property
  def passed(self):
    return sum(not promise.why for each in self.promises.values() for promise in each)

  def document(self):
    return {
      "seed": self.lab.seed, "rate": self.lab.rate, "hours": round(self.hours(), 3),
      "mishaps": dict(self.turmoil.counts),
      "boards": {board.name: figures for board, figures in self.figures.items()},
      "passed": self.passed, "wrong": self.wrong, "not_run": self.not_run}

  def text(self):
    names = list(next(iter(self.figures.values())))
    lines = ["  " + " " * 28 + "".join(f"{board.name:>10}" for board in self.boards)]
    lines += [
      f"  {name:<28}" + "".join(f"{self.figures[board][name]:>10}" for board in self.boards)
      for name in names]
    mishaps = ", ".join(f"{name} {count}" for name, count in sorted(self.turmoil.counts.items()))
    lines += ["", f"{self.hours():.2f} hours of the boards; {mishaps}", f"seed {self.lab.seed}"]
    lines += [f"NOT RUN: {words}" for words in self.not_run]
    lines += [f"WRONG: {words}" for words in self.wrong]
    return "\n".join([*lines, f"{self.passed} passed, {len(self.wrong)} failed"])

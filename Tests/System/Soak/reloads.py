"""SIGHUP: the agent reads its configuration again, which is as it was, another one, or wrong."""

import asyncio
import contextlib
import re
import signal
import time
from collections import namedtuple

POLL_SECONDS = 0.5
# The agent takes a turn of its loop, and what is on its way to the disk.
ANSWER_SECONDS_MAX = 600
# A disk that has no room for what is in memory.
AGAIN_SECONDS, AGAIN_MAX = 10, 180
# No further start comes of the signals that were sent.
QUIET_SECONDS = 30
STORM_SIGNALS, STORM_SECONDS = 3, 1.5

TAKEN, REFUSED = "the configuration is reloaded", "the new configuration was rejected"
UNKEPT = "would be lost"
STARTED = re.compile(r"homeward \S+ reports to \S+ every (\d+ s)")

# Each is no configuration: what is written in place of {from: to}, or the whole text.
WRONG = (
  lambda text: text.replace("every: 5s", "every: 5", 1),
  lambda text: text + "colour: red\n",
  lambda text: text.replace("sensors:", "sensors: {{", 1),
  lambda text: "",
  lambda text: None,
)

# When the agent was told, and when the one that came of it was there.
Handover = namedtuple("Handover", "begin end")


class Reloads:
  """Of one agent. `wrong` is what it did that it should not have done."""

  # Those of which a new program comes.
  RESTARTS = ("unchanged", "another sensor", "another pace", "storm")
  MISHAPS = (*RESTARTS, "wrong")

  def __init__(self, board):
    self.board = board
    self.file = board.folder / "homeward.yaml"
    self.taken = self.refused = self.put_off = 0
    self.wrong = []
    self.handovers = []
    self.turn = asyncio.Lock()

  async def befall(self, mishap, seconds):
    async with self.turn:
      await self.play(mishap, seconds)

  async def play(self, mishap, seconds):
    usual = self.file.read_text()
    if mishap == "unchanged":
      return await self.reload("5 s")
    if mishap == "storm":
      return await self.reload("5 s", signals=STORM_SIGNALS)
    if mishap == "wrong":
      return await self.misread(usual, seconds)
    try:
      if mishap == "another sensor":
        self.file.write_text(usual + self.board.bench.guest())
        await self.reload("5 s")
      else:
        self.file.write_text(usual.replace("every: 5s", "every: 10s", 1))
        await self.reload("10 s")
      await asyncio.sleep(seconds)
    finally:
      self.file.write_text(usual)
    await self.reload("5 s")

  async def misread(self, usual, seconds):
    """Gives it what is no configuration; it goes on as it is."""
    text = WRONG[self.refused % len(WRONG)](usual)
    starts, mark = self.board.bench.starts(), self.log_size()
    try:
      self.write(text)
      self.signal()
      lines = await self.answer(mark)
      await asyncio.sleep(seconds)
    finally:
      self.write(usual)
    self.refused += 1
    if REFUSED not in lines or self.board.bench.starts() != starts:
      self.wrong.append(f"a wrong configuration was taken: {text!r:.60}")

  def write(self, text):
    if text is None:
      self.file.unlink()
    else:
      self.file.write_text(text)

  async def reload(self, every, signals=1):
    """Has the agent read a good configuration, by which it works `every` so often; again where it
    says that something would be lost, as nothing can be written."""
    for _ in range(AGAIN_MAX):
      if await self.is_taken(every, signals):
        return
      self.put_off += 1
      await asyncio.sleep(AGAIN_SECONDS)
    self.wrong.append("a good configuration was put off for ever")

  async def is_taken(self, every, signals):
    board, starts, mark = self.board, self.board.bench.starts(), self.log_size()
    # What an edge is at a moment at which no agent listens is not known.
    async with board.no_edges():
      begin = time.time()
      self.signal()
      for _ in range(signals - 1):
        await asyncio.sleep(STORM_SECONDS)
        self.signal()
      lines = await self.answer(mark)
      if signals > 1:
        await asyncio.sleep(QUIET_SECONDS)
        lines = self.log(mark)
      if TAKEN not in lines:
        if UNKEPT not in lines:
          self.wrong.append(f"a good configuration was refused: {lines.strip()!r:.200}")
          return True
        return False
      await self.until(lambda: board.bench.starts() > starts, "it was not started anew")
      await self.until(lambda: STARTED.search(self.log(mark)), "it did not begin")
      self.handovers.append(Handover(begin, time.time()))
      for _ in range(board.bench.starts() - starts):
        board.line.finished()
        board.line.begin()
    self.taken += 1
    told = STARTED.findall(self.log(mark))
    if not told or any(each != every for each in told):
      self.wrong.append(f"every {every} was wanted, and it works every {', '.join(told)}")
    if board.bench.starts() - starts > signals:
      self.wrong.append(f"{signals} signals, and {board.bench.starts() - starts} starts")
    return True

  # --- what it says

  def signal(self):
    with contextlib.suppress(ProcessLookupError):
      self.board.process.send_signal(signal.SIGHUP)

  def log_size(self):
    return (self.board.folder / "log").stat().st_size

  def log(self, mark):
    with open(self.board.folder / "log", "rb") as file:
      file.seek(mark)
      return file.read().decode()

  async def answer(self, mark):
    """What it has said since, with the answer to the signal."""
    await self.until(
      lambda: TAKEN in self.log(mark) or REFUSED in self.log(mark), "SIGHUP was not answered")
    return self.log(mark)

  async def until(self, condition, words):
    end = time.monotonic() + ANSWER_SECONDS_MAX
    while not condition():
      if time.monotonic() > end or self.board.process.returncode is not None:
        self.wrong.append(words)
        return
      await asyncio.sleep(POLL_SECONDS)

"""The home of the soak: everything it got, and how it misbehaves."""

import asyncio
import contextlib
import subprocess

from children import end_with_parent
from gate import Gate, reset
from practice_home import PracticeHome

# What the practice home plays for a while. 401 and 403 are left out: a token that was rejected is
# shown again after a while only, later each time, and that is right.
FAULTS = (
  "hang", "404", "410", "503", "captive-portal", "starting", "forget", "no-websocket", "wrong-key",
  "slow", "break-off", "huge", "replay")
# What happens to it once.
ACCIDENTS = ("drop-channels", "close-sockets", "change-keys", "delete-registrations", "restart")
# What the way to it does for a while.
WAYS = ("refused", "reset", "mute", "cut", "rubbish", "sluggish")

RUBBISH = (
  b"\x00\xff\xfe" * 700,
  b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{\"encrypted\": tru",
  b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 4\r\n\r\nnull",
  b"HTTP/9.9 banana\r\n\r\n",
  b"SSH-2.0-OpenSSH_9.2p1\r\n",
)
CUT_BYTES = (1, 700)
SLUGGISH_SECONDS = (0.2, 4)


class Home(PracticeHome):
  """A practice home that takes orders, and hands on what it notes."""

  def __init__(self, program, ledger):
    super().__init__(program)
    self.ledger = ledger

  async def start(self):
    await super().start("--obey", "--no-admin", stdin=subprocess.PIPE, preexec_fn=end_with_parent)

  def take(self, entry, at):
    self.ledger.take(entry, at)

  def order(self, name):
    self.process.stdin.write(f"{name}\n".encode())


class Way(Gate):
  """The way from one agent to the home, by which a mood can come over it."""

  def __init__(self, port, dice):
    super().__init__(port)
    self.dice = dice
    self.mood = None
    # One thing at a time happens to it.
    self.turn = asyncio.Lock()

  async def serve(self, reader, writer):
    if self.mood == "rubbish":
      self.writers.add(writer)
      with contextlib.suppress(OSError):
        if await reader.read(65536):
          writer.write(self.dice.choice(RUBBISH))
          await writer.drain()
          writer.close()
      self.writers.discard(writer)
    elif self.mood == "mute":
      self.writers.add(writer)
      with contextlib.suppress(OSError):
        while await reader.read(65536):
          pass
      self.writers.discard(writer)
      writer.close()
    else:
      await super().serve(reader, writer)

  async def carry(self, reader, writer):
    left = self.dice.randrange(*CUT_BYTES)
    with contextlib.suppress(OSError):
      while data := await reader.read(65536):
        if self.mood == "mute":
          continue
        if self.mood == "sluggish":
          await asyncio.sleep(self.dice.uniform(*SLUGGISH_SECONDS))
        if self.mood == "cut":
          writer.write(data[:left])
          left -= len(data)
          if left <= 0:
            reset(writer)
            break
        else:
          writer.write(data)
        await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
      writer.close()

  def forget_connections(self):
    for writer in list(self.writers):
      reset(writer)

  async def befall(self, name, seconds):
    async with self.turn:
      await self.misbehave(name, seconds)

  async def misbehave(self, name, seconds):
    if name == "reset":
      return self.forget_connections()
    if name == "refused":
      self.shut()
    else:
      self.mood = name
    try:
      await asyncio.sleep(seconds)
    finally:
      self.mood = None
      if name == "refused":
        await self.open()
      # What was kept waiting does not come late, out of a network that is whole again.
      self.forget_connections()

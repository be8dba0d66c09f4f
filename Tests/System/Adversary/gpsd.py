"""A gpsd that lies: real reports, changed."""

import asyncio
import contextlib
import datetime
import re

import mutation
from peer import Peer

TIME = re.compile(r'"time":"[^"]*"')
VERSION = '{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}'

# What once hung libgps or the agent.
KNOWN = ['{"class":"TPV"}}"class":"RTCM3"']


async def record(lab, count=60):
  """The reports of a real gpsd, which hears a recorded receiver."""
  player = await asyncio.create_subprocess_exec(
    str(lab.root / "deploy/lab/play-drive"), "--port", "0", "--rate", "10", "--json",
    stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL)
  try:
    ready = await asyncio.wait_for(player.stdout.readline(), 60)
    port = int(re.search(rb'"port": *([0-9]+)', ready).group(1))
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    writer.write(b'?WATCH={"enable":true,"json":true};\n')
    async with asyncio.timeout(30):
      lines = [(await reader.readline()).decode().strip() for _ in range(count)]
    writer.close()
  finally:
    player.terminate()
    await player.wait()
  return lines


class Gpsd(Peer):
  def __init__(self, dice, lines):
    super().__init__(dice)
    self.lines = lines + KNOWN

  async def talk(self, reader, writer):
    dice = self.dice
    hostile_start = dice.random() < 0.2
    self.say(writer, mutation.text(dice, VERSION) if hostile_start else VERSION)
    with contextlib.suppress(asyncio.TimeoutError):
      await asyncio.wait_for(reader.readline(), 1)
    # A receiver at its usual rate, or one that talks without a pause.
    pause = dice.choice([0.2, 0.05, 0.005])
    for _ in range(dice.randrange(20, 2000)):
      self.say(writer, self.line())
      await writer.drain()
      await asyncio.sleep(pause)
    if dice.random() < 0.3:
      writer.write(b"x" * dice.choice([100, 20_000, 200_000]))
      await writer.drain()
      await asyncio.sleep(1)

  def line(self):
    dice = self.dice
    line = dice.choice(self.lines)
    now = datetime.datetime.now(datetime.timezone.utc)
    line = TIME.sub(f'"time":"{now:%Y-%m-%dT%H:%M:%S.000Z}"', line)
    return mutation.text(dice, line) if dice.random() < 0.5 else line

  def say(self, writer, line):
    self.remember(line)
    writer.write(line.encode(errors="surrogatepass") + self.dice.choice([b"\r\n", b"\n"]))

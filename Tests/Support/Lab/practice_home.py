"""The practice home as a process of its own."""

import asyncio
import datetime
import json

LINE_BYTES_MAX = 16 << 20


def seconds(iso):
  return datetime.datetime.fromisoformat(iso).timestamp()


class PracticeHome:
  """The practice home. What it got last is kept in memory, so it is never killed; the gate is."""

  token = "practice"
  process = listener = None

  def __init__(self, program):
    self.program = program

  async def start(self, *options, **more):
    self.process = await asyncio.create_subprocess_exec(
      self.program, "--port", "0", "--json", *options, stdout=asyncio.subprocess.PIPE,
      limit=LINE_BYTES_MAX, **more)
    first = json.loads(await self.process.stdout.readline())
    self.port = first["port"]
    self.listener = asyncio.create_task(self.listen())

  async def listen(self):
    async for text in self.process.stdout:
      entry = json.loads(text)
      self.take(entry, seconds(entry["time"]) if "time" in entry else 0)

  def take(self, entry, at):
    """One line of its journal, and when that was."""

  async def stop(self):
    if self.process and self.process.returncode is None:
      self.process.terminate()
      await self.process.wait()
    if self.listener:
      await self.listener

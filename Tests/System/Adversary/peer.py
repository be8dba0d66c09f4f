"""A hostile peer that listens on a port of this machine."""

import asyncio
import contextlib


class Peer:
  """One for each agent."""

  # What it remembers of what it said, for the person who has to mend the agent.
  SAID_MAX, SAID_LENGTH_MAX = 20, 4000

  def __init__(self, dice):
    self.dice = dice
    self.server = self.port = None
    self.sent = []
    self.conversations = set()

  async def open(self):
    self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0, limit=1 << 22)
    self.port = self.server.sockets[0].getsockname()[1]

  async def close(self):
    self.server.close()
    for conversation in list(self.conversations):
      conversation.cancel()
    await asyncio.gather(*self.conversations, return_exceptions=True)

  async def serve(self, reader, writer):
    conversation = asyncio.current_task()
    self.conversations.add(conversation)
    try:
      # Only `close` cancels a conversation, and asyncio would report that as a fault.
      with contextlib.suppress(
        OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
        await self.talk(reader, writer)
    finally:
      self.conversations.discard(conversation)
      writer.close()

  async def talk(self, reader, writer):
    raise NotImplementedError

  def remember(self, words):
    self.sent = [*self.sent[-self.SAID_MAX:], words[:self.SAID_LENGTH_MAX]]

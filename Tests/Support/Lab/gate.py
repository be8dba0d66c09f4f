"""What lies between an agent and a home."""

import asyncio
import contextlib
import socket
import struct
import time


class Gate:
  """The way to a home, which can be shut as if the server's process were killed."""

  def __init__(self, port, host="127.0.0.1"):
    self.target, self.host, self.port = port, host, 0
    self.writers = set()
    self.server = None
    # When the first byte came from an agent since the trial cleared it.
    self.first_byte_at = None
    self.frail_limits = []

  @property
  def url(self):
    return f"http://{self.host}:{self.port}"

  async def open(self):
    self.server = await asyncio.start_server(self.serve, self.host, self.port)
    self.port = self.server.sockets[0].getsockname()[1]

  def shut(self):
    """No server listens any more, and every connection is reset."""
    self.server.close()
    for writer in list(self.writers):
      reset(writer)

  def become_frail(self, limits):
    """The next connections are reset after so many bytes from the agent, in the middle of whatever
    they are part of."""
    self.frail_limits = list(limits)

  async def serve(self, reader, writer):
    try:
      home_reader, home_writer = await asyncio.open_connection("127.0.0.1", self.target)
    except OSError:
      writer.transport.abort()
      return
    self.writers |= {writer, home_writer}
    limit = self.frail_limits.pop() if self.frail_limits else float("inf")
    await asyncio.gather(
      self.carry_requests(reader, home_writer, writer, limit), self.carry(home_reader, writer))
    self.writers -= {writer, home_writer}

  async def carry_requests(self, reader, home_writer, writer, limit):
    count = 0
    with contextlib.suppress(OSError):
      while data := await reader.read(65536):
        if self.first_byte_at is None:
          self.first_byte_at = time.monotonic()
        count += len(data)
        if count > limit:
          reset(writer)
          data = data[:limit - count]
        home_writer.write(data)
        await home_writer.drain()
        if count > limit:
          break
    with contextlib.suppress(OSError, RuntimeError):
      home_writer.close()

  async def carry(self, reader, writer):
    with contextlib.suppress(OSError):
      while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    with contextlib.suppress(OSError, RuntimeError):
      writer.close()


def reset(writer):
  """Ends a connection as the kernel does when a process was killed."""
  connection = writer.get_extra_info("socket")
  with contextlib.suppress(OSError):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
  writer.transport.abort()

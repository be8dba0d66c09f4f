"""A Home Assistant that lies, over HTTP and over the WebSocket: what the practice home answers,
changed on its way. It knows the key of each board, so it lies inside the envelope, too."""

import asyncio
import base64
import contextlib
import ctypes
import ctypes.util
import json
import re
import struct

import mutation
from peer import Peer

SODIUM = ctypes.CDLL(ctypes.util.find_library("sodium"))
NONCE_BYTES, TAG_BYTES = 24, 16
SEALED = re.compile(r'\\?"encrypted_data\\?": ?\\?"([A-Za-z0-9+/=]+)\\?"')
STATUSES = [100, 200, 201, 204, 301, 302, 307, 400, 401, 404, 410, 413, 429, 500, 503, 999]
FRAME_TEXT, FRAME_BINARY, FRAME_CLOSE, FRAME_PING, FRAME_PONG = 1, 2, 8, 9, 10


def opened(key, sealed):
  """The message of an envelope; None where the key is another one."""
  try:
    envelope = base64.b64decode(sealed)
  except ValueError:
    return None
  if len(envelope) < NONCE_BYTES + TAG_BYTES:
    return None
  message = ctypes.create_string_buffer(len(envelope) - NONCE_BYTES - TAG_BYTES or 1)
  box = envelope[NONCE_BYTES:]
  if SODIUM.crypto_secretbox_open_easy(
    message, box, ctypes.c_ulonglong(len(box)), envelope[:NONCE_BYTES], key) != 0:
    return None
  return message.raw[:len(box) - TAG_BYTES]


def sealed(dice, key, message):
  nonce = dice.randbytes(NONCE_BYTES)
  box = ctypes.create_string_buffer(len(message) + TAG_BYTES)
  SODIUM.crypto_secretbox_easy(box, message, ctypes.c_ulonglong(len(message)), nonce, key)
  return base64.b64encode(nonce + box.raw).decode()


class Home(Peer):
  """Stands between one agent and the practice home. `keys` are those of its registrations."""

  def __init__(self, dice, upstream, keys):
    super().__init__(dice)
    self.upstream, self.keys = upstream, keys
    # How often it lies: a life of nothing but lies would never come past the registration.
    self.malice = dice.choice([0.1, 0.3, 0.6, 1.0])

  @property
  def url(self):
    return f"http://127.0.0.1:{self.port}"

  async def talk(self, reader, writer):
    while await self.exchange(reader, writer):
      pass

  async def exchange(self, reader, writer):
    """One request and its answer. Returns whether another one may follow."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *([0-9]+)", head)
    body = await reader.readexactly(int(length.group(1))) if length else b""
    far_reader, far_writer = await asyncio.open_connection(*self.upstream, limit=1 << 24)
    try:
      is_upgrade = b"upgrade: websocket" in head.lower()
      if not is_upgrade:
        head = re.sub(rb"(?i)connection: [^\r]*", b"Connection: close", head)
      far_writer.write(head + body)
      await far_writer.drain()
      answer_head = await far_reader.readuntil(b"\r\n\r\n")
      if is_upgrade and b" 101 " in answer_head.split(b"\r\n")[0]:
        await self.relay(answer_head, (reader, writer), (far_reader, far_writer))
        return False
      return await self.answer(answer_head, await far_reader.read(), writer)
    finally:
      far_writer.close()

  async def answer(self, head, body, writer):
    self.learn_key(body)
    dice = self.dice
    status = int(head.split(b" ")[1])
    if dice.random() >= self.malice:
      return await self.say(writer, self.head(status, len(body)) + body)
    lie = dice.randrange(10)
    if lie < 6:
      body = self.changed(body.decode(errors="replace")).encode(errors="surrogatepass")
      return await self.say(writer, self.head(status, len(body)) + body)
    if lie == 6:
      body = dice.choice([b"", b"{}", b"[]", b"null", b"<html>login</html>", b"x" * 400_000, body])
      return await self.say(writer, self.head(dice.choice(STATUSES), len(body)) + body)
    if lie == 7:
      await self.say(writer, self.head(status, len(body) + dice.choice([-1, 1, 10**6, 2**40])) + body)
    elif lie == 8:
      await self.say(writer, mutation.data(dice, self.head(status, len(body)) + body))
    else:
      await self.say(writer, (self.head(status, len(body)) + body)[:dice.randrange(200)])
    return False

  def head(self, status, length):
    return (
      f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\n"
      f"Content-Length: {length}\r\n\r\n").encode()

  async def say(self, writer, message):
    self.remember(message[:self.SAID_LENGTH_MAX].decode(errors="replace"))
    writer.write(message)
    await writer.drain()
    return True

  # --- inside the envelope

  def learn_key(self, body):
    with contextlib.suppress(ValueError, TypeError, AttributeError):
      key = bytes.fromhex(json.loads(body).get("secret") or "")
      if len(key) == 32:
        self.keys = [*self.keys[-3:], key]

  def changed(self, text):
    """Another text; in the envelope, where there is one and the dice say so."""
    found = SEALED.search(text)
    if found and self.dice.random() < 0.8:
      for key in self.keys:
        message = opened(key, found.group(1))
        if message is not None:
          lie = mutation.text(self.dice, message.decode(errors="replace"))
          self.remember(f"sealed: {lie}")
          envelope = sealed(self.dice, key, lie.encode(errors="surrogatepass"))
          return text[:found.start(1)] + envelope + text[found.end(1):]
    return mutation.text(self.dice, text)

  # --- the WebSocket

  async def relay(self, head, near, far):
    near_reader, near_writer = near
    far_reader, far_writer = far
    if self.dice.random() < 0.1 * self.malice:
      head = mutation.data(self.dice, head)
    near_writer.write(head)
    up = asyncio.create_task(self.pass_on(near_reader, far_writer))
    try:
      while True:
        await self.relay_frame(far_reader, near_writer)
    finally:
      up.cancel()

  async def pass_on(self, reader, writer):
    with contextlib.suppress(OSError):
      while chunk := await reader.read(1 << 16):
        writer.write(chunk)
        await writer.drain()
    writer.close()

  async def relay_frame(self, reader, writer):
    first, second = await reader.readexactly(2)
    length = second & 0x7F
    if length == 126:
      length = struct.unpack(">H", await reader.readexactly(2))[0]
    elif length == 127:
      length = struct.unpack(">Q", await reader.readexactly(8))[0]
    payload = await reader.readexactly(length)
    self.learn_key_of_message(payload)
    for frame in self.frames(first, payload):
      await self.say(writer, frame)

  def learn_key_of_message(self, payload):
    with contextlib.suppress(ValueError, AttributeError, TypeError):
      self.learn_key((json.loads(payload).get("result") or {}).get("body") or b"")

  def frames(self, first, payload):
    """What is said in the place of one frame."""
    dice = self.dice
    if first & 0xF != FRAME_TEXT or dice.random() >= self.malice:
      return [self.frame(first, payload)]
    lie = dice.randrange(12)
    if lie < 8:
      text = self.changed(payload.decode(errors="replace"))
      return [self.frame(first, text.encode(errors="surrogatepass"))]
    if lie == 8:
      return [mutation.data(dice, self.frame(first, payload))]
    if lie == 9:
      kind = dice.choice([0, FRAME_BINARY, FRAME_CLOSE, FRAME_PING, FRAME_PONG, 3, 11])
      return [self.frame(0x80 | kind, payload[:dice.choice([0, 1, 2, 125, 126])])]
    if lie == 10:
      place = dice.randrange(len(payload) + 1)
      return [self.frame(FRAME_TEXT, payload[:place]), self.frame(0x80, payload[place:])]
    return [self.frame(first, payload)] * dice.choice([2, 50])

  def frame(self, first, payload):
    if len(payload) < 126:
      return bytes([first, len(payload)]) + payload
    if len(payload) < 1 << 16:
      return bytes([first, 126]) + struct.pack(">H", len(payload)) + payload
    return bytes([first, 127]) + struct.pack(">Q", len(payload)) + payload

"""A push relay that lies: whatever an answer may be, and boxes that open and hold the unexpected."""

import asyncio
import base64
import ctypes
import gzip
import json
import re

import mutation
from home import SODIUM, sealed
from peer import Peer

KINDS = [
  "request_location_update", "command_update_sensors", "command_gpio", "command_interval",
  "command_anchor", "clear_notification", "command_unknown"]
NUMBERS = [-(2**63), -1, 0, 1, 2**31, 2**63 - 2, 2**63 - 1]
# Milliseconds since 1970, before 2100.
NUMBER_MAX = 4_102_444_800_000
DATES = ["Sat, 28 Nov 2026 09:00:00 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
         "Mon, 99 Foo 99999999999999999999 99:99:99", "", "x" * 5000]
ARRIVED = ["2026-11-28T08:00:00+00:00", "2026-11-07T08:00:00+00:00", "1677-10-01T00:00:00Z",
           "2262-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "", "x" * 300]
STATUSES = [200, 201, 204, 301, 302, 303, 307, 308, 400, 401, 404, 413, 429, 500, 503, 999]


class PushRelay(Peer):
  """Answers `POST /fetch` of one agent."""

  def __init__(self, dice, home_url):
    super().__init__(dice)
    self.home_url = home_url
    self.asked = self.leaked = self.misled = 0
    self.number = 1_795_867_200_000
    self.trap = None

  @property
  def url(self):
    return f"http://127.0.0.1:{self.port}"

  async def open(self):
    await super().open()
    self.trap = await asyncio.start_server(self.catch, "127.0.0.1", 0)

  async def close(self):
    self.trap.close()
    await super().close()

  async def catch(self, reader, writer):
    """A redirect leads here, and the agent follows none: its token is for the relay only."""
    self.leaked += 1
    writer.close()

  async def talk(self, reader, writer):
    while True:
      head = await reader.readuntil(b"\r\n\r\n")
      if not head.startswith(b"POST /fetch "):
        self.leaked += 1
      length = int(re.search(rb"(?i)content-length: *([0-9]+)", head).group(1))
      question = json.loads(await reader.readexactly(length))
      self.asked += 1
      # It would say so in every request, and get nothing more.
      if not 0 <= question["acknowledged"] <= NUMBER_MAX:
        self.misled += 1
      key = base64.b64decode(question["public_key"])
      writer.transport.set_write_buffer_limits(1 << 16)
      if not await self.answer(writer, key):
        return

  async def answer(self, writer, key):
    """Returns whether the connection goes on."""
    way = self.dice.randrange(14)
    body = self.body(key)
    if way == 0:
      return await self.answer_elsewhere(writer)
    if way == 1:
      return await self.answer_for_ever(writer)
    if way == 2:
      return await self.answer_slowly(writer, self.head(200, len(body)) + body)
    if way == 3:
      packed = gzip.compress(body)
      return await self.say(writer, self.head(200, len(packed), "Content-Encoding: gzip") + packed)
    if way == 4:
      status = self.dice.choice(STATUSES)
      return await self.say(writer, self.head(status, len(body)) + body)
    if way == 5:
      await self.say(writer, mutation.data(self.dice, self.head(200, len(body)) + body))
      return False
    if way == 6:
      return await self.answer_in_chunks(writer, body)
    return await self.say(writer, self.head(200, len(body)) + body)

  # --- ways

  async def answer_elsewhere(self, writer):
    port = self.trap.sockets[0].getsockname()[1]
    place = self.dice.choice([f"http://127.0.0.1:{port}/fetch", f"{self.home_url}/api/", "/else"])
    status = self.dice.choice([301, 302, 303, 307, 308])
    return await self.say(writer, self.head(status, 0, f"Location: {place}"))

  async def answer_for_ever(self, writer):
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    piece = self.dice.choice([b" " * 65536, b'{"notifications":[' + b"{}," * 20_000, b"[" * 65536])
    while True:
      writer.write(b"%x\r\n" % len(piece) + piece + b"\r\n")
      await writer.drain()

  async def answer_slowly(self, writer, message):
    for byte in message[:self.dice.choice([20, 300])]:
      writer.write(bytes([byte]))
      await asyncio.sleep(0.01)
    return False

  async def answer_in_chunks(self, writer, body):
    size = self.dice.choice([b"%x" % len(body), b"zz", b"-1", b"f" * 17, b"%x;a=b" % len(body)])
    await self.say(writer, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                   + size + b"\r\n" + body + self.dice.choice([b"\r\n0\r\n\r\n", b"", b"0\r\n"]))
    return False

  def head(self, status, length, *headers):
    lines = [f"HTTP/1.1 {status} X", "Content-Type: application/json", f"Content-Length: {length}"]
    if self.dice.random() < 0.9:
      date = self.dice.choice(DATES) if self.dice.random() < 0.2 else DATES[0]
      lines.append(f"Date: {date}")
    return ("\r\n".join([*lines, *headers]) + "\r\n\r\n").encode()

  async def say(self, writer, message):
    self.remember(message[:self.SAID_LENGTH_MAX].decode(errors="replace"))
    writer.write(message)
    await writer.drain()
    return True

  # --- bodies

  def body(self, key):
    dice = self.dice
    if dice.random() < 0.2:
      number = dice.choice([NUMBER_MAX + 1, 2**63 - 1])
      return b'{"notifications":[{"number":%d,"sealed":""}],"remaining":0}' % number
    count = dice.choice([0, 1, 1, 5, 99, 100, 101, 800, 10_000])
    rows = []
    while len(rows) < count and sum(map(len, rows)) < 400_000:
      rows.append(self.row(key, count))
    text = '{"notifications":[%s],"remaining":%s}' % (",".join(rows), dice.choice([0, 1, 2**63]))
    if dice.random() < 0.2:
      text = mutation.text(dice, text)
    return text.encode(errors="surrogatepass")

  def row(self, key, count):
    dice = self.dice
    self.number += dice.choice([1, 1, 1, 1, 0, -1, 1000])
    number = dice.choice(NUMBERS) if dice.random() < 0.05 else self.number
    if dice.random() < 0.1 or count > 1000:
      return dice.choice(["{}", f'{{"number":{number}}}', '{"sealed":""}',
                          f'{{"number":{number},"sealed":"\\u0041AAA"}}',
                          f'{{"number":{number},"sealed":"{"A" * dice.randrange(270)}"}}'])
    box = self.box(key, self.content().encode(errors="surrogatepass"))
    if dice.random() < 0.1:
      box = base64.b64encode(mutation.data(dice, base64.b64decode(box))).decode()
    arrived = dice.choice(ARRIVED) if dice.random() < 0.2 else ARRIVED[0]
    return f'{{"number":{number},"arrived":"{arrived}","sealed":"{box}"}}'

  def box(self, key, message):
    secret = self.dice.randbytes(32)
    opened_by_board = ctypes.create_string_buffer(80)
    SODIUM.crypto_box_seal(opened_by_board, secret, ctypes.c_ulonglong(32), key)
    rest = base64.b64decode(sealed(self.dice, secret, message))
    return base64.b64encode(opened_by_board.raw + rest).decode()

  def content(self):
    dice = self.dice
    if dice.random() < 0.1:
      return dice.choice(["", "{}", "[]", "[" * 5000, "[" + "0," * 4100 + "0]", '{"a":' * 70,
                          '{"message":"%s"}' % ("m" * 60_000)])
    seconds = dice.choice([5, "5", 0, -1, 86_400, 2_592_000, 2**63 - 1, -(2**63), 1e308, "1e999"])
    message = {
      "message": dice.choice([*KINDS, "Storm at nine", "\u202e\x1b[2J", None]),
      "data": {
        "command": dice.choice(["turn_on", "turn_off", "pulse", "", 1]), "output": "Pump",
        "duration": seconds, "every": seconds, "for": seconds, "tag": "t" * dice.choice([1, 300]),
        "ttl": dice.choice([seconds, None, 600, 2_592_000]), "id": dice.choice(["same", str(dice.random())])}}
    if dice.random() < 0.5:
      message["hass_confirm_id"] = dice.choice(["same", "c" * 300, str(dice.random())])
    text = json.dumps(message)
    return mutation.text(dice, text) if dice.random() < 0.4 else text

"""A hostile HTTP client for the push relay, and an honest board beside it. See `run --help`."""

import base64
import json
import pathlib
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Relay"))
from relay import Relay  # noqa: E402

MEMORY_KIB_MAX = 16 * 1024
# What an honest board waits at most, with a busy machine.
HONEST_SECONDS_MAX = 5.0
ANSWER_SECONDS = 20.0
# Points of small order on Curve25519: with them, the shared secret is known to all.
SMALL_ORDER = [
  bytes(32), b"\1" + bytes(31), b"\xec" + b"\xff" * 30 + b"\x7f",
  b"\xed" + b"\xff" * 30 + b"\x7f", b"\xee" + b"\xff" * 30 + b"\x7f",
  bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
  bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157")]


def request(*headers, body=b"", line=b"POST /push HTTP/1.1"):
  return b"\r\n".join([line, b"Host: r", *headers, b"", body])


def sized(body, *headers, line=b"POST /push HTTP/1.1"):
  return request(b"Content-Length: %d" % len(body), *headers, body=body, line=line)


def unclear(smuggled):
  """Requests whose length a proxy may read in another way; what follows is never performed."""
  length = b"%d" % len(smuggled)
  for headers in [
      [b"Content-Length: 4", b"Transfer-Encoding: chunked"],
      [b"Content-Length: 0", b"Content-Length: " + length],
      [b"Content-Length: 0, " + length], [b"Content-Length: +" + length],
      [b"Content-Length: 0x10"], [b"Content-Length:"], [b"Content-Length: -1"],
      [b"Content-Length: 18446744073709551616"], [b"Content-Length: 0 x"],
      [b"Content-Length : " + length], [b"Content-Length: 0\0" + length],
      [b"Content-Length:\r\n " + length],
      [b"Transfer-Encoding : chunked"], [b"Transfer-Encoding: \x0bchunked"],
      [b"Transfer-Encoding\0: chunked"], [b"Transfer-Encoding: identity"],
      [b"Transfer-Encoding: chunked, identity"], [b"Transfer-Encoding: gzip, chunked"],
      [b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity"], [b"no colon"]]:
    yield request(*headers, body=b"0\r\n\r\n" + smuggled)
  for size in [b"zz", b"-1", b"0x0", b"1" + b"f" * 16, b"1;" + b"a" * 30_000]:
    yield request(b"Transfer-Encoding: chunked", body=size + b"\r\n" + smuggled)


def wrong(token):
  """Requests that are clear and wrong, each with the statuses that are right for it."""
  def push(value):
    return json.dumps({"message": "m", "push_token": value}).encode()
  bodies = [
    b"", b"{", b"[" * 60_000, b'{"message":' * 5000, b'{"a":' + b"9" * 10_000, b"\xff" * 1000,
    b'{"message":"m","push_token":"\xff\xfe"}', b'{"message":"m","push_token":1}', push(""),
    push("t" * 65_000), b'{"push_token":"' + token.encode() + b'"}',
    push(token)[:-1] + b',"push_token":"other"}']
  for body in bodies:
    yield sized(body), (400, 404)
  yield sized(push(token + "\0")), (400, 404)
  for path in [b"/%70ush", b"/push%00", b"/../push", b"http://r/push", b"*", b"/\xff"]:
    yield sized(push(token), line=b"POST " + path + b" HTTP/1.1"), (404,)
  for method in [b"GET", b"PUT", b"TRACE", b"post", b"DELETE"]:
    yield request(line=method + b" /push HTTP/1.1"), (405,)
  yield request(line=b"GET /" + b"a" * 100_000 + b" HTTP/1.1"), (414, 431)
  yield request(b"X: " + b"a" * 1_000_000), (431,)
  yield request(*[b"X: y"] * 100_000), (431,)
  yield request(line=b"GET /healthz HTTP/9.9"), (505, 400)
  yield request(b"Expect: 100-continue", b"Content-Length: 70000"), (413,)
  yield request(b"Content-Length: 70000"), (413,)
  yield sized(push("t"), b"Authorization: Bearer " + b"\xff" * 43), (404,)


def questions(board):
  """Wrong questions of a board that knows its token."""
  key = base64.b64encode(board.public.raw).decode()
  for public in SMALL_ORDER:
    yield {"acknowledged": 0, "public_key": base64.b64encode(public).decode()}
  for public in [key[:-1], key + "AAAA", "", 1, None, "=" * 44]:
    yield {"acknowledged": 0, "public_key": public}
  for number in [-1, -(2**63), 2**63, -(2**63) - 1, 1.5, 10**400, "1", None]:
    yield {"acknowledged": number, "public_key": key}


def is_complete(answer, count):
  """Whether so many answers are there. A library's own page, with its head twice, is none."""
  for _ in range(count):
    head, end, answer = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *([0-9]+)", head)
    if not end or answer.startswith(b"HTTP/") or not length or len(answer) < int(length[1]):
      return False
    answer = answer[int(length[1]):]
  return True


class Client:
  """Says what is wrong, and holds what comes back against what is right."""

  def __init__(self, port):
    self.port = port
    self.count = 0

  def ask(self, message, ends=True, count=1):
    """Returns what comes back, until it has so many answers or the relay closes."""
    self.count += 1
    peer = socket.create_connection(("127.0.0.1", self.port), timeout=ANSWER_SECONDS)
    answer = b""
    with peer:
      try:
        peer.sendall(message)
        if ends:
          peer.shutdown(socket.SHUT_WR)
        while not is_complete(answer, count) and (piece := peer.recv(65536)):
          answer += piece
      except TimeoutError:
        raise AssertionError(f"no end of the answer to {message[:200]!r}: {answer!r}") from None
      except OSError:
        pass  # It was closed while more was sent, which is an answer, too.
    return answer

  def refused(self, message, statuses=None):
    """Holds that the answer is a refusal, and that it is the only one."""
    answer = self.ask(message)
    if not answer:
      return
    status = int(answer.split(b" ")[1])
    assert status >= 400 and (not statuses or status in statuses), (
      f"{status} for {message[:200]!r}: {answer!r}")
    if b"application/json" in answer:
      head, _, body = answer.partition(b"\r\n\r\n")
      assert "message" in json.loads(body), f"{body} for {message[:200]!r}"
      return
    # What is no HTTP gets a page of the library, which then closes.
    assert answer.endswith(b"</html>"), f"{answer!r} for {message[:200]!r}"


class Honest(threading.Thread):
  """A board and its home, which are served meanwhile."""

  def __init__(self, board):
    super().__init__()
    self.board, self.is_over = board, threading.Event()
    self.sent, self.read, self.slowest, self.wrong = 0, [], 0.0, None

  def run(self):
    try:
      while not self.is_over.is_set():
        begin = time.monotonic()
        status, answer = self.board.push(f"honest {self.sent}")
        assert status == 201, f"an honest home is refused: {status} {answer}"
        self.sent += 1
        self.read += [message for _, message in self.board.fetch()]
        self.slowest = max(self.slowest, time.monotonic() - begin)
        time.sleep(0.02)
      self.read += [message for _, message in self.board.fetch_all()]
    except Exception as failure:  # noqa: BLE001: another thread reports it.
      self.wrong = failure

  def check(self):
    self.is_over.set()
    self.join()
    if self.wrong:
      raise AssertionError(f"the honest board: {self.wrong!r}")
    assert self.read == [f"honest {number}" for number in range(self.sent)], "some of it is lost"
    assert self.slowest < HONEST_SECONDS_MAX, f"the honest board waited {self.slowest:.1f} s"


def lurk(port):
  """Connections that begin and say no more: silence, half a head, half a body, after 100."""
  parts = [
    b"", b"POST /pu", request(b"Content-Length: 500")[:-2], request(b"Content-Length: 500", body=b"{"),
    request(b"Content-Length: 500", b"Expect: 100-continue"),
    request(b"Transfer-Encoding: chunked", body=b"fffffffff\r\n{"), b"\x16\x03\x01\2\0\1\0\1\xfc\3\3"]
  kept = []
  for number in range(350):
    peer = socket.create_connection(("127.0.0.1", port))
    peer.sendall(parts[number % len(parts)])
    if number % 5 == 0:
      peer.shutdown(socket.SHUT_WR)
    kept.append(peer)
  return kept


def change_tokens(relay, is_over):
  """A person who adds, rotates and revokes a board, while it asks."""
  while not is_over.is_set():
    board = relay.add("other")
    asked = [threading.Thread(target=ask_quietly, args=(board,)) for _ in range(3)]
    for each in asked:
      each.start()
    relay.token("rotate", "other", "--url", "http://relay.invalid")
    relay.token("revoke", "other")
    for each in asked:
      each.join()
    try:
      board.fetch()
    except AssertionError:
      continue
    raise AssertionError("a token that was revoked is served")


def ask_quietly(board):
  for _ in range(20):
    try:
      board.fetch()
      board.push("x")
    except AssertionError:
      return


def dribble(client, dice, board):
  """Requests in pieces, in one piece, and one behind another."""
  body = json.dumps({"message": "m", "push_token": "t"}).encode()
  peer = socket.create_connection(("127.0.0.1", client.port), timeout=ANSWER_SECONDS)
  with peer:
    for byte in sized(body, b"Connection: close"):
      peer.sendall(bytes([byte]))
    assert b" 404 " in peer.makefile("rb").readline(), "a request of single bytes"
  line = b"GET /healthz HTTP/1.1"
  many = request(line=line) * 99 + request(b"Connection: close", line=line)
  answer = client.ask(many, dice.random() < 0.5, count=100)
  assert answer.count(b'{"status":"ok"') == 100, "a hundred requests behind one another"


def attack(relay, boards, seconds, dice):
  honest_board, board = boards
  board.fetch()
  honest_board.fetch()
  honest, is_over = Honest(honest_board), threading.Event()
  failures = []

  def person():
    try:
      change_tokens(relay, is_over)
    except (AssertionError, subprocess.CalledProcessError) as failure:
      failures.append(failure)

  clerk = threading.Thread(target=person)
  honest.start()
  clerk.start()
  client, lurkers = Client(relay.port), lurk(relay.port)
  end = time.monotonic() + seconds
  smuggled = sized(json.dumps({"message": "smuggled", "title": "T", "push_token": board.push_token}).encode())
  try:
    while True:
      cases = [(each, None) for each in unclear(smuggled)] + list(wrong(board.push_token))
      bearer = b"Authorization: Bearer " + board.token.encode()
      cases += [(sized(json.dumps(each).encode(), bearer, line=b"POST /fetch HTTP/1.1"), (400,))
                for each in questions(board)]
      dice.shuffle(cases)
      for message, statuses in cases:
        client.refused(message, statuses)
      dribble(client, dice, board)
      assert relay.process.poll() is None, f"the relay ended: {relay.process.poll()}"
      if time.monotonic() > end:
        break
  finally:
    is_over.set()
    clerk.join()
    honest.check()
    for peer in lurkers:
      peer.close()
  if failures:
    raise AssertionError(f"tokens: {failures[0]}")
  assert board.fetch() == [], "what stood behind an unclear request was performed"
  # A relay that is told that everything came, and more, forgets it and goes on.
  board.acknowledged = 2**63 - 1
  assert board.fetch() == []
  board.acknowledged = 0
  assert board.push("after all of them")[0] == 201
  assert [message for _, message in board.fetch_all()] == ["after all of them"]
  return client.count, honest


def check_log(text, boards):
  for board in boards:
    for secret in (board.token, board.push_token):
      assert secret not in text, "a token is in the log"


def main(program, seed, seconds):
  dice = random.Random(f"{seed}/client")
  with tempfile.TemporaryDirectory(prefix="homeward-adversary-") as folder:
    log = pathlib.Path(folder) / "log"
    relay = Relay(pathlib.Path(program).resolve(), folder, "--notifications-a-day", "1000000")
    boards = [relay.add(name) for name in ("honest", "board")]
    with log.open("w") as file:
      relay.begin(file)
    try:
      count, honest = attack(relay, boards, seconds, dice)
      memory = relay.resident_kib()
      assert memory < MEMORY_KIB_MAX, f"the relay has {memory} KiB"
      assert relay.stop() == 0, "it does not end well"
      check_log(log.read_text(errors="replace"), boards)
      print(f"   client     {count:>5} requests, {memory} KiB; beside them {honest.sent} honest"
            f" notifications, {honest.slowest:.2f} s at most")
    except AssertionError as failure:
      print(f"WRONG: client: {failure}")
      return 1
    finally:
      if relay.process and relay.process.poll() is None:
        relay.kill()
  return 0


if __name__ == "__main__":
  sys.exit(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))

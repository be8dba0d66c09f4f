"""What Tests/System/Relay/run holds; its --help says it for people."""

import argparse
import concurrent.futures
import http.client
import itertools
import json
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

from posting import hold_posts
from relay import Relay, wait_for
import shared

ALL_DAY = ("--notifications-a-day", "1000000")


def check_kills(program, folder, options):
  """Nothing that was accepted is lost, doubled or out of order over many kills."""
  dice = random.Random(options.seed)
  relay = Relay(program, folder, *ALL_DAY)
  boards = [relay.add(f"board{number}") for number in range(8)]
  relay.begin()
  for board in boards:
    board.fetch()

  def disturb():
    for _ in range(options.kills):
      time.sleep(dice.uniform(0.02, 0.3))
      relay.kill()
      relay.begin()

  total = hold_posts(boards, [relay], disturb)
  assert relay.stop() == 0, "it does not end well"
  assert total > options.kills, f"only {total} were accepted"
  return f"{options.kills} kills, {total} accepted, all of them fetched once and in order"


def check_stop(program, folder, options):
  """A stop answers what it has taken: a notification without an answer would be sent again."""
  relay = Relay(program, folder, *ALL_DAY, "--waiting", "1000000")
  board = relay.add("boat")
  relay.begin()
  board.fetch()
  accepted = set()
  for turn in range(10):
    is_over = threading.Event()

    def post(index):
      connection, answered = board.connect(), []
      for number in itertools.count():
        message = f"{turn}:{index}:{number}"
        try:
          if board.push(message, connection)[0] == 201:
            answered.append(message)
        except (OSError, http.client.HTTPException):
          return answered
        if is_over.is_set():
          return answered

    with concurrent.futures.ThreadPoolExecutor(24) as threads:
      posts = [threads.submit(post, index) for index in range(24)]
      time.sleep(0.15)
      assert relay.stop() == 0, "it does not end well"
      is_over.set()
      for each in posts:
        accepted |= set(each.result())
    relay.begin()
  kept = {message for _, message in board.fetch_all()}
  assert kept == accepted, f"{len(kept - accepted)} kept and not answered, {len(accepted - kept)} lost"
  assert relay.stop() == 0
  return f"10 stops, {len(kept)} accepted, each of them answered"


def check_limit(program, folder, options):
  """The limit of a day is exact, whatever comes at the same time and in how many pieces."""
  relay = Relay(program, folder)
  board = relay.add("boat")
  relay.begin()
  board.fetch()

  def post(_):
    connection = board.connect()
    return [board.push("m", connection) for _ in range(25)]

  with concurrent.futures.ThreadPoolExecutor(16) as threads:
    answers = [answer for some in threads.map(post, range(16)) for answer in some]
  accepted = [answer for status, answer in answers if status == 201]
  refused = [answer for status, answer in answers if status == 429]
  assert len(accepted) == 150, f"{len(accepted)} were accepted"
  assert len(refused) == 250, f"{len(refused)} were refused with 429"
  counts = sorted(answer["rateLimits"]["successful"] for answer in accepted)
  assert counts == list(range(1, 151)), "two have the same count"
  assert all(answer["rateLimits"]["successful"] == 150 for answer in refused)
  relay.kill()
  relay.begin()
  assert board.push("after a restart")[0] == 429, "a restart gives another day"
  assert len(board.fetch_all()) == 150
  assert relay.stop() == 0
  return "150 of 400 accepted, over a restart, too"


def check_queue(program, folder, options):
  """What waits costs nothing but its place on the disk."""
  relay = Relay(program, folder, *ALL_DAY)
  boards = [relay.add(f"board{number}") for number in range(100)]
  relay.begin()
  for board in boards:
    board.fetch()

  def fill(board):
    connection = board.connect()
    for number in range(1000):
      status, answer = board.push(f"{number}", connection)
      assert status == 201, f"{status} {answer}"

  def cost(board):
    """Bytes that a notification has it read and write, of which there is room for no more then."""
    before = relay.moved_bytes()
    connection = board.connect()
    for number in range(200):
      assert board.push(f"{number}", connection)[0] == 201
    return (relay.moved_bytes() - before) / 200

  measured = relay.add("measured")
  measured.fetch()
  few = cost(measured)
  fill(boards[0])
  memory = relay.resident_kib()
  with concurrent.futures.ThreadPoolExecutor(32) as threads:
    list(threads.map(fill, boards[1:]))
  many, memory_then = cost(measured), relay.resident_kib()
  status, answer = boards[0].push("one more")
  assert status == 507 and "message" in answer, f"a full queue says {status} {answer}"
  # SQLite's cache takes 2,000 KiB, and 32 connections have theirs.
  assert memory_then < memory + 4096, f"memory grows from {memory} to {memory_then} KiB"
  assert many < few * 1.5, f"a notification moves {few:.0f} bytes, and {many:.0f} with many"
  numbers = [number for number, _ in boards[99].fetch_all()]
  assert len(set(numbers)) == 1000 and numbers == sorted(numbers), "a full queue is not read in order"
  assert relay.stop() == 0
  return (f"100,000 wait: {memory} KiB, then {memory_then} KiB; a notification moves {few:.0f} bytes, "
          f"then {many:.0f}")


def check_hostile(program, folder, options):
  """Clients that are slow, mute or too large are refused, and the others are served."""
  relay = Relay(program, folder)
  board = relay.add("boat")
  relay.begin()
  board.fetch()
  heads = [
    b"", b"POST /push HTTP/1.1\r\nHost: r\r\nContent-Le",
    b"POST /push HTTP/1.1\r\nHost: r\r\nContent-Length: 500\r\n\r\n{",
    b"POST /push HTTP/1.1\r\nHost: r\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"]
  waiting = []
  for number in range(600):
    peer = socket.create_connection(("127.0.0.1", relay.port))
    peer.sendall(heads[number % len(heads)])
    waiting.append(peer)
  assert board.push("beside 600 slow ones")[0] == 201
  for peer in waiting:
    peer.close()

  for text in [
      b"POST /push HTTP/1.1\r\nHost: r\r\nContent-Length: 99999999999999999999\r\n\r\n",
      b"POST /push HTTP/1.1\r\nHost: r\r\nContent-Length: -1\r\n\r\n",
      b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
      b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(10_000)) + b"\r\n",
      b"GET / HTTP/9.9\r\n\r\n", b"\0" * 5000, b"POST /push HTTP/1.1\r\n\r\n",
      b"POST /fetch HTTP/1.1\r\nHost: r\r\nAuthorization: Bearer \xff\xfe\r\nContent-Length: 0\r\n\r\n"]:
    peer = socket.create_connection(("127.0.0.1", relay.port))
    peer.settimeout(30)
    try:
      peer.sendall(text)
      peer.shutdown(socket.SHUT_WR)
      peer.recv(65536)
    except OSError:
      pass
    peer.close()

  deep = '{"message":' + "[" * 60_000
  for body in [deep, '{"message":"m","push_token":"' + "t" * 60_000 + '"}', "\xff" * 1000]:
    status, answer = board.post("/push", body.encode("latin-1"), {})
    assert 400 <= status < 500 and "message" in answer, f"{status} {answer}"
  status, answer = board.push("x" * 70_000)
  assert status == 413 and "message" in answer, f"{status} {answer}"
  assert board.push("after all of them")[0] == 201
  # Of what was refused in its first bytes, the library waits for the end a minute longer.
  wait_for("the connections are closed", lambda: relay.metric("connections") < 10)
  assert [message for _, message in board.fetch_all()] == [
    "beside 600 slow ones", "after all of them"]
  assert relay.process.poll() is None
  assert relay.stop() == 0
  return "600 slow ones, and what is no request"


def check_commands(program, folder, options):
  """What a person types, and what they get told when it is wrong."""
  relay = Relay(program, folder)
  relay.add("boat")
  assert relay.store.stat().st_mode & 0o777 == 0o600, "others may read the store"
  listed = [json.loads(line) for line in relay.token("list", "--json").splitlines()]
  assert [(each["name"], each["waiting"], each["has_key"]) for each in listed] == [("boat", 0, False)]
  url = ["--url", "http://relay.invalid"]
  for code, words in [
      (64, []), (64, ["serve", "more"]), (64, ["token"]), (64, ["token", "add", "van"]),
      (64, ["token", "add", "van", "--url", "relay.invalid"]), (64, ["token", "add", "a b", *url]),
      (64, ["token", "add", "\x1b[2J", *url]), (64, ["serve", "--listen", "nowhere"]),
      (64, ["serve", "--notifications-a-day", "0"]), (65, ["token", "add", "boat", *url]),
      (65, ["token", "rotate", "van", *url]), (65, ["token", "revoke", "van"]),
      (69, ["serve", "--listen", "192.0.2.1:1"]), (74, ["token", "list", "--store", "/nowhere/r"]),
      (0, ["token", "rotate", "boat", *url]), (0, ["token", "revoke", "boat"]), (0, ["--help"])]:
    ended = subprocess.run(
      [program, *(["--store", relay.store] if "--store" not in words else []), *words],
      capture_output=True, text=True, timeout=30)
    assert ended.returncode == code, f"{words} ends with {ended.returncode}: {ended.stderr}"
    assert (code == 0) == (ended.stderr == ""), f"{words} says {ended.stderr!r}"
  assert relay.token("list", "--json") == ""
  return "exit codes, the store's mode, the list"


def check_status(program, folder, options):
  """What `status` says of a relay that serves, of none, and of what answers nothing."""
  relay = Relay(program, folder, "--notifications-a-day", "7")

  def ask(*words, port=None):
    ended = subprocess.run(
      [program, "status", "--store", relay.store, "--listen", f"127.0.0.1:{port or relay.port}",
       *words], capture_output=True, text=True, timeout=30)
    return ended.returncode, ended.stdout

  relay.port = 1
  assert ask() == (66, ""), "without a store it does not say so"
  assert not relay.store.exists(), "status makes a store"
  relay.port = 0
  board = relay.add("boat")
  relay.begin()
  board.fetch()
  for number in range(2):
    assert board.push(f"{number}")[0] == 201
  code, said = ask("--json")
  state = json.loads(said)
  assert code == 0 and state["is_well"] and state["answers"], f"it does not serve: {said}"
  assert (state["waiting"], state["notifications_a_day"]) == (2, 7), said
  assert state["store_bytes"] > 0 and "oldest" in state and "fetched" in state["boards"][0], said
  code, said = ask()
  row = next(line for line in said.splitlines() if line.startswith("boat ")).split()
  assert row[1] == "2" and row[4] == "2/7", said
  with socket.create_server(("127.0.0.1", 0)) as silent:
    code, said = ask("--json", port=silent.getsockname()[1])
    assert (code, json.loads(said)["answers"]) == (69, False), f"a silent server: {code} {said}"
  assert relay.stop() == 0
  code, said = ask()
  assert code == 69 and "does not answer" in said, f"without a relay: {code} {said}"
  return "a relay that serves, none, one that says nothing"


CHECKS = {
  "what is accepted survives kills": check_kills, "a stop answers what it took": check_stop,
  "the day's limit is exact": check_limit,
  "many may wait": check_queue, "hostile clients": check_hostile,
  "commands": check_commands, "status": check_status, **shared.CHECKS}


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("program")
  parser.add_argument("--kills", type=int, default=50)
  parser.add_argument("--seed", type=int, default=random.randrange(10**6))
  options = parser.parse_args()
  wrong = 0
  print(f"seed {options.seed}")
  for what, check in CHECKS.items():
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
      try:
        said = check(pathlib.Path(options.program).resolve(), folder, options)
        print(f"  ok     {what}: {said} ({time.monotonic() - begin:.0f} s)", flush=True)
      except AssertionError as failure:
        wrong += 1
        print(f"WRONG: relay: {what}: {failure}", flush=True)
      finally:
        Relay.end_all()
  return 1 if wrong else 0


if __name__ == "__main__":
  sys.exit(main())

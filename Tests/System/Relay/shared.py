"""What Tests/System/Relay/run holds of relays that share a server of Redis or Valkey."""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import random
import socket
import subprocess
import time

from posting import hold_posts
from relay import Relay, wait_for

ALL_DAY = ("--notifications-a-day", "1000000")


class Server:
  """A server of Redis or Valkey, on a socket in a folder."""

  # Debian's packages of the tools have the program under the name of a check.
  PROGRAMS = {f"{name}-server": f"/usr/bin/{name}-check-rdb" for name in ("valkey", "redis")}

  def __init__(self, folder, *settings):
    self.folder, self.settings = folder, settings
    self.socket = pathlib.Path(folder) / "socket"
    self.store = f"redis+unix://{self.socket}"
    self.process = None

  def begin(self):
    name, program = next(each for each in self.PROGRAMS.items() if os.path.exists(each[1]))
    self.socket.unlink(missing_ok=True)
    self.process = subprocess.Popen(
      [name, "--port", "0", "--unixsocket", self.socket, "--dir", self.folder, "--save", "",
       "--appendonly", "yes", "--appendfsync", "always", *self.settings],
      executable=program, stdout=subprocess.DEVNULL)
    wait_for("the server has read its file", self.is_ready)

  def is_ready(self):
    """Whether it answers. Its socket is there before it has read its file."""
    password = dict(zip(self.settings[::2], self.settings[1::2])).get("--requirepass")
    asked = [f"AUTH {password}"] if password else []
    try:
      with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(30)
        peer.connect(str(self.socket))
        peer.sendall("".join(line + "\r\n" for line in [*asked, "PING"]).encode())
        said = peer.makefile()
        return [said.readline() for _ in [*asked, "PING"]][-1] == "+PONG\n"
    except OSError:
      return False

  def kill(self):
    self.process.kill()
    self.process.wait()

  def __enter__(self):
    self.begin()
    return self

  def __exit__(self, *_):
    self.kill()


@contextlib.contextmanager
def pair(program, folder, *options):
  """Two relays that share a server."""
  with Server(folder) as server:
    relays = [Relay(program, folder, *options, store=server.store) for _ in range(2)]
    try:
      for relay in relays:
        relay.begin()
      yield server, relays
      for relay in relays:
        assert relay.process.poll() is None, "a relay has ended"
        assert relay.stop() == 0, "it does not end well"
    finally:
      for relay in relays:
        if relay.process:
          relay.kill()


def post_with_wrk(folder, relay, board):
  """Posts for a second with 16 connections."""
  script = pathlib.Path(folder) / "post.lua"
  body = json.dumps({"message": "m", "title": "T", "push_token": board.push_token})
  script.write_text(f"wrk.method = 'POST'\nwrk.body = '{body}'\n")
  subprocess.run(
    ["wrk", "--threads", "1", "--connections", "16", "--duration", "1s", "--script", script,
     f"http://127.0.0.1:{relay.port}/push"], check=True, stdout=subprocess.DEVNULL)


def check_limit(program, folder, options):
  """The 151st of a day is refused, whichever relays the notifications come through."""
  with pair(program, folder) as (_, relays):
    counted = [0, 0]
    for number in range(5):
      board = relays[0].add(f"board{number}")
      board.fetch()
      with concurrent.futures.ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda relay: post_with_wrk(folder, relay, board), relays))
      before, counted = counted, [relay.metric("accepted_total") for relay in relays]
      accepted = sum(counted) - sum(before)
      assert accepted == 150, f"{accepted} were accepted in a day"
      for relay in relays:
        status, answer = board.push("one more", board.connect(relay))
        assert status == 429 and answer["rateLimits"]["successful"] == 150, f"{status} {answer}"
      assert len(board.fetch_all()) == 150
    refused = sum(relay.metric("over_limit_total") for relay in relays)
    assert all(counted), f"one relay has accepted nothing: {counted}"
  return f"5 days of 150, by two relays ({counted[0]} and {counted[1]}); {refused} refused"


def check_status(program, folder, options):
  """What `status` says of each relay, and of their server."""
  with pair(program, folder, "--notifications-a-day", "7") as (server, relays):
    board = relays[0].add("boat")
    board.fetch()
    for relay in relays:
      assert board.push("m", board.connect(relay))[0] == 201

    def ask(relay, *words):
      ended = subprocess.run(
        [program, "status", "--store", server.store, "--listen", f"127.0.0.1:{relay.port}", *words],
        capture_output=True, text=True, timeout=30)
      return ended.returncode, ended.stdout

    for relay in relays:
      code, said = ask(relay, "--json")
      state = json.loads(said)
      assert code == 0 and state["is_well"] and state["store"] == server.store, f"{code} {said}"
      assert (state["waiting"], state["notifications_a_day"]) == (2, 7), said
      assert "oldest" in state and "store_bytes" not in state, said
    code, said = ask(relays[0])
    assert code == 0 and f"store    {server.store}\n" in said, said
    row = next(line for line in said.splitlines() if line.startswith("boat ")).split()
    assert row[1] == "2" and row[4] == "2/7", said
    server.kill()
    code, said = ask(relays[0])
    assert (code, said) == (74, ""), f"without its server: {code} {said}"
  return "two relays that serve, and no server"


def check_kills(program, folder, options):
  """Nothing that was accepted is lost when relays are killed."""
  dice = random.Random(options.seed)
  with pair(program, folder, *ALL_DAY) as (_, relays):
    boards = [relays[0].add(f"board{number}") for number in range(8)]
    for board in boards:
      board.fetch()

    def disturb():
      for turn in range(options.kills):
        time.sleep(dice.uniform(0.02, 0.3))
        relays[turn % 2].kill()
        relays[turn % 2].begin()

    total = hold_posts(boards, relays, disturb)
    assert total > options.kills, f"only {total} were accepted"
  return f"{options.kills} kills, {total} accepted, all of them fetched once and in order"


def check_server(program, folder, options):
  """Nothing that was accepted is lost when the server is killed, and the relays find it again."""
  dice = random.Random(options.seed)
  kills = max(1, options.kills // 5)
  with pair(program, folder, *ALL_DAY) as (server, relays):
    boards = [relays[0].add(f"board{number}") for number in range(8)]
    for board in boards:
      board.fetch()

    def disturb():
      for _ in range(kills):
        before = [relay.metric("accepted_total") for relay in relays]
        server.kill()
        time.sleep(dice.uniform(0, 0.2))
        server.begin()
        # Each relay makes a pause of its own before it asks again.
        wait_for("both relays accept again", lambda: all(
          relay.metric("accepted_total") > count + 20 for relay, count in zip(relays, before)))

    total = hold_posts(boards, relays, disturb, refusals=(503, 507))
  return f"{kills} kills of the server, {total} accepted, all of them fetched once and in order"


def check_start(program, folder, options):
  """A server that would lose something is refused, and a password is in no message."""
  def ended(*words):
    return subprocess.run(
      [program, *words], capture_output=True, text=True, timeout=30)

  weak = [("appendfsync", "everysec", "always"), ("appendonly", "no", "yes"),
          ("maxmemory-policy", "allkeys-lru", "noeviction")]
  for name, value, right in weak:
    with Server(folder, f"--{name}", value) as server:
      refused = ended("serve", "--store", server.store, "--listen", "127.0.0.1:0")
      assert refused.returncode == 74, f"{name} {value}: it ends with {refused.returncode}"
      assert refused.stderr.endswith(f"set in its configuration: {name} {right}\n"), refused.stderr
  password = pathlib.Path(folder) / "password"
  password.write_text("open-sesame\n")
  with Server(folder, "--requirepass", "open-sesame") as server:
    store = ["--store", server.store]
    refused = ended("token", "list", *store)
    assert refused.returncode == 74 and "--store-password-file" in refused.stderr, refused.stderr
    known = [*store, "--store-password-file", str(password)]
    url = ["--url", "http://relay.invalid"]
    for words in [["token", "add", "boat", *url], ["token", "rotate", "boat", *url],
                  ["token", "list"], ["token", "revoke", "boat"]]:
      said = ended(*words, *known)
      assert said.returncode == 0 and not said.stderr, f"{words}: {said.stderr}"
      assert "sesame" not in said.stdout
    # No relay answers at that port.
    said = ended("status", "--json", "--listen", "127.0.0.1:1", *known)
    state = json.loads(said.stdout)
    assert (said.returncode, said.stderr) == (69, ""), f"{said.returncode} {said.stderr}"
    assert (state["store"], state["answers"]) == (server.store, False), said.stdout
    for wrong in ["open-sesam", "boat:open-sesame"]:
      password.write_text(wrong)
      refused = ended("token", "list", *known)
      assert refused.returncode == 74 and "sesam" not in refused.stderr, refused.stderr
  lost = ended("token", "list", "--store", "redis://user:open-sesame@127.0.0.1:1/0")
  assert lost.returncode == 74 and "127.0.0.1:1: " in lost.stderr, lost.stderr
  assert "sesame" not in lost.stderr, lost.stderr
  return "weaker settings, passwords, a server that is not there"


CHECKS = {
  "two relays, one limit of a day": check_limit, "status of two relays": check_status, "two relays survive kills": check_kills,
  "their server survives kills": check_server, "a server has to keep what it takes": check_start}

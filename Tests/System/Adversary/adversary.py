"""Hostile peers against the agent as it ships. See `run --help`."""

import argparse
import asyncio
import contextlib
import json
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

import gpsd
import push
from home import Home
from practice_home import PracticeHome
from victim import Found, Victim

PEERS = ["gpsd", "http", "websocket", "mdns", "netlink", "status", "files", "push", "client"]
# Those of which no agent is the victim, or that run elsewhere.
OUTSIDE = ("mdns", "client")
# Agents of one peer at a time; they mostly wait.
VICTIMS = 4
LIFE_SECONDS = (2.0, 6.0)
CHECK_SECONDS = 0.7

LOCATION = "location: { source: gpsd, port: PORT }\nsystem: off\nhome_assistant: { HOME }\n"
SYSTEM = "location: off\nsystem: [load, memory, uptime]\nhome_assistant: { HOME }\n"
SOCKET = (
  "location: off\nsystem: [load, memory]\nhistory: { statistics: true }\nnotifications: websocket\n"
  "home_assistant: { HOME, transport: websocket, register_again: 30s }\n")
PUSH = (
  "location: off\nsystem: [load]\npush: { relay: RELAY, token_file: TOKEN }\nhome_assistant: { HOME }\n"
  "commands: [request_location_update, command_update_sensors, command_gpio, command_interval,"
  " command_anchor, clear_notification]\n")
NETWORK = (
  "location: off\nsystem: [load]\nhome_assistant: { HOME, plain_http_away: true,"
  ' home_network: { ssids: [Harbour], gateways: ["02:00:00:00:00:01"] } }\n')


class Lab:
  """What all peers share."""

  def __init__(self, arguments, folder):
    self.agent = pathlib.Path(arguments.agent)
    self.practice_home = arguments.practice_home
    self.preload = arguments.preload
    self.relay = arguments.relay
    self.root = pathlib.Path(__file__).parents[3]
    self.folder = folder
    self.upstream = None
    self.home = None

  async def open_home(self):
    """The practice home, which knows nothing of all this."""
    self.home = PracticeHome(self.practice_home)
    await self.home.start(stderr=asyncio.subprocess.DEVNULL)
    self.upstream = ("127.0.0.1", self.home.port)

  async def close(self):
    if self.home:
      await self.home.stop()

  @property
  def url(self):
    return "http://%s:%d" % self.upstream


class Attack:
  """One victim of one peer, again and again until the time is over."""

  def __init__(self, lab, peer, index, seed):
    self.lab, self.peer = lab, peer
    self.dice = random.Random(f"{seed}/{peer}/{index}")
    self.victim = Victim(lab, f"{peer}-{index}")
    self.enemy = None
    self.lives = 0

  async def run(self, end):
    try:
      while time.monotonic() < end:
        await self.live()
        self.lives += 1
    except Found as found:
      return f"{self.peer}: {found}\n{self.evidence()}"
    finally:
      await self.victim.kill()
    return None

  async def live(self):
    if self.dice.random() < 0.25:
      self.victim.forget()
    environment = await self.prepare()
    noise = None
    try:
      await self.victim.start(**environment)
      if self.peer in ("status", "files"):
        noise = asyncio.create_task(self.pester() if self.peer == "status" else self.edit())
      await self.watch(time.monotonic() + self.dice.uniform(*LIFE_SECONDS))
      if self.peer == "push":
        await self.check_push()
      await self.victim.stop()
    finally:
      if noise:
        noise.cancel()
      if self.enemy:
        await self.enemy.close()

  async def watch(self, end):
    while time.monotonic() < end:
      await asyncio.sleep(CHECK_SECONDS)
      if self.peer == "files":
        # Between two starts it answers nothing.
        await self.victim.until_it_answers()
      else:
        await self.victim.check()

  async def check_push(self):
    """Whatever a relay says, its token stays with it, and Home Assistant has the readings."""
    if self.enemy.leaked:
      raise Found("it followed an answer of the push relay elsewhere")
    if self.enemy.misled:
      raise Found("it acknowledges a number that is no time, and so everything that comes later")
    document = await self.victim.status() or await self.victim.status()
    if self.enemy.asked and b'"proven"' not in (document or b""):
      raise Found(f"beside a hostile push relay no readings arrive: {document!r}")

  async def prepare(self):
    """Opens the hostile peer and writes the configuration. Returns what the environment holds."""
    lab, victim = self.lab, self.victim
    if self.peer == "gpsd":
      self.enemy = gpsd.Gpsd(self.dice, lab.reports)
      await self.enemy.open()
      victim.configure(lab.url, LOCATION.replace("PORT", str(self.enemy.port)))
    elif self.peer in ("http", "websocket"):
      self.enemy = Home(self.dice, lab.upstream, self.enemy.keys if self.enemy else [])
      await self.enemy.open()
      victim.configure(self.enemy.url, SYSTEM if self.peer == "http" else SOCKET)
    elif self.peer == "push":
      self.enemy = push.PushRelay(self.dice, lab.url)
      await self.enemy.open()
      token = victim.folder / "relay-token"
      token.write_text("".join(self.dice.choices("abcXYZ089-_", k=43)))
      token.chmod(0o600)
      victim.configure(lab.url, PUSH.replace("RELAY", self.enemy.url).replace("TOKEN", str(token)))
    elif self.peer == "netlink":
      victim.configure(lab.url, NETWORK)
      return {"LD_PRELOAD": lab.preload, "ADVERSARY_SEED": str(self.dice.randrange(1 << 63))}
    else:
      victim.configure(lab.url, SYSTEM)
    if self.peer == "files":
      self.lay_pipes()
    return {}

  def lay_pipes(self):
    """Pipes among the segments of the spool: who opens one to read it waits for its writer."""
    spool = self.victim.state / "spool"
    self.victim.state.mkdir(mode=0o700, exist_ok=True)
    spool.mkdir(mode=0o700, exist_ok=True)
    for _ in range(self.dice.randrange(4)):
      with contextlib.suppress(FileExistsError):
        os.mkfifo(spool / f"{self.dice.randrange(1, 1 << self.dice.randrange(1, 40)):016x}.spool")

  async def edit(self):
    """An editor that saves in steps, and a person who reloads the configuration meanwhile."""
    file = self.victim.configuration
    text = file.read_text()
    while True:
      self.victim.signal(signal.SIGHUP)
      for _ in range(self.dice.randrange(6)):
        part = text[:self.dice.randrange(len(text))]
        file.write_text(self.dice.choice(["", part, "every: 5", "[" * 9000, text]))
        await asyncio.sleep(self.dice.choice([0, 0.001, 0.01, 0.05]))
      file.write_text(text)
      await asyncio.sleep(self.dice.choice([0.01, 0.3]))

  async def pester(self):
    """Visitors of the status socket that say something, never read, or stay."""
    kept = []
    while True:
      with contextlib.suppress(OSError):
        reader, writer = await asyncio.open_unix_connection(
          str(self.victim.state / "agent.socket"))
        writer.write(self.dice.randbytes(self.dice.choice([0, 1, 5000, 300_000])))
        if self.dice.random() < 0.5:
          writer.close()
        else:
          kept = [*kept[-30:], (reader, writer)]
      await asyncio.sleep(self.dice.choice([0, 0.001, 0.05]))

  def evidence(self):
    sent = "\n".join(f"    {line[:2000]!r}" for line in getattr(self.enemy, "sent", [])[-8:])
    return f"  what the peer said last:\n{sent}\n  the agent's last words:\n{self.victim.last_words()}"


async def mdns(lab, seed, seconds):
  """`homeward pair` in a network of its own. Returns lives, what was found, and what was not run."""
  if os.geteuid() != 0 or not shutil.which("ip"):
    return 0, None, "mdns: it needs root and iproute2, for a network of its own"
  folder = lab.folder / "mdns"
  folder.mkdir()
  process = await asyncio.create_subprocess_exec(
    "unshare", "--net", sys.executable, "-B", str(pathlib.Path(__file__).with_name("mdns.py")),
    str(lab.agent), str(folder), str(lab.root / "Tests/System/Fuzz/seeds/mdns"), str(seed),
    str(seconds), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
  out, errors = await process.communicate()
  if process.returncode != 0:
    return 0, None, f"mdns: {errors.decode(errors='replace').strip().splitlines()[-1]}"
  told = json.loads(out)
  found = told["found"] and f"mdns: {told['found']}\n  what was said last: {told['sent']}"
  if not told["said"]:
    found = "mdns: pair never asked, so nothing was tried"
  return told["lives"] * 8, found, None


async def client(lab, seed, seconds):
  """A hostile client of the push relay. Returns what it printed, or what was found."""
  process = await asyncio.create_subprocess_exec(
    sys.executable, "-B", str(pathlib.Path(__file__).with_name("client.py")), lab.relay, str(seed),
    str(seconds), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
  out, errors = await process.communicate()
  if process.returncode == 0:
    print(out.decode().rstrip())
    return None
  lines = (out or errors).decode(errors="replace").strip().splitlines()
  return lines[-1].removeprefix("WRONG: ") if lines else "client: it ended without a word"


async def run(lab, peers, seed, seconds):
  # A plain `kill` ends all this as Ctrl-C does: with everything that was started.
  asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
  try:
    await lab.open_home()
    if "gpsd" in peers:
      lab.reports = await gpsd.record(lab)
    end = time.monotonic() + seconds
    attacks = {
      peer: [Attack(lab, peer, index, seed) for index in range(VICTIMS)]
      for peer in peers if peer not in OUTSIDE}
    tasks = [attack.run(end) for each in attacks.values() for attack in each]
    neighbours = mdns(lab, seed, seconds) if "mdns" in peers else asyncio.sleep(0, (0, None, None))
    visitor = client(lab, seed, seconds) if "client" in peers else asyncio.sleep(0)
    (lives, neighbour, not_run), *found = await asyncio.gather(neighbours, visitor, *tasks)
  finally:
    await lab.close()
  told = {peer: sum(attack.lives for attack in each) for peer, each in attacks.items()}
  if "mdns" in peers and not not_run:
    told["mdns"] = lives
  # Agents that never came through a life were tried by nothing.
  idle = [f"{peer}: no agent lived through one attack" for peer, count in told.items() if not count]
  return told, [words for words in [neighbour, *found, *idle] if words], not_run


def main():
  parser = argparse.ArgumentParser()
  for name in ("agent", "practice-home", "preload"):
    parser.add_argument(f"--{name}", required=True)
  parser.add_argument("--relay")
  parser.add_argument("--seed", type=int)
  parser.add_argument("--seconds", type=float, required=True)
  parser.add_argument("peers", nargs="*")
  arguments = parser.parse_args()
  seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 32)
  print(f"   seed {seed}", flush=True)
  with tempfile.TemporaryDirectory(prefix="homeward-adversary-") as folder:
    lab = Lab(arguments, pathlib.Path(folder))
    try:
      told, found, not_run = asyncio.run(
        run(lab, arguments.peers or PEERS, seed, arguments.seconds))
    except (KeyboardInterrupt, asyncio.CancelledError):
      return 130
  for peer, lives in told.items():
    print(f"   {peer:<10} {lives:>5} lives under attack")
  if not_run:
    print(f"NOT RUN: {not_run}")
  for words in found:
    print(f"WRONG: {words}")
  return 1 if found else 0


if __name__ == "__main__":
  sys.exit(main())

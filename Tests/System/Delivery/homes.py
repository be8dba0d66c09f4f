"""Those who receive: the practice home, a real Home Assistant, and what lies between."""

import asyncio
import collections
import contextlib
import ipaddress
import json
import os
import pathlib
import signal
import sqlite3
import subprocess

from practice_home import LINE_BYTES_MAX, PracticeHome, seconds


class Received:
  """What a home got of every device."""

  def __init__(self):
    # Readings of events: {device: {(time, level): how often}}.
    self.history = collections.defaultdict(collections.Counter)
    # Readings as they were when they came: {device: [(when it came, level)]}.
    self.live = collections.defaultdict(list)
    # When events came: {device: [time]}.
    self.chunks = collections.defaultdict(list)

  def count(self):
    """How much came."""
    return sum(map(len, self.live.values())) + sum(
      sum(readings.values()) for readings in self.history.values())

  def take_history(self, data, came_at):
    device = data["device"]
    self.chunks[device].append(came_at)
    for at, _, value in data["readings"]:
      if isinstance(value, bool):
        self.history[device][(at, value)] += 1

  def take_live(self, device, level, came_at):
    self.live[device].append((came_at, level))


class CountingHome(PracticeHome):
  """The practice home, and what it got of edges."""

  def __init__(self, program):
    super().__init__(program)
    self.received = Received()
    self.ids = {}

  def take(self, entry, at):
    if entry["event"] == "registration":
      self.ids[entry["device_name"]] = entry["device_id"]
    elif entry["event"] == "event_fired" and entry["event_type"] == "homeward_history":
      self.received.take_history(entry["event_data"], at)
    elif entry["event"] == "readings":
      for reading in entry["readings"]:
        if isinstance(reading["state"], bool):
          device = reading["entity_id"].split(".")[1].removesuffix("_line")
          self.received.take_live(device, reading["state"], at)


class RealHome:
  """A Home Assistant of deploy/lab/home-assistant."""

  def __init__(self, lab):
    self.lab, self.folder = lab, lab.folder / "home-assistant"
    self.watchers = []
    self.tasks = []
    self.received = Received()

  async def command(self, name):
    program = self.lab.root / "deploy/lab/home-assistant"
    process = await asyncio.create_subprocess_exec(
      str(program), name, str(self.folder), stderr=asyncio.subprocess.PIPE)
    _, words = await process.communicate()
    if process.returncode != 0:
      raise RuntimeError(f"deploy/lab/home-assistant {name} failed:\n{words.decode()}")

  async def start(self):
    await self.command("start")
    self.url = (self.folder / "url").read_text().strip()
    self.port = int(self.url.rsplit(":", 1)[1])
    self.token = (self.folder / "token").read_text().strip()
    self.version = (self.folder / "version").read_text().strip()

  async def watch(self):
    """Listens to its bus; the recorder, which is read at the end, forgets its last second when
    Home Assistant is killed."""
    configuration = self.lab.folder / "watcher.yaml"
    token = self.lab.folder / "watcher.token"
    token.write_text(self.token)
    configuration.write_text(
      f'home_assistant: {{ url: "{self.url}", token_file: {token} }}\n'
      f"state_directory: {self.lab.folder}/watcher\n")
    for event_type in ("homeward_history", "state_changed"):
      with open(self.lab.folder / "watcher.log", "ab") as log:
        process = await asyncio.create_subprocess_exec(
          str(self.lab.agent), "watch", "events", event_type, "--json", "--config",
          str(configuration), stdout=asyncio.subprocess.PIPE, stderr=log, limit=LINE_BYTES_MAX)
      self.watchers.append(process)
      self.tasks.append(asyncio.create_task(self.listen(process.stdout)))

  async def listen(self, output):
    async for text in output:
      event = json.loads(text)
      at = seconds(event["time_fired"])
      if event["event_type"] == "homeward_history":
        self.received.take_history(event["data"], at)
      elif event["data"].get("new_state"):
        state = event["data"]["new_state"]
        self.take_state(state["entity_id"], state["state"], at)

  def take_state(self, entity, state, at):
    if entity.startswith("binary_sensor.") and entity.endswith("_line") and state in ("on", "off"):
      device = entity.split(".")[1].removesuffix("_line")
      self.received.take_live(device, state == "on", at)

  async def is_closed(self):
    """Waits until it takes no more connections."""
    for _ in range(600):
      try:
        _, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.close()
      except OSError:
        return
      await asyncio.sleep(0.1)
    raise RuntimeError("Home Assistant was told to restart, and does not")

  def kill(self):
    """kill -9 of Home Assistant."""
    os.kill(int((self.folder / "pid").read_text()), signal.SIGKILL)

  async def stop(self):
    """Ends it, and adds what only its recorder knows."""
    for process in self.watchers:
      with contextlib.suppress(ProcessLookupError):
        process.terminate()
      await process.wait()
    await asyncio.gather(*self.tasks)
    self.watchers, self.tasks = [], []
    if (self.folder / "pid").exists():
      await self.command("stop")

  def read_recorder(self):
    database = sqlite3.connect(self.folder / "config/home-assistant_v2.db")
    heard = {device: set(readings) for device, readings in self.received.history.items()}
    for (text,) in database.execute(
        "select shared_data from events join event_types using (event_type_id)"
        " join event_data using (data_id) where event_types.event_type = 'homeward_history'"):
      data = json.loads(text)
      for moment, _, value in data["readings"]:
        if (moment, value) not in heard.get(data["device"], ()):
          self.received.history[data["device"]][(moment, value)] += 1
    for entity, state, at in database.execute(
        "select states_meta.entity_id, state, last_updated_ts from states"
        " join states_meta using (metadata_id)"
        " where state in ('on', 'off')"):
      self.take_state(entity, state, at)
    database.close()


class Wire:
  """A network of an agent's own, with one cable; what goes along it can vanish without a word.

  Who sends to a hardware address without a board hears nothing: no reset, no ICMP, no carrier lost.
  """

  NO_BOARD = "02:00:00:00:00:ff"
  # Networks of four addresses in the block for benchmarks, which no real network uses (RFC 2544).
  BLOCK = ipaddress.ip_network("198.18.0.0/15")
  NETWORK_COUNT = BLOCK.num_addresses // 4
  # So many wires may one process have.
  COUNT_MAX = 8

  def __init__(self, number):
    self.name = f"homeward-{os.getpid()}-{number}"
    self.host_end, self.agent_end = f"hw{os.getpid() % 100000}h{number}", "cable"
    # Another process, and what a killed one left behind, has other addresses.
    network = (os.getpid() * self.COUNT_MAX + number) % self.NETWORK_COUNT
    self.host = str(self.BLOCK[network * 4 + 1])
    self.address = str(self.BLOCK[network * 4 + 2])
    self.host_hardware = f"02:00:00:00:{number:02x}:01"
    self.hardware = f"02:00:00:00:{number:02x}:02"
    self.prefix = ["ip", "netns", "exec", self.name]

  @staticmethod
  def why_not():
    """Why there can be none, or nothing."""
    if os.geteuid() != 0:
      return "network namespaces need root"
    wire = Wire(Wire.COUNT_MAX - 1)
    try:
      Wire.remove_abandoned()
      wire.lay()
    except (OSError, subprocess.CalledProcessError) as error:
      return f"this machine makes no network namespaces ({error})"
    finally:
      wire.remove()
    return None

  def ip(self, *words):
    subprocess.run(["ip", *words], check=True, capture_output=True, text=True)

  def lay(self):
    self.ip("netns", "add", self.name)
    self.ip("link", "add", self.host_end, "address", self.host_hardware, "type", "veth",
            "peer", "name", self.agent_end, "address", self.hardware, "netns", self.name)
    self.ip("address", "add", f"{self.host}/30", "dev", self.host_end)
    self.ip("-n", self.name, "address", "add", f"{self.address}/30", "dev", self.agent_end)
    self.ip("-n", self.name, "link", "set", "lo", "up")
    self.ip("-n", self.name, "link", "set", self.agent_end, "up")
    self.ip("link", "set", self.host_end, "up")
    self.restore()

  def restore(self):
    self.send_requests_to(self.host_hardware)
    self.send_answers_to(self.hardware)

  def send_requests_to(self, hardware):
    self.ip("-n", self.name, "neigh", "replace", self.host, "lladdr", hardware, "dev",
            self.agent_end, "nud", "permanent")

  def send_answers_to(self, hardware):
    self.ip("neigh", "replace", self.address, "lladdr", hardware, "dev", self.host_end, "nud",
            "permanent")

  def lose_requests(self):
    self.send_requests_to(self.NO_BOARD)

  def lose_answers(self):
    self.send_answers_to(self.NO_BOARD)

  @staticmethod
  def remove_abandoned():
    """Removes the networks of processes that were killed before they could."""
    for path in pathlib.Path("/run/netns").glob("homeward-*-*"):
      if not pathlib.Path("/proc", path.name.split("-")[1]).exists():
        subprocess.run(["ip", "netns", "delete", path.name], capture_output=True)

  def remove(self):
    subprocess.run(["ip", "link", "delete", self.host_end], capture_output=True)
    subprocess.run(["ip", "netns", "delete", self.name], capture_output=True)

"""A neighbour in the local network that lies to `homeward pair`: answers of multicast DNS, changed.

Runs in a network namespace of its own: mdns.py AGENT FOLDER SEEDS SEED SECONDS. Prints what it
found as one line of JSON."""

import contextlib
import json
import pathlib
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

import mutation

GROUP, PORT = "224.0.0.251", 5353
PAIR_SECONDS_MAX = 15


def network():
  """The loopback carries multicast here: the agent asks this machine, too."""
  for command in ("link set lo up multicast on", "route add 224.0.0.0/4 dev lo"):
    subprocess.run(["ip", *command.split()], check=True, capture_output=True)


def listener():
  ear = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
  ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
  ear.bind(("", PORT))
  group = struct.pack("4s4s", socket.inet_aton(GROUP), socket.inet_aton("127.0.0.1"))
  ear.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
  ear.settimeout(0.2)
  return ear


class Neighbour(threading.Thread):
  """Answers each query with some changed answers."""

  def __init__(self, dice, answers):
    super().__init__(daemon=True)
    self.dice, self.answers = dice, answers
    self.ear = listener()
    self.sent, self.count = [], 0

  def run(self):
    while True:
      with contextlib.suppress(TimeoutError, OSError):
        _, asker = self.ear.recvfrom(9000)
        for _ in range(self.dice.choice([1, 5, 40])):
          answer = self.dice.choice(self.answers)
          if self.dice.random() < 0.9:
            answer = mutation.data(self.dice, answer)
          self.sent = [*self.sent[-40:], answer.hex()]
          self.count += 1
          self.ear.sendto(answer[:9000], asker)


def main():
  agent, folder, seeds, seed, seconds = sys.argv[1:]
  network()
  pathlib.Path(folder, "token").write_text("practice")
  answers = [path.read_bytes() for path in sorted(pathlib.Path(seeds).iterdir())]
  neighbour = Neighbour(random.Random(int(seed)), answers)
  neighbour.start()
  end = time.monotonic() + float(seconds)
  lives, found = 0, None
  while found is None and time.monotonic() < end:
    lives += 1
    found = pair_once(agent, folder)
  print(json.dumps({
    "lives": lives, "said": neighbour.count, "found": found, "sent": neighbour.sent if found else []}))


def pair_once(agent, folder):
  """Several at a time: each waits two seconds for answers."""
  commands = [
    subprocess.Popen(
      [
        agent, "pair", "--config", f"{folder}/none.yaml", "--token-file", f"{folder}/token",
        "--state-directory", f"{folder}/state-{index}"],
      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    for index in range(8)]
  found = None
  for command in commands:
    try:
      words = command.communicate(timeout=PAIR_SECONDS_MAX)[1]
    except subprocess.TimeoutExpired:
      command.kill()
      command.communicate()
      found = f"pair does not end within {PAIR_SECONDS_MAX} s"
      continue
    if command.returncode < 0:
      name = signal.Signals(-command.returncode).name
      found = f"pair ended by {name}: {words[-500:].decode(errors='replace')}"
  return found


if __name__ == "__main__":
  main()

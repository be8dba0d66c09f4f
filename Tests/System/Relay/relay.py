"""A relay as a program, the boards that ask it, and the homes that post to it."""

import base64
import ctypes
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import time

sodium = ctypes.CDLL("libsodium.so.23")
sodium.sodium_init()
SIZE = ctypes.c_ulonglong


class Refused(AssertionError):
  """A status that was not expected."""

  def __init__(self, status, answer):
    super().__init__(f"{status} {answer}")
    self.status = status


class Relay:
  """The program, and its store: a file in a folder, or what `store` names."""

  processes = []

  def __init__(self, program, folder, *options, store=None):
    self.program, self.options = program, options
    self.store = store or pathlib.Path(folder) / "relay.sqlite"
    self.port = 0
    self.process = None

  def begin(self, log=None):
    """Starts it, at the port that it had before. `log` is a file for what it says of itself."""
    self.process = subprocess.Popen(
      [self.program, "serve", "--store", self.store, "--listen", f"127.0.0.1:{self.port}",
       *self.options],
      stdout=subprocess.PIPE, stderr=log, text=True)
    Relay.processes.append(self.process)
    line = self.process.stdout.readline()
    found = re.search(r"listens on 127\.0\.0\.1:(\d+)$", line.strip())
    if not found:
      raise AssertionError(f"the relay does not begin: {line!r}, {self.process.wait(5)}")
    self.port = int(found[1])

  def kill(self):
    self.process.kill()
    self.process.wait()

  @classmethod
  def end_all(cls):
    """Ends what a check that failed has left."""
    for process in cls.processes:
      if process.poll() is None:
        process.kill()
        process.wait()
    cls.processes.clear()

  def stop(self):
    """Asks it to end, and returns its exit code."""
    self.process.send_signal(signal.SIGTERM)
    return self.process.wait(30)

  def add(self, name):
    said = self.token("add", name, "--url", "http://relay.invalid")
    words = {line.split()[0]: line.split()[1] for line in said.splitlines() if line[:2] == "  "}
    return Board(self, words["token"], words["push_token"])

  def token(self, *words):
    return subprocess.run(
      [self.program, "token", *words, "--store", self.store, *self.options],
      check=True, capture_output=True, text=True).stdout

  def metric(self, name):
    connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    return next(int(line.split()[1]) for line in text.splitlines()
                if line.startswith(f"homeward_relay_{name} "))

  def resident_kib(self):
    """Memory of its own; what it maps of files goes when the kernel needs it."""
    status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
    return int(re.search(r"^RssAnon:\s*(\d+)", status, re.MULTILINE)[1])

  def moved_bytes(self):
    """Bytes that it has read and written, and how many calls that took."""
    words = pathlib.Path(f"/proc/{self.process.pid}/io").read_text().split()
    values = dict(zip(words[::2], map(int, words[1::2])))
    return values["rchar:"] + values["wchar:"]


class Board:
  """A board and its home: what both know of the relay, and the key that only the board has."""

  def __init__(self, relay, token, push_token):
    self.relay, self.token, self.push_token = relay, token, push_token
    self.public, self.secret = (ctypes.create_string_buffer(32) for _ in range(2))
    sodium.crypto_box_keypair(self.public, self.secret)
    self.acknowledged = 0

  def push(self, message, connection=None):
    """Posts as Home Assistant does; returns the status and the answer."""
    body = json.dumps({
      "message": message, "title": "T", "push_token": self.push_token,
      "registration_info": {"app_id": "homeward", "webhook_id": "a-secret"}})
    return self.post("/push", body, {}, connection)

  def fetch(self, connection=None):
    """Asks for what waits, and returns it as (number, message), acknowledging what came before."""
    body = json.dumps({
      "acknowledged": self.acknowledged,
      "public_key": base64.b64encode(self.public.raw).decode()})
    status, answer = self.post(
      "/fetch", body, {"Authorization": f"Bearer {self.token}"}, connection)
    if status != 200:
      raise Refused(status, answer)
    read = [(each["number"], self.open(each["sealed"])) for each in answer["notifications"]]
    if read:
      self.acknowledged = read[-1][0]
    return read

  def fetch_all(self):
    """All that waits, until nothing comes."""
    connection, all_of_it = self.connect(), []
    while read := self.fetch(connection):
      all_of_it += read
    return all_of_it

  def open(self, sealed):
    """Opens what is sealed: a secret key, sealed to the board, and the rest under that key."""
    sealed = base64.b64decode(sealed)
    key, nonce, box = sealed[:80], sealed[80:104], sealed[104:]
    secret_key, opened = ctypes.create_string_buffer(32), ctypes.create_string_buffer(len(box) - 16)
    if sodium.crypto_box_seal_open(secret_key, key, SIZE(80), self.public, self.secret) != 0:
      raise AssertionError("a notification's key does not open with the board's")
    if sodium.crypto_secretbox_open_easy(opened, box, SIZE(len(box)), nonce, secret_key) != 0:
      raise AssertionError("a notification does not open with its key")
    content = json.loads(opened.raw)
    if set(content) != {"message", "title"}:
      raise AssertionError(f"the board gets {sorted(content)}")
    return content["message"]

  def connect(self, relay=None):
    return http.client.HTTPConnection("127.0.0.1", (relay or self.relay).port, timeout=30)

  def post(self, path, body, headers, connection=None):
    connection = connection or self.connect()
    connection.request("POST", path, body, {"Content-Type": "application/json", **headers})
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def wait_for(what, condition, seconds=30):
  """Waits until a condition holds."""
  end = time.monotonic() + seconds
  while not condition():
    if time.monotonic() > end:
      raise AssertionError(f"not within {seconds} s: {what}")
    time.sleep(0.02)

"""What Tests/System/Relay/proxies holds; its --help says it for people."""

import http.client
import json
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import tempfile

from relay import Relay, wait_for

EXAMPLES = pathlib.Path("deploy/relay")


class Proxy:
  """A proxy in front of a relay, with an example whose ports and certificate are replaced."""

  def __init__(self, name, folder, relay):
    self.name, self.folder, self.port = name, folder, free_port()
    self.example = (EXAMPLES / {"caddy": "Caddyfile", "nginx": "nginx.conf"}[name]).read_text()
    self.replace("127.0.0.1:8426", f"127.0.0.1:{relay.port}")
    getattr(self, f"_prepare_{name}")()
    self.process = None

  def replace(self, words, others):
    if words not in self.example:
      raise AssertionError(f"the example of {self.name} has no {words!r}")
    self.example = self.example.replace(words, others)

  def _prepare_caddy(self):
    certificate = f"tls {self.folder}/certificate.pem {self.folder}/key.pem"
    self.replace("\nrelay.example {\n", f"\nhttps://relay.example:{self.port} {{\n\t{certificate}\n")
    self.replace("\n{\n", "\n{\n\tadmin off\n\tauto_https disable_redirects\n")
    file = self.folder / "Caddyfile"
    file.write_text(self.example)
    self.command = ["caddy", "run", "--config", file, "--adapter", "caddyfile"]

  def _prepare_nginx(self):
    self.replace("listen 443 ssl;", f"listen {self.port} ssl;")
    self.replace("listen [::]:443 ssl;", "")
    self.replace("/etc/letsencrypt/live/relay.example/fullchain.pem", f"{self.folder}/certificate.pem")
    self.replace("/etc/letsencrypt/live/relay.example/privkey.pem", f"{self.folder}/key.pem")
    (self.folder / "example.conf").write_text(self.example)
    temporary = "".join(
      f"{each}_temp_path {self.folder}/{each};\n"
      for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    file = self.folder / "nginx.conf"
    file.write_text(
      f"pid {self.folder}/pid;\nerror_log {self.folder}/errors;\ndaemon off;\n"
      f"events {{}}\nhttp {{\naccess_log off;\n{temporary}include {self.folder}/example.conf;\n}}\n")
    self.command = ["nginx", "-c", file, "-e", self.folder / "errors"]

  def begin(self):
    log = (self.folder / f"{self.name}.log").open("w")
    home = {**os.environ, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder)}
    self.process = subprocess.Popen(
      self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=home)
    wait_for(f"{self.name} listens", self.listens)

  def listens(self):
    if self.process.poll() is not None:
      raise AssertionError((self.folder / f"{self.name}.log").read_text())
    try:
      socket.create_connection(("127.0.0.1", self.port), 1).close()
      return True
    except OSError:
      return False

  def end(self):
    if self.process:
      self.process.terminate()
      self.process.wait(30)

  def connect(self):
    """A connection of TLS that trusts this certificate, and the name, only."""
    context = ssl.create_default_context(cafile=self.folder / "certificate.pem")
    connection = http.client.HTTPSConnection("relay.example", self.port, timeout=30)
    plain = socket.create_connection(("127.0.0.1", self.port), 30)
    connection.sock = context.wrap_socket(plain, server_hostname="relay.example")
    return connection


def free_port():
  with socket.create_server(("127.0.0.1", 0)) as server:
    return server.getsockname()[1]


def make_certificate(folder):
  subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
     "-nodes", "-days", "2", "-subj", "/CN=relay.example", "-addext",
     "subjectAltName=DNS:relay.example", "-keyout", folder / "key.pem",
     "-out", folder / "certificate.pem"], check=True, capture_output=True)


def check_requests(proxy, board):
  """A home posts and a board fetches, on one connection; nothing else comes in."""
  connection = proxy.connect()
  assert board.push("too early", connection)[0] == 409, "the relay's own errors are not handed on"
  board.fetch(connection)
  for words in ("one", "two"):
    assert board.push(words, connection)[0] == 201
  assert [words for _, words in board.fetch(connection)] == ["one", "two"]
  for path in ("/healthz", "/metrics", "/", "/push/", "/%2e%2e/metrics"):
    connection = proxy.connect()
    connection.request("GET", path)
    assert connection.getresponse().status in (400, 404), f"{path} is let in"
  return "a home posts, a board fetches, nothing else is let in"


def check_sizes(proxy, board):
  """64 KiB, and not more: of a body whose length no header says, the proxy itself counts it."""
  assert board.push("x" * 60_000, proxy.connect())[0] == 201, "what is allowed is refused"
  status, answer = board.push("x" * 70_000, proxy.connect())
  assert status == 413 and "message" in answer, f"{status} {answer}"
  connection = proxy.connect()
  connection.request("POST", "/push", iter([b"x" * 7000] * 10), encode_chunked=True)
  answer = connection.getresponse()
  words = json.loads(answer.read())
  # The relay's own answer has other words than Caddy's.
  own = "errorMessage" if proxy.name == "caddy" else "message"
  assert answer.status == 413 and own in words, f"{answer.status} {words}"
  return "60,000 bytes come through, 70,000 do not"


def check_many(proxy, board):
  """An address has 20 connections that ask at once."""
  if proxy.name != "nginx":
    return "not limited by Caddy"
  head = "POST /push HTTP/1.1\r\nHost: relay.example\r\nContent-Length: 10\r\n\r\n{"
  waiting = [proxy.connect() for _ in range(20)]
  for each in waiting:
    each.sock.sendall(head.encode())
  wait_for("the 21st is refused", lambda: board.push("21st", proxy.connect())[0] == 503)
  for each in waiting:
    each.close()
  wait_for("others come through then", lambda: board.push("m", proxy.connect())[0] == 201)
  return "20 connections of an address"


def check_absence(proxy, board):
  """Without a relay Home Assistant gets JSON, and an error that it repeats later."""
  board.relay.stop()
  status, answer = board.push("m", proxy.connect())
  assert status in (502, 503) and "errorMessage" in answer, f"{status} {answer}"
  return f"{status} as JSON while no relay runs"


def check(name, program, folder):
  relay = Relay(program, folder)
  board = relay.add("boat")
  relay.begin()
  proxy = Proxy(name, folder, relay)
  try:
    proxy.begin()
    for each in (check_requests, check_sizes, check_many, check_absence):
      print(f"  ok     {name}: {each(proxy, board)}", flush=True)
  finally:
    proxy.end()
    Relay.end_all()


def main():
  wrong = 0
  for name in ("caddy", "nginx"):
    with tempfile.TemporaryDirectory() as folder:
      os.chmod(folder, 0o755)
      make_certificate(pathlib.Path(folder))
      try:
        check(name, pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder))
      except (AssertionError, ValueError) as failure:
        wrong += 1
        print(f"WRONG: relay: {name}: {failure}", flush=True)
  return 1 if wrong else 0


if __name__ == "__main__":
  sys.exit(main())

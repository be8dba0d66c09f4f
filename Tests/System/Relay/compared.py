"""A relay of aiohttp and SQLite with the behaviour and the durability of homeward-relay, for comparison.

  compared.py PORT STORE PUSH_TOKEN PUBLIC_KEY [--seal-each]

It has one board. As in homeward-relay, requests that come together share a commit, and a secret key that is
sealed to the board once an hour seals the notifications: the bytes that it keeps have the same form. With
--seal-each it seals each notification to the board's public key, as a relay would that knows no better.
"""

import asyncio
import hashlib
import json
import sqlite3
import sys
import time

import aiohttp.web
import nacl.public
import nacl.secret
import nacl.utils

PORT, STORE, PUSH_TOKEN, PUBLIC_KEY = sys.argv[1:5]
SEALS_EACH = "--seal-each" in sys.argv
MAXIMUM, WAITING_MAX, DAY = 10**9, 10**9, 86_400


class Store:
  def __init__(self):
    self.sealer = Sealer()
    self.database = sqlite3.connect(STORE, isolation_level=None)
    self.database.executescript("""
      PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
      CREATE TABLE board (id INTEGER PRIMARY KEY, push BLOB UNIQUE, public_key BLOB, day INTEGER,
        successful INTEGER, errors INTEGER, waiting INTEGER, newest INTEGER);
      CREATE TABLE waiting (board INTEGER, number INTEGER, arrived INTEGER, sealed BLOB,
        PRIMARY KEY (board, number)) WITHOUT ROWID;""")
    self.database.execute(
      "INSERT INTO board VALUES (1, ?, ?, 0, 0, 0, 0, 0)",
      (digest(PUSH_TOKEN), bytes.fromhex(PUBLIC_KEY)))

  def perform(self, requests, now):
    self.database.execute("BEGIN IMMEDIATE")
    answers = [self.push(*request, now) for request in requests]
    self.database.execute("COMMIT")
    return answers

  def push(self, token, content, now):
    row = self.database.execute(
      "SELECT id, public_key, day, successful, errors, waiting, newest FROM board WHERE push = ?",
      (digest(token),)).fetchone()
    if row is None:
      return 404, {"message": "The relay does not know this token"}
    board, key, day, successful, errors, waiting, newest = row
    if now // DAY != day:
      day, successful, errors = now // DAY, 0, 0
    status = 429 if successful >= MAXIMUM else 507 if waiting >= WAITING_MAX else 201
    if status == 201:
      successful, waiting, newest = successful + 1, waiting + 1, newest + 1
      sealed = seal_each(key, content) if SEALS_EACH else self.sealer.seal(key, content, now)
      self.database.execute("INSERT INTO waiting VALUES (?, ?, ?, ?)", (board, newest, now, sealed))
    else:
      errors += 1
    self.database.execute(
      "UPDATE board SET day = ?, successful = ?, errors = ?, waiting = ?, newest = ? WHERE id = ?",
      (day, successful, errors, waiting, newest, board))
    reset = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime((day + 1) * DAY))
    return status, {"rateLimits": {
      "successful": successful, "errors": errors, "total": successful + errors,
      "maximum": MAXIMUM, "remaining": MAXIMUM - successful, "resetsAt": reset}}


class Sealer:
  """Seals under a secret key, which is sealed to the board once an hour."""

  def __init__(self):
    self.key, self.made = None, 0

  def seal(self, key, content, now):
    if self.key != key or now - self.made >= 3600:
      secret = nacl.utils.random(nacl.secret.SecretBox.KEY_SIZE)
      self.key, self.made = key, now
      self.sealed, self.box = seal_each(key, secret), nacl.secret.SecretBox(secret)
    return self.sealed + self.box.encrypt(content)


def seal_each(key, content):
  return nacl.public.SealedBox(nacl.public.PublicKey(key)).encrypt(content)


def digest(token):
  return hashlib.blake2b(token.encode(), digest_size=32).digest()


class Worker:
  """Performs what came while the last commit was made."""

  def __init__(self, store):
    self.store, self.waiting, self.bell = store, [], asyncio.Event()

  async def ask(self, token, content):
    answer = asyncio.get_running_loop().create_future()
    self.waiting.append((token, content, answer))
    self.bell.set()
    return await answer

  async def run(self):
    while True:
      await self.bell.wait()
      self.bell.clear()
      batch, self.waiting = self.waiting, []
      answers = self.store.perform([request[:2] for request in batch], int(time.time()))
      for (_, _, future), answer in zip(batch, answers):
        future.set_result(answer)


async def push(request):
  try:
    body = await request.json()
    token = body.pop("push_token")
  except (ValueError, KeyError, AttributeError):
    return aiohttp.web.json_response({"message": "The body has to be a JSON object"}, status=400)
  body.pop("registration_info", None)
  content = json.dumps(body, separators=(",", ":")).encode()
  status, answer = await request.app["worker"].ask(token, content)
  return aiohttp.web.json_response(answer, status=status)


async def begin(app):
  app["worker"] = Worker(Store())
  app["task"] = asyncio.create_task(app["worker"].run())


application = aiohttp.web.Application(client_max_size=65536)
application.add_routes([aiohttp.web.post("/push", push)])
application.on_startup.append(begin)
aiohttp.web.run_app(application, host="127.0.0.1", port=int(PORT), access_log=None, print=None)

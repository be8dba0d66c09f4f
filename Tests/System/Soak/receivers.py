"""Devices that speak by themselves: a receiver behind a gpsd, a solar charger at a cable."""

import asyncio
import contextlib
import datetime
import json
import os
import time
import tty
from collections import namedtuple

VERSION = '{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}'
WATCH = (
  '{"class":"DEVICES","devices":[]}\r\n'
  '{"class":"WATCH","enable":true,"json":true}')
# Northwards, at this speed: each fix is another one.
STEP_DEGREES, SPEED = 0.00002, 2.22

Fix = namedtuple("Fix", "number wall")


class Receiver:
  """A gpsd whose receiver reports each second, and no position twice."""

  MISHAPS = ("down", "restart", "silent", "no fix", "garbage")

  def __init__(self):
    self.server, self.port = None, 0
    self.writers = set()
    self.mood = None
    self.made = []

  async def open(self):
    self.server = await asyncio.start_server(self.serve, "127.0.0.1", self.port)
    self.port = self.server.sockets[0].getsockname()[1]

  def shut(self):
    self.server.close()
    for writer in list(self.writers):
      writer.transport.abort()

  async def serve(self, reader, writer):
    with contextlib.suppress(OSError):
      writer.write(f"{VERSION}\r\n".encode())
      await reader.readline()
      writer.write(f"{WATCH}\r\n".encode())
      self.writers.add(writer)
      while await reader.read(4096):
        pass
    self.writers.discard(writer)
    writer.close()

  @staticmethod
  def latitude(number):
    return round(50 + number * STEP_DEGREES, 7)

  @staticmethod
  def number(latitude):
    """Which fix it is; None where there is no such one."""
    number = round((latitude - 50) / STEP_DEGREES)
    return number if Receiver.latitude(number) == latitude else None

  async def play(self):
    """Reports for ever."""
    number = 0
    while True:
      await asyncio.sleep(1 - time.time() % 1)
      number += 1
      now = time.time()
      line = self.report(number, now)
      if line and self.writers and self.mood is None:
        self.made.append(Fix(number, now))
      for writer in list(self.writers):
        if line:
          writer.write(line.encode() + b"\r\n")

  def report(self, number, now):
    stamp = datetime.datetime.fromtimestamp(round(now), datetime.timezone.utc)
    fields = {"class": "TPV", "device": "/dev/ttyACM0", "time": f"{stamp:%Y-%m-%dT%H:%M:%S.000Z}"}
    if self.mood == "silent":
      return None
    if self.mood == "garbage":
      return '{"class":"TPV","mode":3,"lat":91e99,' + "x" * 80
    if self.mood == "no fix":
      return json.dumps(fields | {"mode": 1})
    return json.dumps(fields | {
      "mode": 3, "lat": self.latitude(number), "lon": 5.0, "alt": 3.0, "speed": SPEED,
      "track": 0.0, "epx": 3.0, "epy": 3.0, "epv": 5.0, "eph": 4.2})

  async def befall(self, mishap, seconds):
    if mishap == "restart":
      self.shut()
      return await self.open()
    if mishap == "down":
      self.shut()
    else:
      self.mood = mishap
    try:
      await asyncio.sleep(seconds)
    finally:
      self.mood = None
      if mishap == "down":
        await self.open()


class Charger:
  """A solar charger at the other end of a cable, which says a block each second."""

  MISHAPS = ("unplugged", "silent", "garbage")

  def __init__(self, path):
    self.path = path
    self.ours = self.theirs = None
    self.mood = None
    self.number = 0
    self.plug_in()

  def plug_in(self):
    self.ours, self.theirs = os.openpty()
    tty.setraw(self.theirs)
    os.set_blocking(self.ours, False)
    os.symlink(os.ttyname(self.theirs), self.path)
    os.close(self.theirs)

  def unplug(self):
    if self.ours is None:
      return
    self.path.unlink()
    os.close(self.ours)
    self.ours = None

  def block(self):
    self.number += 1
    fields = {"PID": "0xA053", "FW": "159", "SER#": "HQ2132QY2KR", "V": "12800", "I": "100",
              "VPV": "18540", "PPV": str(self.number), "CS": "3", "ERR": "0",
              "H19": str(self.number)}
    text = "".join(f"\r\n{label}\t{value}" for label, value in fields.items())
    body = text.encode() + b"\r\nChecksum\t"
    return body + bytes([-sum(body) % 256])

  async def play(self):
    while True:
      await asyncio.sleep(1)
      if self.ours is None or self.mood == "silent":
        continue
      said = b"\x00\xff\r\nV\tmany\r\nChecksum\tx" * 3 if self.mood == "garbage" else self.block()
      # What the agent does not listen to stays in the cable, and is dropped when it is full.
      with contextlib.suppress(OSError):
        os.write(self.ours, said)

  async def befall(self, mishap, seconds):
    if mishap == "unplugged":
      self.unplug()
    else:
      self.mood = mishap
    try:
      await asyncio.sleep(seconds)
    finally:
      self.mood = None
      if self.ours is None:
        self.plug_in()

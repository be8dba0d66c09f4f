"""Takes pictures of the page: pictures.py PRACTICE_HOME FOLDER"""

import base64
import json
import math
import pathlib
import sys
import time

import nacl.secret

from browser import Browser
from practice import Device, PracticeHome

MINUTES = 90


def main(program, folder):
  folder = pathlib.Path(folder)
  folder.mkdir(parents=True, exist_ok=True)
  home = PracticeHome(program)
  browser = Browser()
  try:
    sail(Device(home, "Boat", sealing))
    garden = Device(home, "Garden", sealing)
    garden.sensor(
      "soil", "Soil moisture", 41, device_class="moisture", unit_of_measurement="%")
    for name, width, dark in (
        ("wide", 1280, False), ("dark", 1280, True), ("phone", 390, False),
        ("dark-phone", 390, True), ("readme", 1000, False)):
      browser.open(home.page, width=width, dark=dark)
      if not browser.sees("Garden"):
        sys.exit("pictures: there is nothing to be seen")
      # The graphs are drawn when they have a width.
      time.sleep(1)
      browser.picture(folder / f"{name}.png", height=840 if name == "readme" else None)
  finally:
    browser.quit()
    home.end()


def sealing(secret):
  box = nacl.secret.SecretBox(bytes.fromhex(secret))
  return lambda data: base64.b64encode(box.encrypt(json.dumps(data).encode())).decode()


def position(share):
  turn = 2.2 * math.pi * share
  return (
    52.93 + 0.006 * share + 0.004 * math.sin(turn),
    5.02 + 0.03 * share + 0.003 * math.cos(1.7 * turn))


def sail(boat):
  """A voyage of an hour and a half, most of it told afterwards."""
  end = time.time() - 20
  boat.sensor("house", "House battery", 76, device_class="battery", unit_of_measurement="%")
  boat.sensor("voltage", "House voltage", 12.61, device_class="voltage", unit_of_measurement="V")
  boat.sensor("cabin", "Cabin", 21.4, device_class="temperature", unit_of_measurement="°C")
  boat.sensor("start", "Last start", "2026-11-24T05:12:00+00:00", device_class="timestamp")
  boat.sensor("bilge", "Bilge", False, type="binary_sensor", device_class="moisture")
  sensors = ["house", "voltage", "cabin", "bilge"]
  readings, points = [], []
  for minute in range(MINUTES):
    at, share = end - 60 * (MINUTES - minute), minute / MINUTES
    readings += [
      [at, 0, round(93 - 17 * share - (2 if share > 0.6 else 0))],
      [at, 1, round(12.9 - 0.3 * share + 0.03 * math.sin(minute), 2)],
      [at, 2, round(18 + 3.5 * share + 0.4 * math.sin(minute / 7), 1)]]
    points.append([at, *position(share), 12 + 30 * (minute % 17 == 0), None, 2.5, 40])
  readings += [[end - 4000, 3, False], [end - 2900, 3, True], [end - 2500, 3, False]]
  boat.tell_history(sensors, sorted(readings), points)
  boat.read("house", 75)
  boat.read("water", 3)
  boat.read("water", 3)
  boat.send("update_location", {"gps": [92, 5], "gps_accuracy": 4})
  boat.send("open_hatch", {})
  boat.locate(*position(1), 9, speed=3, course=41, altitude=2.1, battery=75)


if __name__ == "__main__":
  main(*sys.argv[1:])

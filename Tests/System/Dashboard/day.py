"""A day before the board was started, as Home Assistant's recorder would have stored it."""

import contextlib
import math
import sqlite3
import time

STEP_SECONDS = 300
DAY_SECONDS = 24 * 3600


def sun(hour):
  """What the panel brings: nothing in the first 14 hours, which are evening and night."""
  return math.sin((hour - 14) / 10 * math.pi) if hour > 14 else 0


def charge(hour):
  """Percent, down to 62 by the lamps, and up to the 81 that the board reports."""
  return round(92 - hour * 30 / 14 if hour <= 14 else
               62 + 19 * (1 - math.cos((hour - 14) / 10 * math.pi)) / 2)


def voltage(hour):
  return round(12.03 + charge(hour) * 0.01 + sun(hour) * 0.5, 2)


def temperature(hour):
  return round(45.2 + 2 * math.sin((hour - 18) / 12 * math.pi)
               + 0.6 * math.sin(hour * 2.9) * math.sin(hour * 0.8), 1)


def is_wet(hour):
  return "on" if 5.2 <= hour < 5.9 or 17.5 <= hour < 18 else "off"


def is_pumping(hour):
  return "on" if 5.4 <= hour < 6 or 17.7 <= hour < 18.2 else "off"


VALUES = {
  "sensor.boat_house_capacity": charge,
  "sensor.boat_house_voltage": voltage,
  "sensor.boat_processor_temperature": temperature,
  "binary_sensor.boat_bilge": is_wet,
  "binary_sensor.boat_pump": is_pumping,
}


def add(path, now):
  """Writes the day into the database of a Home Assistant that is stopped."""
  with contextlib.closing(sqlite3.connect(path)) as database, database:
    for entity, value in VALUES.items():
      # The attributes are those that the entity has by now.
      metadata, attributes, first = database.execute(
        "SELECT metadata_id, attributes_id, MIN(last_updated_ts) FROM states"
        " JOIN states_meta USING (metadata_id) WHERE states_meta.entity_id = ?"
        " AND state NOT IN ('unavailable', 'unknown')", (entity,)).fetchone()
      last = None
      for seconds in range(0, DAY_SECONDS, STEP_SECONDS):
        when, state = now - DAY_SECONDS + seconds, str(value(seconds / 3600))
        if state != last and when < first:
          database.execute(
            "INSERT INTO states (state, last_updated_ts, metadata_id, attributes_id)"
            " VALUES (?, ?, ?, ?)", (state, when, metadata, attributes))
        last = state

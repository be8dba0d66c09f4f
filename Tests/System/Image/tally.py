"""Counts what a board had taken before its power was cut against what the home received.

Usage: tally.py JOURNAL WITNESS...

JOURNAL is the practice home's. A WITNESS is what one life of the board showed: a line of
`homeward status --json` for each look, with the sensor whose number only goes up. The newest number of a
life may still have been in the agent's hand; the durability `reading` promised each one before it.
"""

import json
import pathlib
import re
import sys


def received(journal):
  """The numbers that came, as history or as a state."""
  values = set()
  for line in journal.read_text().splitlines():
    entry = json.loads(line)
    if entry["event"] == "event_fired" and entry["event_type"] == "homeward_history":
      values |= {value for _, _, value in entry["event_data"]["readings"]}
    elif entry["event"] == "readings":
      values |= {reading["state"] for reading in entry["readings"]}
  return {int(value) for value in values if isinstance(value, (int, float))}


def seen(witness):
  """The numbers that the agent had taken in one life, in their order."""
  numbers = []
  for found in re.finditer(r'"name":"Count","value":(\d+)\.', witness.read_text(errors="replace")):
    if int(found.group(1)) not in numbers:
      numbers.append(int(found.group(1)))
  return numbers


def main():
  journal, *witnesses = map(pathlib.Path, sys.argv[1:])
  came = received(journal)
  made, lost = 0, []
  for witness in witnesses:
    promised = seen(witness)[:-1]
    made += len(promised)
    lost += [number for number in promised if number not in came]
  print(f"         {made} readings of {len(witnesses)} lives seen, {len(lost)} lost")
  if lost:
    print(f"         lost: {lost[:20]}")
  return 1 if lost or not made else 0


sys.exit(main())

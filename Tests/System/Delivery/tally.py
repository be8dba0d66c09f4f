"""Every reading made against every reading received."""

import collections

from agent import CYCLE_SECONDS
from edges import count

# The end of a cycle may be late by this on a busy machine, and by the proof that it waits for.
LATE_SECONDS = 3.5
PLACES_SHOWN = 8


def beyond_promise(agent, lost):
  """The lost edges that the agent's durability promised to keep."""
  if agent.durability == "reading":
    return lost
  if agent.durability == "memory":
    return []
  killed_at = {kill.life: kill.at for kill in agent.kills}
  return [
    edge for edge in lost
    if killed_at.get(edge.life, 0) - edge.at > CYCLE_SECONDS + LATE_SECONDS
    or edge.life not in killed_at]


def place(agent, edge):
  """Which one it is, for a person who looks for it in the logs."""
  kill = next((kill.at for kill in agent.kills if kill.life == edge.life), None)
  before = "its last life" if kill is None else f"{kill - edge.at:.2f} s before its kill"
  siblings = [other for other in agent.line.made if other.life == edge.life]
  return (f"{agent.name} life {edge.life}, edge {siblings.index(edge) + 1} of {len(siblings)},"
          f" {'on' if edge.level else 'off'} at {edge.wall:.3f}, {before}")


def summary(agents, received):
  """For each durability: the numbers of one line of the table."""
  rows = {}
  for agent in agents:
    tally = count(agent, received)
    row = rows.setdefault(agent.durability, collections.Counter())
    per_life = collections.Counter(edge.life for edge in tally.lost)
    row["agents"] += 1
    row["kills"] += len(agent.kills)
    row["made"] += tally.made
    row["live"] += tally.live
    row["history"] += tally.history
    row["doubled"] += tally.doubled
    row["invented"] += tally.invented
    row["lost"] += len(tally.lost)
    row["worst"] = max(row["worst"], max(per_life.values(), default=0))
    beyond = beyond_promise(agent, tally.lost)
    row["beyond"] += len(beyond)
    row["where"] = (row["where"] or []) + [place(agent, edge) for edge in beyond]
  return rows


COLUMNS = ["agents", "kills", "made", "live", "history", "doubled", "lost", "worst", "beyond"]


def table(rows):
  lines = [f"  {'durability':<12}" + "".join(f"{column:>9}" for column in COLUMNS)]
  for durability, row in rows.items():
    lines.append(f"  {durability:<12}" + "".join(f"{row[column]:>9}" for column in COLUMNS))
  return "\n".join(lines)


def complaints(rows):
  """What of the promises does not hold."""
  for durability, row in rows.items():
    if row["beyond"]:
      yield (f"durability {durability}: {row['beyond']} readings were lost that should be kept:"
             f" {'; '.join(row['where'][:PLACES_SHOWN])}")
    if row["invented"]:
      yield f"durability {durability}: {row['invented']} readings came that were never made"
    if row["made"] == 0:
      yield f"durability {durability}: nothing was made, which proves nothing"

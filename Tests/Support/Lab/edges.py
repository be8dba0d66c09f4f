"""Every edge of a line made against every edge received."""

import bisect
from collections import namedtuple

# Edges of the same level are further apart than twice this, and clocks are read one after another.
NEAR_SECONDS = 0.009

Tally = namedtuple("Tally", "made live history doubled invented lost")


def count(agent, received, near=NEAR_SECONDS):
  """Who got what of this agent. `lost` holds the edges that no server got. Edges of the same level
  are further apart than twice `near`."""
  got = received.history[agent.name]
  by_level = {level: sorted(at for at, found in got if found == level) for level in (True, False)}
  used = {True: set(), False: set()}
  rest = []
  for edge in agent.line.made:
    at = nearest(by_level[edge.level], edge.wall, near, used[edge.level])
    if at is None:
      rest.append(edge)
    else:
      used[edge.level].add(at)
  live = shown(agent, received.live[agent.name])
  lost = [edge for edge in rest if edge not in live]
  for edge in agent.line.in_hand:
    at = nearest(by_level[edge.level], edge.wall, near, used[edge.level])
    if at is not None:
      used[edge.level].add(at)
  # Every life begins with the level that it finds.
  strangers = len(got) - sum(map(len, used.values())) - agent.line.life
  return Tally(
    len(agent.line.made), len(rest) - len(lost), len(agent.line.made) - len(rest),
    sum(got.values()) - len(got), max(0, strangers), lost)


def nearest(times, wall, near, used):
  index = bisect.bisect_left(times, wall - near)
  best = None
  while index < len(times) and times[index] <= wall + near:
    at = times[index]
    if at not in used and (best is None or abs(at - wall) < abs(best - wall)):
      best = at
    index += 1
  return best


def shown(agent, live):
  """The edges that were shown as states, which have no time of their own: the last one of that
  level."""
  edges = sorted(agent.line.made + agent.line.in_hand, key=lambda edge: edge.wall)
  times = [edge.wall for edge in edges]
  found = set()
  for came_at, level in live:
    index = bisect.bisect_right(times, came_at) - 1
    if index >= 0 and edges[index].level != level:
      index -= 1
    if index >= 0:
      found.add(edges[index])
  return found

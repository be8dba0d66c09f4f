"""Every reading made against every reading received."""

import bisect
import collections
from collections import namedtuple

from bench import STARTS
from edges import Tally, count as count_edges
from receivers import Receiver

# What is read twice is read again before the next cycle, which is 5 seconds away: the first time
# brought no reading. The thread that reads it again may be busy with a slow device until then.
AGAIN_SECONDS = 4
# A reading has the time of the turn of the loop that made it, which a busy machine and a slow disk
# make long; one that was read in the background, that of the turn that heard of it.
NEAR_SECONDS = 60
# Two clocks that are read one after the other are apart by what another process took meanwhile.
# Edges of the same level are further apart than twice this.
EDGE_NEAR_SECONDS = 1.9
# Before a signal, the loop may have had its last turn of the cycle.
HAND_SECONDS = 2
# Fixes are sent once a cycle; between two that arrived lie so many seconds of a receiver that
# reported all the time.
FIX_GAP_SECONDS = 30
Made = namedtuple("Made", "value at")


class Ledger:
  """What the home got of every board."""

  def __init__(self):
    # Of {board: {unique id: [...]}}: (time, value) of history, (when it came, value) of states.
    self.history = collections.defaultdict(lambda: collections.defaultdict(list))
    self.live = collections.defaultdict(lambda: collections.defaultdict(list))
    # Of {board: [...]}: (when it came, latitude), and (time, latitude).
    self.places = collections.defaultdict(list)
    self.points = collections.defaultdict(list)
    self.registrations = collections.Counter()
    # How much came.
    self.count = 0

  def take(self, entry, at):
    event = entry["event"]
    if event == "event_fired" and entry["event_type"] == "homeward_history":
      self.take_history(entry["event_data"])
    elif event == "readings":
      for reading in entry["readings"]:
        self.take_state(entry["device"], reading["unique_id"], reading["state"], at)
    elif event == "sensor_registered":
      sensor = entry["sensor"]
      self.take_state(entry["device"], sensor["unique_id"], sensor["state"], at)
    elif event == "location":
      self.places[entry["device"]].append((at, entry["location"]["gps"][0]))
      self.count += 1
    elif event == "registration":
      self.registrations[entry["device_name"]] += 1

  def take_state(self, board, unique_id, state, at):
    if isinstance(state, (int, float)):
      self.live[board][unique_id].append((at, state))
      self.count += 1

  def take_history(self, data):
    board = data["device"]
    for at, index, value in data.get("readings", ()):
      if isinstance(value, (int, float)):
        self.history[board][data["sensors"][index]].append((at, value))
        self.count += 1
    columns = data.get("point_columns", ())
    for point in data.get("points", ()):
      place = dict(zip(columns, point))
      self.points[board].append((place["time"], place["latitude"]))
      self.count += 1


class Handed:
  """The readings that a start took from the run before: a thread had read them, and the loop did
  not turn any more."""

  def __init__(self, handovers, starts):
    # Of each start, from when on.
    self.spans = []
    for start in starts:
      for handover in handovers:
        if handover.begin <= start <= handover.end:
          self.spans.append((handover.begin - HAND_SECONDS, start))

  def places(self, made):
    """The last reading of each span."""
    found = set()
    times = [each.at for each in made]
    for begin, end in self.spans:
      place = bisect.bisect_right(times, end) - 1
      if place >= 0 and times[place] >= begin:
        found.add(place)
    return found


class Account:
  """The readings of one sensor: what became of each that was made."""

  def __init__(self, made, history, live, until, is_read_twice=False, handed=Handed((), ())):
    """`made` and the others are in order; what was made after `until` may be on its way."""
    self.made = made
    in_hand = handed.places(made)
    self.promised = {
      place for place, each in enumerate(made)
      if each.at <= until and place not in in_hand
      and not (is_read_twice and self.is_repeated(place))}
    self.history, self.live = history, live
    self.by_value = collections.defaultdict(list)
    for place, each in enumerate(made):
      self.by_value[each.value].append((each.at, place))
    self.places_of_history = [self.place_at(at, value) for at, value in history]
    self.places_of_live = [self.place_before(at, value) for at, value in live]

  def is_repeated(self, place):
    following = self.made[place + 1:place + 2]
    return bool(following) and following[0].at - self.made[place].at < AGAIN_SECONDS

  def place_at(self, at, value):
    """Which reading it is that has this time; None where there is none."""
    found = self.by_value.get(value, ())
    end = bisect.bisect_right(found, (at + NEAR_SECONDS, float("inf")))
    if end and found[end - 1][0] >= at - NEAR_SECONDS:
      return found[end - 1][1]
    return None

  def place_before(self, at, value):
    """The newest reading of this value that was there when it came."""
    found = self.by_value.get(value, ())
    end = bisect.bisect_right(found, (at, float("inf")))
    return found[end - 1][1] if end else None

  def tally(self):
    history = {place for place in self.places_of_history if place is not None}
    live = {place for place in self.places_of_live if place is not None} - history
    lost = [self.made[place] for place in sorted(self.promised - history - live)]
    known = len(self.places_of_history) - self.places_of_history.count(None)
    return Tally(
      len(self.promised), len(live), len(history), known - len(history), len(self.strangers()), lost)

  def strangers(self):
    """What came, and was never made: [(time, value)]."""
    came = [*zip(self.history, self.places_of_history), *zip(self.live, self.places_of_live)]
    return [each for each, place in came if place is None]

  def disorder(self):
    """How many came after one that was made later, but for those that came again."""
    count = 0
    for places in (self.places_of_history, self.places_of_live):
      newest, seen = -1, set()
      for place in places:
        if place is None or place in seen:
          continue
        seen.add(place)
        count += place < newest
        newest = max(newest, place)
    return count


def read_witness(bench):
  """What each meter gave, in the order in which it was read, [[(text, time)]]; and each start of
  the agent, with the descriptors that it was given."""
  readings = collections.defaultdict(list)
  for line in bench.witness.read_text().splitlines():
    number, value, at = line.split()
    readings[int(number)].append((int(value), int(at) / 1e9))
  starts = readings.pop(STARTS, [])
  return [readings[number] for number in range(len(bench.meters))], starts


def accounts(board, ledger, until):
  """{unique id: Account} of the meters of a board."""
  found = {}
  all_readings, starts = read_witness(board.bench)
  handed = Handed(board.reloads.handovers, [at for _, at in starts])
  for meter, readings in zip(board.bench.meters, all_readings):
    made = [Made(rounded(value * meter.factor), at) for value, at in readings]
    pairs = [
      [(at, rounded(value)) for at, value in got[board.name][meter.unique_id]]
      for got in (ledger.history, ledger.live)]
    found[meter.unique_id] = Account(made, *pairs, until, meter.is_read_twice, handed)
  return found, [count for count, _ in starts]


def rounded(value):
  return round(value, 6)


class Edges:
  """What the count of edges asks for: an agent, and what was received of its line."""

  def __init__(self, board, ledger):
    self.name, self.line = board.name, board.line
    got = ledger.history[board.name]["line"]
    self.history = {board.name: collections.Counter(got)}
    self.live = {board.name: ledger.live[board.name]["line"]}


def edges(board, ledger):
  seen = Edges(board, ledger)
  return count_edges(seen, seen, EDGE_NEAR_SECONDS)


class Fixes:
  """What became of the fixes of one board, of which it takes one in a cycle."""

  def __init__(self, made, places, points):
    self.walls = {fix.number: fix.wall for fix in made}
    self.numbers = [fix.number for fix in made]
    got = [Receiver.number(latitude) for _, latitude in places + points]
    self.invented = sum(number not in self.walls for number in got)
    self.got = sorted({number for number in got if number in self.walls})
    self.points = [Receiver.number(latitude) for _, latitude in points]

  def gaps(self, until):
    """Where the receiver reported without a pause, and yet nothing of it arrived: [(first, last)]
    of the fixes that were made."""
    found, arrived = [], set(self.got)
    begin = last = None
    for number in self.numbers:
      if self.walls[number] > until:
        break
      if last is not None and number - last > 1:
        begin = None
      if number in arrived or begin is None:
        begin = number
      elif number - begin == FIX_GAP_SECONDS:
        found.append((begin, number))
      last = number
    return found


def fixes(board, ledger):
  return Fixes(board.receiver.made, ledger.places[board.name], ledger.points[board.name])


# What the charger says of a block, and how it becomes the block's number.
CHARGER = {"ve_direct_solar_panel_power": 1, "ve_direct_solar_yield_total": 100}


def blocks(board, ledger):
  """{unique id: the numbers of the blocks that were received}."""
  return {
    name: [round(value * factor) for got in (ledger.history, ledger.live)
           for _, value in got[board.name][name]]
    for name, factor in CHARGER.items()}

"""What is promised, held against what was seen. Each promise is one that holds or does not."""

from collections import namedtuple

# `why` is empty where it holds.
Promise = namedtuple("Promise", "name why")

# What a cycle may take of a processor while all is well, and over the whole time; and how often the
# loop may wake up. Some four times what Tests/System/Soak/README.md measured: a machine that is
# busy has cold caches, but a loop that turns without a pause takes ten times as much.
Budget = namedtuple("Budget", "calm_milliseconds milliseconds wake_ups")

# The calm moments at the end that are judged: all of them have to be above a limit to break it, as
# the memory of a library may be higher at one of them.
LAST_LOOKS = 3
CALM_DISK_KIB_MAX = 64
# So far around a flood the memory of an agent may be full, and the disk may be left alone.
FLOOD_NEAR_SECONDS = 900
# A trouble is told once, and its end is. Of one mishap several sources may have one each, and the
# home may be another trouble each time it is tried.
LINES_A_MISHAP = 3
LINES_FREE = 20
PLACES_SHOWN = 3


def flat(looks, warm):
  """Memory, descriptors and threads do not grow any more. The memory is what the agent has asked
  the kernel for: pages of that are touched for the first time whenever an outage is longer than all
  before. `warm` is how many looks it took until everything had happened once; as what was rare may
  have missed a board, it is half of the time at least. The allocator asks for a piece more where
  more happens at one time than ever before, and then has it: what leaks grows in both halves of the
  rest. Each start has memory of its own: that of the last one is judged."""
  last = looks[-LAST_LOOKS:]
  data = [look.data for look in last_life(looks)]
  begin = max(warm - (len(looks) - len(data)), len(data) // 2)
  middle = (begin + len(data)) // 2
  grew = growth("", data[:begin], data[begin:middle][-LAST_LOOKS:])
  grows = growth("KiB of memory asked for", data[:middle], data[-LAST_LOOKS:])
  yield Promise("memory is flat", grows if grew else "")
  warm = max(warm, len(looks) // 2)
  kinds = sorted({kind for look in looks for kind in look.descriptors})
  grown = [
    growth(f"descriptors of {kind}", [look.descriptors[kind] for look in looks[:warm]],
           [look.descriptors[kind] for look in last]) for kind in kinds]
  yield Promise("descriptors are constant", "; ".join(filter(None, grown)))
  yield Promise("threads are constant", growth(
    "threads", [look.threads for look in looks[:warm]], [look.threads for look in last]))


def last_life(looks):
  return [look for look in looks if look.started == looks[-1].started]


def growth(name, before, last):
  if min(last) <= max(before):
    return ""
  return f"at the end {min(last)} {name}, and {max(before)} before"


def cheap(looks, budget, seconds, cycles):
  """A processor is used as little as is promised. `seconds` of it in all `cycles`."""
  calm = 1000 * median([look.cpu for look in looks])
  yield Promise("a calm cycle is cheap", above(
    f"{calm:.2f} ms of a processor in a calm cycle", calm, budget.calm_milliseconds))
  every = 1000 * seconds / cycles
  yield Promise("trouble is cheap", above(
    f"{every:.2f} ms of a processor in a cycle, over the whole time", every, budget.milliseconds))
  wakes = median([look.wake_ups for look in looks])
  yield Promise("it sleeps", above(f"{wakes:.1f} wake-ups in a calm cycle", wakes, budget.wake_ups))


def median(values):
  return sorted(values)[len(values) // 2]


def above(words, value, limit):
  return "" if value <= limit else f"{words}, and {limit} is the most"


def quiet(lines, mishaps, disk, peak, disk_max):
  """Log and disk are bounded."""
  most = LINES_FREE + LINES_A_MISHAP * mishaps
  yield Promise("the log is short", above(f"{lines} lines after {mishaps} mishaps", lines, most))
  yield Promise("the spool is bounded", above(f"{peak} KiB on the disk", peak, disk_max))
  yield Promise("the spool is emptied", above(
    f"{disk} KiB on the disk while all is well", disk, CALM_DISK_KIB_MAX))


def accounted(tallies, disorder, told, strangers, floods=()):
  """{sensor: Tally}: every reading arrived or is one of those that the agent `told` as lost, as
  there was no room for it in any of the `floods` [(begin, end)]. `strangers` is
  {sensor: [(time, value)]}, of what came and was never made."""
  missing = {name: tally.lost for name, tally in tallies.items() if tally.lost}
  count = sum(map(len, missing.values()))
  yield Promise("every reading arrived", "" if count <= told else (
    f"{count} readings are lost, and {told} were told: {places(missing)}"))
  needless = {name: outside(lost, floods) for name, lost in missing.items()}
  yield Promise("nothing is lost while there is room", places(needless))
  invented = {name: tally.invented for name, tally in tallies.items() if tally.invented}
  yield Promise("nothing came that was not made", "" if not invented else (
    f"readings that no device made: {words_of(invented)}; {places(strangers)}"))
  mixed = {name: count for name, count in disorder.items() if count}
  yield Promise("readings came in order", "" if not mixed else (
    "readings that came after a newer one: " + words_of(mixed)))
  idle = sorted(name for name, tally in tallies.items() if tally.made == 0)
  yield Promise("every device was read", "" if not idle else "never read: " + ", ".join(idle))


def outside(lost, floods):
  return [each for each in lost if not is_near(when(each), floods)]


def when(lost):
  """Edges have another word for it."""
  return getattr(lost, "wall", lost.at)


def is_near(at, floods):
  return any(begin - FLOOD_NEAR_SECONDS <= at <= end + FLOOD_NEAR_SECONDS for begin, end in floods)


def words_of(counts):
  return ", ".join(f"{name} {count}" for name, count in counts.items())


def places(missing):
  return "; ".join(
    f"{name} {', '.join(str(tuple(each)) for each in lost[:PLACES_SHOWN])}"
    for name, lost in missing.items() if lost)


def tracked(fixes, until, floods=()):
  """Positions: none that no receiver said, and a point of each stretch but in the `floods`."""
  yield Promise("no position came that was not made", above(
    f"{fixes.invented} positions that the receiver never said", fixes.invented, 0))
  gaps = [gap for gap in fixes.gaps(until) if not is_near(fixes.walls[gap[0]], floods)]
  yield Promise("the track has no gap", "" if not gaps else (
    f"nothing arrived of the fixes {', '.join(f'{a} to {b}' for a, b in gaps[:PLACES_SHOWN])}"))
  yield Promise("positions arrived", "" if fixes.got else "not one")


def listened(charger, made):
  """{sensor: [numbers of blocks]} of the charger, which said `made` blocks."""
  wrong = [f"{name} {number}" for name, numbers in charger.items() for number in numbers
           if not 1 <= number <= made]
  yield Promise("the charger is heard right", "" if not wrong else (
    f"of {made} blocks: {', '.join(wrong[:PLACES_SHOWN])}"))
  idle = [name for name, numbers in charger.items() if not numbers]
  yield Promise("the charger is heard", "" if not idle else "never heard: " + ", ".join(idle))


def reloaded(reloads, given):
  """`given` are the descriptors that each start was given: those of the first one, the lock, and
  the configuration as it was judged."""
  yield Promise("reloads do what they should", "; ".join(reloads.wrong[:PLACES_SHOWN]))
  yield Promise("it was reloaded", "" if reloads.taken and reloads.refused else (
    f"{reloads.taken} configurations were taken, {reloads.refused} refused"))
  yield Promise("a reload hands on its lock and its configuration only", above(
    f"{max(given)} descriptors were given to a new start, {given[0]} to the first one",
    max(given), given[0] + 2))


def told(count):
  yield Promise("a full disk is told", "" if count else "not once")


def ended(code):
  yield Promise("it ends when it is asked to", "" if code == 0 else f"it ended with {code}")

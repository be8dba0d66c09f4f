"""The soak's judge and its ledger, held against boards that lose, leak and invent."""

import collections
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Support/Lab"))

import judge  # noqa: E402
from edges import Tally  # noqa: E402
from line import Edge  # noqa: E402
from ledger import Account, Fixes, Handed, Ledger, Made  # noqa: E402
from looks import Look  # noqa: E402
from receivers import Fix, Receiver  # noqa: E402
from reloads import Handover, Reloads  # noqa: E402

CYCLE = 5


def look(**changed):
  same = Look(
    at=0, data=2600, memory=2100, descriptors=collections.Counter({"socket:": 9}), threads=2,
    disk=12, cpu=0.001, wake_ups=8, lines=40, started=1)
  return same._replace(**changed)


def broken(promises):
  return [promise.name for promise in promises if promise.why]


class FlatTests(unittest.TestCase):
  def flat(self, looks, warm=4):
    return broken(judge.flat(looks, warm))

  def test_a_board_that_stays_the_same_keeps_every_promise(self):
    self.assertEqual(self.flat([look()] * 12), [])

  def test_a_kilobyte_in_each_round_is_a_leak(self):
    looks = [look(data=2600 + number) for number in range(12)]
    self.assertEqual(self.flat(looks), ["memory is flat"])

  def test_what_everything_that_happens_once_takes_is_no_leak(self):
    looks = [look(data=2600 + min(number, 4) * 100) for number in range(12)]
    self.assertEqual(self.flat(looks), [])

  def test_a_piece_that_the_allocator_asks_for_once_is_no_leak(self):
    for late in range(6, 12):
      looks = [look(data=2600 + (64 if number >= late else 0)) for number in range(12)]
      self.assertEqual(self.flat(looks), [], f"at look {late}")

  def test_one_moment_with_more_memory_is_no_leak(self):
    looks = [look()] * 11 + [look(data=9000, threads=5)]
    self.assertEqual(self.flat(looks), [])

  def test_a_page_that_is_touched_late_is_no_leak(self):
    self.assertEqual(self.flat([look()] * 8 + [look(memory=2500)] * 4), [])

  def test_one_descriptor_more_is_a_leak(self):
    more = collections.Counter({"socket:": 9, "anon_inode:[eventfd": 1})
    self.assertEqual(
      self.flat([look()] * 8 + [look(descriptors=more)] * 4), ["descriptors are constant"])

  def test_a_thread_that_stays_is_a_leak(self):
    self.assertEqual(self.flat([look()] * 8 + [look(threads=3)] * 4), ["threads are constant"])


  def test_a_reload_begins_with_memory_of_its_own(self):
    looks = [look(data=2000 + 90 * number, started=1) for number in range(6)]
    looks += [look(data=2600, started=2)] * 12
    self.assertEqual(self.flat(looks), [])

  def test_a_leak_of_the_last_life_is_seen_whatever_was_before(self):
    looks = [look(data=9000, started=1)] * 6
    looks += [look(data=2600 + number, started=2) for number in range(12)]
    self.assertEqual(self.flat(looks), ["memory is flat"])


class ReloadTests(unittest.TestCase):
  def reloads(self, **seen):
    reloads = Reloads.__new__(Reloads)
    reloads.taken, reloads.refused, reloads.wrong = 3, 1, []
    vars(reloads).update(seen)
    return reloads

  def test_each_start_has_lock_and_configuration_and_what_the_first_one_had(self):
    self.assertEqual(broken(judge.reloaded(self.reloads(), [3, 5, 5, 5])), [])

  def test_a_descriptor_that_outlives_a_start_is_a_leak(self):
    self.assertEqual(
      broken(judge.reloaded(self.reloads(), [3, 5, 6, 7])),
      ["a reload hands on its lock and its configuration only"])

  def test_a_wrong_configuration_that_was_taken_is_told(self):
    self.assertEqual(
      broken(judge.reloaded(self.reloads(wrong=["it was taken"]), [3, 4])),
      ["reloads do what they should"])

  def test_a_full_disk_that_is_never_told_is_seen(self):
    self.assertEqual(broken(judge.told(1)), [])
    self.assertEqual(broken(judge.told(0)), ["a full disk is told"])

  def test_where_nothing_was_refused_nothing_is_proven(self):
    self.assertEqual(
      broken(judge.reloaded(self.reloads(refused=0), [3, 4])), ["it was reloaded"])


class CheapTests(unittest.TestCase):
  BUDGET = judge.Budget(6, 12, 30)

  def test_a_loop_that_turns_without_a_pause_is_seen(self):
    looks = [look(cpu=0.1, wake_ups=4000)] * 3
    self.assertEqual(
      broken(judge.cheap(looks, self.BUDGET, seconds=100, cycles=1000)),
      ["a calm cycle is cheap", "trouble is cheap", "it sleeps"])

  def test_a_loop_that_turns_in_trouble_only_is_seen(self):
    self.assertEqual(
      broken(judge.cheap([look()], self.BUDGET, seconds=100, cycles=1000)), ["trouble is cheap"])

  def test_a_log_that_repeats_itself_and_a_disk_that_fills_are_seen(self):
    self.assertEqual(
      broken(judge.quiet(lines=400, mishaps=100, disk=900, peak=9000, disk_max=4096)),
      ["the log is short", "the spool is bounded", "the spool is emptied"])
    self.assertEqual(broken(judge.quiet(200, 100, 12, 40, 4096)), [])


class AccountTests(unittest.TestCase):
  made = [Made(value, value * CYCLE) for value in range(1, 9)]

  def account(self, history, live, until=40):
    return Account(self.made, [(n * CYCLE + 0.1, n) for n in history],
                   [(n * CYCLE + 0.2, n) for n in live], until)

  def test_each_reading_arrived_one_way_or_the_other(self):
    tally = self.account([2, 3, 4], [1, 5, 6, 7, 8]).tally()
    self.assertEqual(tally, Tally(8, 5, 3, 0, 0, []))

  def test_a_reading_that_is_left_out_is_lost(self):
    self.assertEqual(self.account([2, 4], [1, 5, 6, 7, 8]).tally().lost, [Made(3, 15)])

  def test_what_was_made_a_moment_ago_may_be_on_its_way(self):
    self.assertEqual(self.account([], [1, 2, 3, 4], until=20).tally().lost, [])

  def test_a_reading_that_comes_twice_is_doubled_and_in_order(self):
    account = self.account([2, 3, 2, 3, 4], [1, 5, 6, 7, 8])
    self.assertEqual(account.tally().doubled, 2)
    self.assertEqual(account.disorder(), 0)

  def test_an_older_reading_behind_a_newer_one_is_out_of_order(self):
    self.assertEqual(self.account([3, 2], [1]).disorder(), 1)

  def test_a_value_that_no_device_had_is_invented(self):
    account = self.account([2, 99], [98])
    self.assertEqual(account.tally().invented, 2)
    self.assertEqual([value for _, value in account.strangers()], [99, 98])

  def test_a_value_with_the_time_of_another_one_is_invented(self):
    account = Account(self.made, [(8 * CYCLE + 61 + 60, 8)], [], 40)
    self.assertEqual(account.tally().invented, 1)

  def test_a_state_cannot_come_before_it_was_measured(self):
    self.assertEqual(Account(self.made, [], [(CYCLE - 1, 1)], 40).tally().invented, 1)

  def test_what_a_search_read_is_not_promised_and_may_come(self):
    made = [Made(1, 5.0), Made(2, 7.8), Made(3, 10.1)]
    self.assertEqual(Account(made, [(5, 2), (10, 3)], [], 40, True).tally().lost, [])
    self.assertEqual(Account(made, [(5, 1), (5, 2), (10, 3)], [], 40, True).tally().invented, 0)
    self.assertEqual(Account(made, [(5, 2), (10, 3)], [], 40).tally().lost, [Made(1, 5.0)])

  def test_what_is_read_twice_is_promised_in_each_cycle(self):
    self.assertEqual(Account(self.made[:2], [(10, 2)], [], 40, True).tally().lost, [Made(1, 5)])

  def test_lost_readings_that_were_told_are_no_broken_promise(self):
    tallies = {"tank": Tally(3, 1, 1, 0, 0, [Made(3, 15)])}
    floods = [(10, 20)]
    self.assertEqual(broken(judge.accounted(tallies, {}, 1, {}, floods)), [])
    self.assertEqual(
      broken(judge.accounted(tallies, {}, 0, {}, floods)), ["every reading arrived"])

  def test_where_there_was_room_nothing_may_be_lost_told_or_not(self):
    tallies = {"tank": Tally(3, 1, 1, 0, 0, [Made(3, 1500)]), "line": Tally(
      3, 2, 0, 0, 0, [Edge(1, True, 1500, 12)])}
    self.assertEqual(broken(judge.accounted(tallies, {}, 2, {}, [(1400, 1600)])), [])
    self.assertEqual(
      broken(judge.accounted(tallies, {}, 2, {}, [(9000, 9600)])),
      ["nothing is lost while there is room"])

  def test_what_a_thread_had_read_when_a_start_ended_the_run_is_not_promised(self):
    handed = Handed([Handover(20, 23)], [1, 22])
    account = Account(self.made, [], [(40, 7)], 40, handed=handed)
    self.assertEqual([made.value for made in account.tally().lost], [1, 2, 3, 5, 6, 8])

  def test_what_was_read_long_before_a_signal_is_promised(self):
    handed = Handed([Handover(23, 24)], [1, 24])
    self.assertEqual(handed.places(self.made), set())
    self.assertEqual(Handed([Handover(21, 24)], [1, 24]).places(self.made), {3})
    self.assertEqual(Handed([Handover(21, 24)], [1, 40]).places(self.made), set())

  def test_a_device_that_is_never_read_proves_nothing(self):
    tallies = {"tank": Tally(0, 0, 0, 0, 0, [])}
    self.assertEqual(broken(judge.accounted(tallies, {}, 0, {})), ["every device was read"])


class LedgerTests(unittest.TestCase):
  def test_history_and_states_are_entered_by_board_and_sensor(self):
    ledger = Ledger()
    ledger.take({"event": "event_fired", "event_type": "homeward_history", "event_data": {
      "device": "Boat", "sensors": ["a", "b"], "readings": [[1.5, 1, 7], [2.5, 0, None]],
      "point_columns": ["time", "latitude"], "points": [[3.5, 50.0]]}}, 9)
    ledger.take({"event": "readings", "device": "Boat", "readings": [
      {"unique_id": "a", "state": 4}, {"unique_id": "b", "state": "unavailable"}]}, 10)
    self.assertEqual(dict(ledger.history["Boat"]), {"b": [(1.5, 7)]})
    self.assertEqual(dict(ledger.live["Boat"]), {"a": [(10, 4)]})
    self.assertEqual(ledger.points["Boat"], [(3.5, 50.0)])
    self.assertEqual(ledger.count, 3)


class FixTests(unittest.TestCase):
  made = [Fix(number, 1000 + number) for number in (*range(1, 101), *range(200, 301))]

  def fixes(self, *numbers):
    return Fixes(self.made, [], [(0, Receiver.latitude(number)) for number in numbers])

  def every_cycle(self):
    return [*range(3, 101, CYCLE), *range(203, 301, CYCLE)]

  def test_a_point_in_each_cycle_has_no_gap_and_neither_has_a_pause_of_the_receiver(self):
    self.assertEqual(self.fixes(*self.every_cycle()).gaps(2000), [])

  def test_a_part_of_the_track_that_is_missing_is_a_gap(self):
    kept = [number for number in self.every_cycle() if not 220 < number < 270]
    self.assertEqual(self.fixes(*kept).gaps(2000), [(218, 248)])

  def test_a_gap_while_there_is_no_room_is_none_of_the_track(self):
    fixes = self.fixes(*[number for number in self.every_cycle() if not 220 < number < 270])
    self.assertEqual(broken(judge.tracked(fixes, 2000, [(1210, 1280)])), [])
    self.assertEqual(broken(judge.tracked(fixes, 2000, [(9000, 9600)])), ["the track has no gap"])

  def test_a_place_where_no_receiver_was_is_invented(self):
    self.assertEqual(self.fixes(150).invented, 1)
    self.assertEqual(Fixes(self.made, [(0, 12.3456789)], []).invented, 1)

  def test_a_block_that_the_charger_never_said_is_invented(self):
    self.assertEqual(broken(judge.listened({"power": [1, 8]}, 7)), ["the charger is heard right"])
    self.assertEqual(broken(judge.listened({"power": []}, 7)), ["the charger is heard"])


if __name__ == "__main__":
  unittest.main()

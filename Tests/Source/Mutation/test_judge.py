"""What becomes of a mutant, told by suites that are a script."""

import pathlib
import tempfile
import time
import unittest

import judge

# Two suites of one target and one of another. A mutant's number says what it does to them.
BUNDLE = """\
#!/bin/sh
case "$*" in *--list-tests*)
  printf '%s\\n' 'NearTests.A/one()' 'NearTests.A/two()' 'NearTests.B/C/three()' 'FarTests.four()' \\
    'OtherTests.D/five()'
  exit ;;
esac
if [ -n "$HOMEWARD_MUTANT_REACH" ]; then
  case "$*" in
    *NearTests*A*) printf '\\000\\003\\003\\003\\001\\000\\003\\003\\003\\003' ;;
    *FarTests*) printf '\\000\\002\\003\\000\\000\\000\\000' ;;
  esac | dd of="$HOMEWARD_MUTANT_REACH" conv=notrunc 2>/dev/null
fi
case "$HOMEWARD_MUTANT $*" in
  "0 "*Broken*) exit 1 ;;
  "1 "*FarTests*) echo '✘ Test four() recorded an issue'; exit 1 ;;
  "2 "*NearTests*) kill -SEGV $$ ;;
  "3 "*) echo '◇ Test one() started.'; echo '◇ Test two() started.'
    echo '✔ Test one() passed after 0.1 seconds.'; exec sleep 60 ;;
  "7 "*) echo '✘ Test one() recorded an issue at A.swift:1:1: no'; exec sleep 60 ;;
  "8 "*) [ -e "$0.slow" ] || { : >"$0.slow"; echo '◇ Test two() started.'; exec sleep 60; } ;;
  "9 "*) for i in 1 2 3 4; do sleep 0.15; echo "◇ Test of $i"; done ;;
  "6 "*) [ -e "$0.failed" ] || { : >"$0.failed"; echo '✘ Test one() failed after 1 s'; exit 1; } ;;
esac
"""


class JudgeTests(unittest.TestCase):
  def setUp(self):
    folder = tempfile.TemporaryDirectory()
    self.addCleanup(folder.cleanup)
    bundle = pathlib.Path(folder.name, ".build/debug/anyPackageTests.xctest")
    bundle.parent.mkdir(parents=True)
    bundle.write_text(BUNDLE)
    bundle.chmod(0o755)
    self.judge = judge.Judge(folder.name, lambda text: None)
    self.suites = self.judge.suites(["NearTests", "FarTests"])

  def verdict(self, number):
    self.judge.baseline(self.suites, 9)
    return self.judge.verdict(number, ["NearTests", "FarTests"])

  def test_suites_are_those_of_the_targets(self):
    self.assertEqual(self.suites, ["FarTests.four()", "NearTests.A/", "NearTests.B/C/"])

  def test_a_mutant_that_only_a_far_suite_notices_is_killed_by_it(self):
    self.assertEqual(self.verdict(1), ("killed", "four()"))

  def test_a_mutant_of_a_program_is_killed_by_a_suite_that_is_not_linked_with_it(self):
    self.judge.baseline(self.suites, 9)
    self.assertEqual(self.judge.verdict(1, ["NearTests"]), ("killed", "four()"))
    self.assertEqual(self.judge.verdict(1, []), ("killed", "four()"))

  def test_a_mutant_that_crashes_is_killed(self):
    self.assertEqual(self.verdict(2), ("killed", "signal 11"))

  def with_short_timeouts(self):
    self.addCleanup(setattr, judge, "PATIENCE_SECONDS", judge.PATIENCE_SECONDS)
    judge.PATIENCE_SECONDS = 0.2

  def test_a_mutant_that_hangs_twice_is_timed_out_by_what_did_not_end(self):
    self.with_short_timeouts()
    self.assertEqual(self.verdict(3), ("timed out", "two() did not end"))

  def test_what_hangs_once_and_not_again_is_no_kill(self):
    self.with_short_timeouts()
    self.assertEqual(self.verdict(8).what, "survived")

  def test_suites_that_say_something_all_the_time_may_take_long(self):
    self.judge.baseline(self.suites, 9)
    self.with_short_timeouts()
    self.assertEqual(self.judge.run(self.suites, 9, 0.3).status, 0)
    self.assertIsNone(self.judge.run(self.suites, 9, 0.05).status)

  def test_what_has_failed_is_not_waited_for(self):
    begin = time.monotonic()
    self.assertEqual(self.verdict(7), ("killed", "one()"))
    self.assertLess(time.monotonic() - begin, 20)

  def test_a_mutant_without_a_difference_survives_without_a_run(self):
    self.assertEqual(self.verdict(4), ("survived", "makes no difference in any test"))
    self.assertEqual(self.verdict(5), ("survived", "no test comes here"))

  def test_what_fails_once_and_not_again_is_no_kill(self):
    self.assertEqual(self.verdict(6), ("survived", "suites that come here: 1"))

  def test_a_suite_that_fails_without_a_mutant_is_left_out(self):
    self.judge.baseline(["NearTests.Broken/", *self.suites], 6)
    self.assertEqual(self.judge.excluded, ["NearTests.Broken/"])
    self.assertNotIn("NearTests.Broken/", self.judge.seconds)


if __name__ == "__main__":
  unittest.main()

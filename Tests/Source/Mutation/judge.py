"""Runs the suites against the mutants."""

import os
import pathlib
import re
import select
import signal
import subprocess
import tempfile
import time
from typing import NamedTuple

FAILED = re.compile(r"^✘ Test \"?(.+?)\"? (?:failed|recorded)", re.MULTILINE)
BEGUN = re.compile(r"^◇ Test \"?(.+?)\"? started", re.MULTILINE)
ENDED = re.compile(r"^[✔✘➜] Test \"?(.+?)\"? (?:passed|failed|skipped|with)", re.MULTILINE)
# So long may suites say nothing: seconds, and times what the longest of them takes.
PATIENCE_SECONDS = 15
PATIENCE = 2
# An endless loop may ask for memory.
MEMORY_KIBIBYTES = 8 << 20


class Verdict(NamedTuple):
  """What became of a mutant: killed, survived, timed out or not compiled; and by what."""

  what: str
  by: str = ""


class Run(NamedTuple):
  """How suites ended: with a status, or None where they said nothing any more."""

  status: int | None
  failed: list[str]
  # The tests that were begun and did not end.
  hanging: list[str]
  seconds: float


class Stopped(Exception):
  """The run is over before its end."""


class Judge:
  def __init__(self, folder, say):
    self.folder, self.say = pathlib.Path(folder), say
    self.bundle = next((self.folder / ".build/debug").glob("*PackageTests.xctest"))
    self.seconds, self.reached, self.excluded = {}, {}, []
    self.running, self.is_stopped = set(), False

  def stop(self):
    """Ends what runs, and lets nothing begin any more."""
    self.is_stopped = True
    for child in list(self.running):
      child.kill()

  def run(self, suites, number, limit, tests=(), reach=None):
    """Runs suites, or only these tests of them, up to the first one that fails."""
    pattern = "^(" + "|".join(re.escape(suite) for suite in suites) + ")"
    if tests:
      pattern += ".*(" + "|".join(re.escape(test.partition("(")[0]) for test in tests) + ")"
    environment = {**os.environ, "HOMEWARD_MUTANT": str(number), "NO_COLOR": "1"}
    environment.setdefault("HOMEWARD_DAYS", "50")
    if reach is not None:
      environment["HOMEWARD_MUTANT_REACH"] = reach
    begin = time.monotonic()
    if self.is_stopped:
      raise Stopped
    child = subprocess.Popen(
      ["sh", "-c", f'ulimit -v {MEMORY_KIBIBYTES}; exec "$@"', "sh",
       self.bundle, "--testing-library", "swift-testing", "--filter", pattern],
      cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
      stderr=subprocess.STDOUT, start_new_session=True)
    self.running.add(child)
    try:
      text, is_hanging = self.read(child.stdout.fileno(), limit)
      failed = FAILED.findall(text)
      # What has failed need not come to its end.
      status = None if is_hanging else 1 if failed else child.wait()
    finally:
      try:
        os.killpg(child.pid, signal.SIGKILL)
      except ProcessLookupError:
        pass
      child.wait()
      child.stdout.close()
      self.running.discard(child)
    if self.is_stopped:
      raise Stopped
    ended = set(ENDED.findall(text))
    hanging = [test for test in BEGUN.findall(text) if test not in ended and "(" in test]
    return Run(status, failed, hanging, time.monotonic() - begin)

  def read(self, pipe, limit):
    """What is said up to the first failure or the end, and whether it said nothing for so long."""
    said, line = bytearray(), 0
    while select.select([pipe], [], [], limit)[0]:
      chunk = os.read(pipe, 1 << 16)
      said += chunk
      if not chunk or FAILED.search(said[line:].decode(errors="replace")):
        return said.decode(errors="replace"), False
      line = said.rfind(b"\n") + 1
    return said.decode(errors="replace"), True

  def suites(self, tests):
    """The suites of test targets, as the beginning of the names of their tests."""
    listed = subprocess.run(
      [self.bundle, "--testing-library", "swift-testing", "--list-tests"], cwd=self.folder,
      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = set()
    for line in listed.split("\n"):
      target, _, rest = line.partition(".")
      if target in tests:
        found.add(f"{target}.{rest.rpartition('/')[0]}/" if "/" in rest else line)
    return sorted(found)

  def baseline(self, suites, mutants):
    """Runs each suite without a mutant: how long it takes, and which mutants it reaches."""
    for index, suite in enumerate(suites, 1):
      self.say(f"without a mutant: suite {index} of {len(suites)}, {suite}")
      with tempfile.NamedTemporaryFile() as reach:
        reach.write(bytes(mutants + 1))
        reach.flush()
        run = self.run([suite], 0, 600, reach=reach.name)
        if run.status != 0:
          self.excluded.append(suite)
          continue
        reach.seek(0)
        self.seconds[suite], self.reached[suite] = run.seconds, reach.read()

  def suites_that_reach(self, number, least=2):
    """Those in which a mutant makes a difference (2), or is reached at all (1)."""
    return [suite for suite, reach in self.reached.items() if reach[number] & least]

  def verdict(self, number, tests):
    """Runs the suites that may notice, those of one test target after those of the other."""
    noticing = self.suites_that_reach(number)
    if not noticing:
      return Verdict(
        "survived",
        "makes no difference in any test" if self.suites_that_reach(number, 1)
        else "no test comes here")
    # A suite may come here without being linked with the module: it starts a program.
    others = sorted({suite.partition(".")[0] for suite in noticing} - set(tests))
    for target in [*tests, *others]:
      here = [suite for suite in noticing if suite.startswith(f"{target}.")]
      if here:
        found = self.notice(number, here)
        if found is not None:
          return found
    return Verdict("survived", f"suites that come here: {len(noticing)}")

  def notice(self, number, suites):
    """Runs suites, and what fails or hangs there once more: a kill by chance is none."""
    limit = PATIENCE_SECONDS + PATIENCE * max(self.seconds[suite] for suite in suites)
    first = self.run(suites, number, limit)
    if first.status == 0:
      return None
    # Some of them are enough, and a command line is not endless.
    tests = sorted(set(first.failed or first.hanging))[:20]
    again = self.run(suites, number, limit, tests=tests)
    if again.status == 0:
      return None
    if again.status is None:
      return Verdict("timed out", f"{', '.join(again.hanging[:2]) or 'no test'} did not end")
    ended = f"signal {-again.status}" if again.status < 0 else f"status {again.status}"
    return Verdict("killed", again.failed[0] if again.failed else ended)

"""Runs the suites against the mutants."""

import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time
from typing import NamedTuple

FAILED = re.compile(r"^✘ Test \"?(.+?)\"? (?:failed|recorded)", re.MULTILINE)
PATIENCE = 4
PATIENCE_SECONDS = 15


class Verdict(NamedTuple):
  """What became of a mutant: killed, survived, timed out or not compiled; and by what."""

  what: str
  by: str = ""


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
    """Runs suites, or only these tests of them. Returns how it ended, the output, the seconds."""
    pattern = "^(" + "|".join(re.escape(suite) for suite in suites) + ")"
    if tests:
      pattern += ".*(" + "|".join(re.escape(test.partition("(")[0]) for test in tests) + ")"
    environment = {**os.environ, "HOMEWARD_MUTANT": str(number)}
    environment.setdefault("HOMEWARD_DAYS", "50")
    if reach is not None:
      environment["HOMEWARD_MUTANT_REACH"] = reach
    begin = time.monotonic()
    with tempfile.TemporaryFile() as output:
      child = subprocess.Popen(
        [self.bundle, "--testing-library", "swift-testing", "--filter", pattern],
        cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, stdout=output,
        stderr=subprocess.STDOUT, start_new_session=True)
      self.running.add(child)
      try:
        status = child.wait(0.1 if self.is_stopped else limit)
      except subprocess.TimeoutExpired:
        status = None
      finally:
        try:
          os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
          pass
        child.wait()
        self.running.discard(child)
      if self.is_stopped:
        raise Stopped
      output.seek(0)
      text = output.read().decode(errors="replace")
    return status, text, time.monotonic() - begin

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
        status, text, seconds = self.run([suite], 0, 600, reach=reach.name)
        if status != 0:
          self.excluded.append(suite)
          continue
        reach.seek(0)
        self.seconds[suite], self.reached[suite] = seconds, reach.read()

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
    for target in tests:
      here = [suite for suite in noticing if suite.startswith(f"{target}.")]
      if here:
        found = self.notice(number, here)
        if found is not None:
          return found
    return Verdict("survived", f"suites that come here: {len(noticing)}")

  def notice(self, number, suites):
    """Runs suites, and those that fail once more: a kill by chance is none."""
    limit = PATIENCE_SECONDS + PATIENCE * sum(self.seconds[suite] for suite in suites)
    status, text, _ = self.run(suites, number, limit)
    failed = FAILED.findall(text)
    if status not in (0, None):
      # Some of them are enough, and a command line is not endless.
      status, text, _ = self.run(suites, number, limit, tests=sorted(set(failed))[:20])
      failed = FAILED.findall(text)
    if status == 0:
      return None
    if status is None:
      return Verdict("timed out", f"more than {limit:.0f} s")
    ended = f"signal {-status}" if status < 0 else f"status {status}"
    return Verdict("killed", failed[0] if failed else ended)

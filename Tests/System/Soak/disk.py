"""The disk of one board: a small one of its own, which gets full, and has room again."""

import asyncio
import contextlib
import errno
import os
import shutil
import subprocess
import time

# More than the agent may take of it, and little enough to be filled in no time.
MEBIBYTES, FILES = 6, 100
PAGE_BYTES = 4096
# "nearly full": a batch begins, and does not go on.
PAGES_LEFT = 1
# Much longer than what fits into the agent's memory takes to come in, without any way out.
FLOOD_SECONDS = 600
# A disk is not read-only while a file is written.
ATTEMPTS_MAX = 20


class Disk:
  """A file system in memory, which goes with the mount namespace of the soak."""

  FLOOD = "flood"
  MISHAPS = ("full", "nearly full", "no more files", "read-only", FLOOD)

  def __init__(self, folder, way):
    self.folder, self.way = folder, way
    self.ballast = folder / "ballast"
    # When there was room neither on the disk nor, in the end, in memory: [(begin, end)].
    self.floods = []
    self.is_flooded = False

  def mount(self):
    self.folder.mkdir()
    self.run("mount", "-t", "tmpfs", "-o", f"size={MEBIBYTES}m,nr_inodes={FILES},mode=755",
             "tmpfs", self.folder)

  def leave(self, copy):
    """Leaves what is on it at `copy`."""
    with contextlib.suppress(OSError, shutil.Error):
      shutil.copytree(self.folder / copy.name, copy)
    self.run("umount", "--lazy", self.folder)

  @staticmethod
  def run(*command):
    return subprocess.run(command, check=False, stderr=subprocess.DEVNULL).returncode == 0

  def fill(self, pages_left=0):
    file = os.open(self.ballast, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    with contextlib.suppress(OSError):
      while os.write(file, bytes(PAGE_BYTES)):
        pass
    os.ftruncate(file, max(0, os.fstat(file).st_size - pages_left * PAGE_BYTES))
    os.close(file)

  def take_all_files(self):
    """Makes files until there are no more to be had."""
    for number in range(FILES):
      try:
        (self.folder / f"ballast{number}").touch()
      except OSError as error:
        if error.errno != errno.ENOSPC:
          raise
        return

  def make_room(self):
    for path in self.folder.glob("ballast*"):
      path.unlink()

  async def forbid(self):
    for _ in range(ATTEMPTS_MAX):
      if self.run("mount", "-o", "remount,ro", self.folder):
        return
      await asyncio.sleep(1)

  async def befall(self, mishap, seconds):
    begin = time.time()
    if mishap == "no more files":
      self.take_all_files()
    elif mishap == "read-only":
      await self.forbid()
    else:
      self.fill(PAGES_LEFT if mishap == "nearly full" else 0)
    try:
      if mishap == self.FLOOD:
        self.is_flooded = True
        await self.way.befall("refused", FLOOD_SECONDS)
      else:
        await asyncio.sleep(seconds)
    finally:
      if mishap == "read-only":
        self.run("mount", "-o", "remount,rw", self.folder)
      self.make_room()
      if mishap == self.FLOOD:
        self.is_flooded = False
        self.floods.append((begin, time.time()))

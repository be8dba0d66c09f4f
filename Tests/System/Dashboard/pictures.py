"""Takes pictures of the dashboard: pictures.py BOARD FOLDER"""

import pathlib
import subprocess
import sys
import time

import day
from dashboard import ROOT, Board, Dashboard

# A person who sees the map wants to see a track.
DRIVING_SECONDS = 60


def give_a_day(board):
  """A person who sees the graphs wants to see a day, and the board has just been started."""
  def home_assistant(command):
    subprocess.run([ROOT / "deploy/lab/home-assistant", command, board.folder / "home"], check=True)

  home_assistant("stop")
  day.add(board.folder / "home/config/home-assistant_v2.db", time.time())
  home_assistant("start")


def main(board, folder):
  folder = pathlib.Path(folder)
  folder.mkdir(parents=True, exist_ok=True)
  board = Board(board)
  page = Dashboard(board)
  try:
    page.show()
    if not page.comes(lambda: "House battery" in page.texts()):
      sys.exit("pictures: there is nothing to be seen")
    page.press("Anchor is down")
    time.sleep(DRIVING_SECONDS)
    give_a_day(board)
    for name, width, dark in (
        ("wide", 1280, False), ("dark", 1280, True), ("phone", 390, False),
        ("readme", 1100, False)):
      page.show(width=width, dark=dark)
      # Graphs and maps are drawn when they have a width.
      time.sleep(5)
      page.picture(folder / f"{name}.png", height=836 if name == "readme" else None)
  finally:
    page.quit()


if __name__ == "__main__":
  main(*sys.argv[1:])

"""Takes pictures of the dashboard: pictures.py BOARD FOLDER"""

import pathlib
import sys
import time

from dashboard import Board, Dashboard

# A person who sees the map wants to see a track.
DRIVING_SECONDS = 60


def main(board, folder):
  folder = pathlib.Path(folder)
  folder.mkdir(parents=True, exist_ok=True)
  page = Dashboard(Board(board))
  try:
    page.show()
    if not page.comes(lambda: "House battery" in page.texts()):
      sys.exit("pictures: there is nothing to be seen")
    page.press("Anchor is down")
    time.sleep(DRIVING_SECONDS)
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

"""hold.py TREES FILE...: holds board files against the device trees below a folder.

Prints a line for each board, and what of it no tree says. Exits with 0 when all is right, 1 when
something is wrong (lines WRONG), 64 (usage), 65 (a file that cannot be read).
"""

import pathlib
import sys

sys.dont_write_bytecode = True
import boards
import devicetree
import yaml

EX_USAGE, EX_DATAERR = 64, 65


def main(arguments):
  if len(arguments) < 2:
    print(__doc__.strip(), file=sys.stderr)
    return EX_USAGE
  try:
    read = [read_board(pathlib.Path(file)) for file in arguments[1:]]
    compatible = {text for board in read for text in board.compatible}
    trees = boards.read_trees(pathlib.Path(arguments[0]), compatible)
  except (OSError, KeyError, ValueError, yaml.YAMLError, devicetree.Malformed) as error:
    print(f"WRONG: a file cannot be read: {error!r}")
    return EX_DATAERR
  return max([show(board, boards.hold(board, trees)) for board in read])


def read_board(file):
  return boards.Board(file.stem, yaml.safe_load(file.read_text()))


def show(board, verdict):
  wrong = boards.hold_itself(board) + verdict.wrong
  print(f"{board.name}: {verdict.trees} device trees, {len(verdict.held)} of {len(board.lines)} "
        f"lines held against their names")
  for reason in verdict.unchecked:
    print(f"  not checked: {reason}")
  for reason in dict.fromkeys(wrong):
    print(f"WRONG {board.name}: {reason}")
  return 1 if wrong else 0


if __name__ == "__main__":
  sys.exit(main(sys.argv[1:]))

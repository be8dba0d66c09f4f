"""Holds board files against device trees."""

import collections
import dataclasses

import controllers
import devicetree

Line = collections.namedtuple("Line", "chip offset")


@dataclasses.dataclass
class Pin:
  """A pin of a header; `line` is None where it is no GPIO line."""
  header: str
  number: int
  names: list
  line: Line
  function: str

  def __str__(self):
    return f"{self.header} pin {self.number} ({self.names[0]})"


class Board:
  """What a board file says, as a document that was read with a YAML library."""

  def __init__(self, name, document):
    self.name, self.compatible = name, document["compatible"]
    self.chips = {chip["name"]: chip.get("labels", []) for chip in document["chips"]}
    self.functions = {function["name"]: function["nodes"]
                      for function in document.get("functions", [])}
    self.pins = [pin(header["name"], entry) for header in document["headers"]
                 for entry in header["pins"]]

  @property
  def lines(self):
    return [pin for pin in self.pins if pin.line]


def pin(header, entry):
  line = None
  if "line" in entry:
    chip, _, offset = entry["line"].rpartition("/")
    line = Line(chip, int(offset))
  names = [str(entry["name"])] + [str(name) for name in entry.get("also", [])]
  return Pin(header, entry["pin"], names, line, entry.get("function"))


class Verdict:
  """What came of holding one board against the trees: `wrong` is what is wrong, `unchecked` what
  no tree says, `held` how many pins were held against the names of lines, `trees` how many trees
  are of this board."""

  def __init__(self):
    self.wrong, self.unchecked, self.held, self.trees = [], [], set(), 0


def hold(board, trees):
  """Holds a board against all the trees that are its own: pairs of a name and a root."""
  verdict = Verdict()
  seen = set()
  nodes, chips = set(), set()
  for name, root in trees:
    known = [text for text in board.compatible if text in root.texts("compatible")]
    if not known:
      continue
    seen.update(known)
    verdict.trees += 1
    nodes |= hold_functions(board, root, name, verdict)
    chips |= hold_chips(board, root, name, verdict)
  if not seen:
    verdict.unchecked.append("no kernel has a device tree for it")
    return verdict
  verdict.unchecked += [f"no kernel has a device tree for {text}"
                        for text in board.compatible if text not in seen]
  verdict.unchecked += [f"no device tree has the node of {name}"
                        for name in board.functions if name not in nodes]
  verdict.unchecked += [f"no device tree has chip {chip}"
                        for chip in board.chips if chip not in chips]
  if not verdict.held:
    verdict.unchecked.append("no device tree names its lines; only chips and numbers were held")
  return verdict


def hold_chips(board, root, tree, verdict):
  """The chips that are controllers of the tree; each line is on one."""
  found = {}
  known = controllers.controllers(root)
  for chip, labels in board.chips.items():
    matches = [one for one in known if one.label in labels] if labels else [
      one for one in known if one.label is None and f"gpio{one.number}" == chip]
    if len(matches) == 1:
      found[chip] = matches[0]
    elif tree_has_chips(root):
      verdict.wrong.append(f"{tree}: chip {chip} ({', '.join(labels)}): {len(matches)} of the "
                           f"{len(known)} known controllers are it")
  for pin in board.lines:
    if pin.line.chip in found:
      hold_line(pin, found[pin.line.chip], tree, verdict)
    elif pin.line.chip not in board.chips:
      verdict.wrong.append(f"{pin}: there is no chip {pin.line.chip}")
  hold_other_lines(board, found, tree, verdict)
  return set(found)


def tree_has_chips(root):
  """Whether any controller of the processor itself is there: of the Raspberry Pi 5, the trees of
  some kernels lack the chip that has its GPIO lines."""
  return "brcm,bcm2712" not in root.texts("compatible")


def hold_line(pin, controller, tree, verdict):
  if not 0 <= pin.line.offset < controller.line_count:
    verdict.wrong.append(
      f"{tree}: {pin}: {pin.line.chip} has {controller.line_count} lines, no {pin.line.offset}")
    return
  for name in pin.names:
    offset = controller.offset_of(name)
    if offset is not None and offset != pin.line.offset:
      verdict.wrong.append(f"{tree}: {pin}: {name} is not line {pin.line.offset} of "
                           f"{pin.line.chip}" + (f", but {offset}" if offset >= 0 else ""))
  if pin.line.offset >= len(controller.names):
    return
  name = controller.names[pin.line.offset]
  # One that two lines have finds neither of them with certainty.
  if name in ("", "NC") or controller.names.count(name) > 1:
    return
  verdict.held.add((pin.header, pin.number))
  if name not in pin.names:
    verdict.wrong.append(f"{tree}: {pin}: the kernel calls line {pin.line.offset} of "
                         f"{pin.line.chip} \"{name}\"")


def hold_other_lines(board, found, tree, verdict):
  """No name of a pin is the kernel's name of another line: that one would be taken."""
  for pin in board.lines:
    for chip, controller in found.items():
      for offset, name in enumerate(controller.names):
        if name in pin.names and (chip, offset) != pin.line:
          verdict.wrong.append(f"{tree}: {pin}: \"{name}\" is also line {offset} of {chip}")


def hold_functions(board, root, tree, verdict):
  """The names of the functions whose nodes the tree has. What an enabled one takes is what the
  board file says it takes."""
  there = set()
  for function, paths in board.functions.items():
    device = next((node for node in map(root.find, paths) if node), None)
    if device is None:
      continue
    there.add(function)
    lines = controllers.pins_of(device, root) if device.is_enabled else None
    for pin in board.lines:
      if lines and pin.function and pin.function.split()[0] == function:
        labels = board.chips[pin.line.chip]
        if not {(None, pin.line.offset), *((label, pin.line.offset) for label in labels)} & lines:
          verdict.wrong.append(f"{tree}: {pin}: {function} is enabled, and takes other lines")
  return there


def hold_itself(board):
  """What is wrong with a board file by itself."""
  wrong = []
  for header in dict.fromkeys(pin.header for pin in board.pins):
    numbers = [pin.number for pin in board.pins if pin.header == header]
    if numbers != list(range(1, len(numbers) + 1)):
      wrong.append(f"{header}: the pins are not 1 to {len(numbers)}, each once and in this order")
  for pin in board.lines:
    if pin.function and pin.function.split()[0] not in board.functions:
      wrong.append(f"{pin}: there is no function {pin.function.split()[0]}")
  return wrong


def read_trees(folder, compatible):
  """The trees below a folder that are of one of some boards: pairs of a name and a root."""
  trees = []
  for path in sorted(folder.rglob("*.dtb")):
    blob = path.read_bytes()
    if any(text.encode() + b"\0" in blob for text in compatible):
      trees.append((f"{path.relative_to(folder).parts[0]}/{path.name}", devicetree.parse(blob)))
  return trees

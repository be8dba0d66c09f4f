"""What the kernel's drivers make of the GPIO controllers of a device tree.

A tree does not say what a chip is called, how many lines it has, and which pin of the processor is
which line: the drivers do. What is here was read in their source, and is held against no kernel.
"""

import re


class Controller:
  """A GPIO controller: `label` is what the kernel calls its chip, None where that is not constant;
  `offset_of` says which line a name of the processor's own manual is, None where it says nothing."""

  def __init__(self, node, label, line_count, offset_of=lambda name: None):
    self.node, self.label, self.line_count, self.offset_of = node, label, line_count, offset_of
    self.names = [name[:NAME_BYTES_MAX] for name in node.texts("gpio-line-names")]


# GPIO_MAX_NAME_SIZE of linux/gpio.h, without the NUL.
NAME_BYTES_MAX = 31


def controllers(root):
  """Those of a tree whose driver is known here."""
  aliases = root.find("/aliases")
  found = []
  for node in root.walk():
    if "gpio-controller" not in node.properties:
      continue
    makers = [maker for name, maker in DRIVERS.items() if name in compatible(node)]
    if makers:
      found.append(makers[0](node, aliases, len(found)))
  return found


def compatible(node):
  """That of a node, or of its parent where it has none: Amlogic's banks."""
  return node.texts("compatible") or node.parent.texts("compatible")


def broadcom(label, line_count):
  def make(node, _aliases, _index):
    return Controller(node, label, line_count, numbered(r"GPIO(\d+)"))
  return make


def rockchip(node, aliases, index):
  """The banks are counted by their aliases, or by the order of their nodes."""
  names = [name for name in aliases.properties if re.fullmatch(r"gpio\d", name)
           and aliases.texts(name) == [node.path]] if aliases else []
  label = names[0] if names else f"gpio{index}"

  def offset_of(name):
    match = re.fullmatch(r"GPIO(\d)_([A-D])([0-7])", name)
    if not match:
      return None
    return (int(match[2], 16) - 10) * 8 + int(match[3]) if match[1] == label[-1] else ELSEWHERE
  return Controller(node, label, 32, offset_of)


def allwinner(line_count, first_port):
  def make(node, _aliases, _index):
    def offset_of(name):
      match = re.fullmatch(r"P([A-M])(\d+)", name)
      return (ord(match[1]) - ord(first_port)) * 32 + int(match[2]) if match else None
    return Controller(node, f"{node.name.split('@')[1]}.pinctrl", line_count, offset_of)
  return make


def amlogic(label, banks):
  """The lines of the banks follow one another."""
  def make(node, _aliases, _index):
    def offset_of(name):
      match = re.fullmatch(r"([A-Z]+)_(\d+)", name)
      if not match or match[1] not in dict(BANKS_OF_AMLOGIC):
        return None
      first = 0
      for bank, count in banks:
        if bank == match[1]:
          return first + int(match[2])
        first += count
      return ELSEWHERE
    return Controller(node, label, node.cells("gpio-ranges")[3], offset_of)
  return make


def texas_instruments(node, _aliases, _index):
  """gpio-omap.c counts the lines of all chips as they are found: no label is certain."""
  number = {"44c00000/segment@200000/target-module@7000": 0,
            "48000000/segment@0/target-module@4c000": 1,
            "48000000/segment@100000/target-module@ac000": 2,
            "48000000/segment@100000/target-module@ae000": 3}.get(
              node.parent.path.partition("interconnect@")[2])

  def offset_of(name):
    match = re.fullmatch(r"GPIO(\d)_(\d+)", name)
    if not match:
      return None
    return int(match[2]) if int(match[1]) == number else ELSEWHERE
  controller = Controller(node, None, 32, offset_of)
  controller.number = number
  return controller


def numbered(pattern):
  def offset_of(name):
    match = re.fullmatch(pattern, name)
    return int(match[1]) if match else None
  return offset_of


# The name is of another chip.
ELSEWHERE = -1

G12A = [("GPIOZ", 16), ("GPIOH", 9), ("BOOT", 16), ("GPIOC", 8), ("GPIOA", 16), ("GPIOX", 20)]
G12A_AO = [("GPIOAO", 12), ("GPIOE", 3)]
GXL = [("GPIOZ", 16), ("GPIOH", 10), ("BOOT", 16), ("CARD", 7), ("GPIODV", 30), ("GPIOX", 19),
       ("GPIOCLK", 2)]
GXL_AO = [("GPIOAO", 10)]
BANKS_OF_AMLOGIC = G12A + G12A_AO + GXL + GXL_AO

# By the first `compatible` that a driver knows; the files are those of the kernel, in drivers/.
DRIVERS = {
  "brcm,bcm2711-gpio": broadcom("pinctrl-bcm2711", 58),  # pinctrl/bcm/pinctrl-bcm2835.c
  "brcm,bcm2835-gpio": broadcom("pinctrl-bcm2835", 54),
  "raspberrypi,rp1-gpio": broadcom("pinctrl-rp1", 54),  # pinctrl/pinctrl-rp1.c
  "rockchip,gpio-bank": rockchip,  # gpio/gpio-rockchip.c, pinctrl/pinctrl-rockchip.c
  "allwinner,sun50i-h616-pinctrl": allwinner(288, "A"),  # pinctrl/sunxi/pinctrl-sun50i-h616.c
  "allwinner,sun50i-h616-r-pinctrl": allwinner(32, "L"),
  "amlogic,meson-g12a-periphs-pinctrl": amlogic("periphs-banks", G12A),  # pinctrl/meson
  "amlogic,meson-g12a-aobus-pinctrl": amlogic("aobus-banks", G12A_AO),
  "amlogic,meson-gxl-periphs-pinctrl": amlogic("periphs-banks", GXL),
  "amlogic,meson-gxl-aobus-pinctrl": amlogic("aobus-banks", GXL_AO),
  "ti,omap4-gpio": texas_instruments,  # gpio/gpio-omap.c
}


def pins_of(device, root):
  """The lines that an enabled device takes by its `pinctrl-0`, each (controller's label, offset);
  None where the tree does not say it in a form that is known here."""
  phandles = {node.cells("phandle")[0]: node for node in root.walk() if node.cells("phandle")}
  groups = [phandles.get(phandle) for phandle in device.cells("pinctrl-0")]
  lines = set()
  for group in (node for group in groups if group for node in group.walk()):
    for offset in group.cells("brcm,pins"):
      lines.add((None, offset))
    pins = group.cells("rockchip,pins")
    lines.update((f"gpio{bank}", offset) for bank, offset in zip(pins[::4], pins[1::4]))
    for pin in group.texts("pins"):
      if match := re.fullmatch(r"P([A-K])(\d+)", pin):
        lines.add((None, (ord(match[1]) - ord("A")) * 32 + int(match[2])))
      elif match := re.fullmatch(r"gpio(\d+)", pin):
        lines.add((None, int(match[1])))
  return lines or None

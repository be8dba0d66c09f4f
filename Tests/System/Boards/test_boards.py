"""Each mistake that a board file can make, against a tree of a few nodes."""

import struct
import unittest

import boards
import controllers
import devicetree

NAMES = ["ID_SDA", "ID_SCL", "SDA1", "SCL1", "GPIO_GCLK", "GPIO5"]


def node(name, parent=None, **properties):
  made = devicetree.Node(name, parent)
  if parent:
    parent.children.append(made)
  for key, value in properties.items():
    made.properties[key.replace("_", "-")] = value
  return made


def texts(*values):
  return b"".join(value.encode() + b"\0" for value in values)


def cells(*values):
  return struct.pack(f">{len(values)}I", *values)


def pi(names=NAMES, i2c="okay", i2c_pins=(2, 3)):
  """A Raspberry Pi with an I2C controller."""
  root = node("", compatible=texts("raspberrypi,4-model-b", "brcm,bcm2711"))
  soc = node("soc", root)
  gpio = node("gpio@7e200000", soc, compatible=texts("brcm,bcm2711-gpio"), gpio_controller=b"",
              gpio_line_names=texts(*names))
  group = node("i2c1_gpio2", gpio, phandle=cells(7))
  group.properties["brcm,pins"] = cells(*i2c_pins)
  controller = node("i2c@7e804000", soc, status=texts(i2c))
  controller.properties["pinctrl-0"] = cells(7)
  return root


def rock(alias=True):
  root = node("", compatible=texts("pine64,rock64"))
  if alias:
    node("aliases", root, gpio2=texts("/gpio@ff230000"))
  node("gpio@ff230000", root, compatible=texts("rockchip,gpio-bank"), gpio_controller=b"")
  return root


def board(*pins, compatible="raspberrypi,4-model-b", labels=("pinctrl-bcm2711",), chip="gpio",
          functions=()):
  return boards.Board("a-board", {
    "compatible": [compatible], "chips": [{"name": chip, "labels": list(labels)}],
    "functions": list(functions), "headers": [{"name": "J8", "pins": list(pins)}]})


def pin(name="GPIO5", line="gpio/5", number=1, **more):
  return {"pin": number, "name": name, "line": line, **more}


I2C = {"name": "i2c1", "nodes": ["/soc/i2c@7e804000"]}


class HeldAgainstTrees(unittest.TestCase):

  def wrong(self, held, *trees):
    return boards.hold(held, [("tree", tree) for tree in trees or (pi(),)]).wrong

  def assertWrong(self, found, *words):
    self.assertEqual(len(found), 1, found)
    for word in words:
      self.assertIn(word, found[0])

  def test_a_right_pin_is_held_against_the_name_of_its_line(self):
    verdict = boards.hold(board(pin("GPIO3", "gpio/3", also=["SCL1"])), [("tree", pi())])
    self.assertEqual((verdict.wrong, verdict.unchecked, verdict.held, verdict.trees),
                     ([], [], {("J8", 1)}, 1))

  def test_a_line_that_the_kernel_calls_otherwise_is_wrong(self):
    self.assertWrong(self.wrong(board(pin("GPIO3", "gpio/3"))), "pin 1", "line 3", '"SCL1"')

  def test_the_number_of_another_line_is_wrong(self):
    found = self.wrong(board(pin("GPIO5", "gpio/4")))
    self.assertTrue(any("GPIO5 is not line 4 of gpio, but 5" in reason for reason in found), found)

  def test_the_number_of_another_line_is_wrong_where_no_line_has_a_name(self):
    self.assertWrong(self.wrong(board(pin("GPIO5", "gpio/4")), pi(names=[])), "but 5")

  def test_a_name_of_another_line_is_wrong(self):
    self.assertWrong(self.wrong(board(pin("GPIO5", "gpio/5", also=["SDA1"]))), "also line 2")

  def test_a_name_that_two_lines_have_is_not_asked_for(self):
    twice = NAMES[:5] + ["SDA1"]
    self.assertEqual(self.wrong(board(pin("GPIO5", "gpio/5")), pi(names=twice)), [])

  def test_a_name_is_as_long_as_the_kernels_interface_has_room(self):
    long = "X" * 40
    self.assertEqual(
      self.wrong(board(pin("GPIO5", also=["X" * 31])), pi(names=NAMES[:5] + [long])), [])

  def test_a_line_behind_the_last_one_is_wrong(self):
    self.assertWrong(self.wrong(board(pin("LATE", "gpio/58"))), "58 lines, no 58")
    self.assertEqual(self.wrong(board(pin("LAST", "gpio/57"))), [])

  def test_a_chip_that_no_driver_calls_so_is_wrong(self):
    self.assertWrong(self.wrong(board(labels=["pinctrl-bcm2835"])), "chip gpio", "0 of the 1")

  def test_a_line_of_no_chip_is_wrong(self):
    self.assertWrong(self.wrong(board(pin("OTHER", "other/5"))), "no chip other")

  def test_an_enabled_function_with_other_lines_is_wrong(self):
    held = board(pin(function="i2c1 SDA"), functions=[I2C])
    self.assertWrong(self.wrong(held), "i2c1 is enabled")
    self.assertEqual(self.wrong(held, pi(i2c="disabled")), [])
    self.assertEqual(self.wrong(held, pi(i2c_pins=(4, 5))), [])

  def test_what_no_tree_has_is_not_checked(self):
    other = board(compatible="another,board")
    self.assertEqual(boards.hold(other, [("tree", pi())]).unchecked,
                     ["no kernel has a device tree for it"])
    function = board(pin(), functions=[{"name": "spi9", "nodes": ["/soc/spi@0"]}])
    self.assertIn("no device tree has the node of spi9",
                  boards.hold(function, [("tree", pi())]).unchecked)
    nameless = boards.hold(board(pin()), [("tree", pi(names=[]))])
    self.assertEqual(nameless.held, set())
    self.assertIn("no device tree names its lines", nameless.unchecked[0])

  def test_the_chip_of_a_raspberry_pi_5_may_be_missing(self):
    root = node("", compatible=texts("raspberrypi,5-model-b", "brcm,bcm2712"))
    verdict = boards.hold(board(compatible="raspberrypi,5-model-b", labels=["pinctrl-rp1"]),
                          [("tree", root)])
    self.assertEqual(verdict.wrong, [])
    self.assertIn("no device tree has chip gpio", verdict.unchecked)

  def test_the_banks_of_rockchip_are_those_of_their_aliases(self):
    def held(line, name):
      return board(pin(name, line), compatible="pine64,rock64", labels=["gpio2"], chip="gpio2")
    self.assertEqual(self.wrong(held("gpio2/25", "GPIO2_D1"), rock()), [])
    self.assertWrong(self.wrong(held("gpio2/24", "GPIO2_D1"), rock()), "but 25")
    self.assertWrong(self.wrong(held("gpio2/25", "GPIO3_D1"), rock()), "GPIO3_D1 is not line")
    self.assertWrong(self.wrong(held("gpio2/25", "GPIO2_D1"), rock(alias=False)), "chip gpio2")


class HeldAgainstItself(unittest.TestCase):

  def test_the_pins_of_a_header_are_each_there_once(self):
    self.assertEqual(boards.hold_itself(board(pin(), pin(number=2))), [])
    self.assertEqual(len(boards.hold_itself(board(pin(), pin(number=3)))), 1)
    self.assertEqual(len(boards.hold_itself(board(pin(), pin()))), 1)

  def test_a_function_is_one_of_the_board(self):
    self.assertEqual(len(boards.hold_itself(board(pin(function="i2c9 SDA")))), 1)
    self.assertEqual(boards.hold_itself(board(pin(function="i2c1 SDA"), functions=[I2C])), [])


class Drivers(unittest.TestCase):

  def offset(self, names, compatible, parent=None, unit="bank@40"):
    root = node("")
    above = node("pinctrl", root, compatible=texts(parent)) if parent else root
    made = node(unit, above, gpio_controller=b"", gpio_ranges=cells(1, 0, 0, 86))
    if not parent:
      made.properties["compatible"] = texts(compatible)
    return [controllers.controllers(root)[0].offset_of(name) for name in names]

  def test_the_banks_of_amlogic_follow_one_another(self):
    self.assertEqual(self.offset(["GPIOZ_0", "GPIOH_4", "GPIOX_9", "GPIOAO_1", "PIN_7"], None,
                                 "amlogic,meson-g12a-periphs-pinctrl"),
                     [0, 20, 74, controllers.ELSEWHERE, None])

  def test_the_ports_of_allwinner_have_32_lines(self):
    self.assertEqual(self.offset(["PA0", "PC9", "PH5"], "allwinner,sun50i-h616-pinctrl",
                                 unit="pinctrl@300b000"), [0, 73, 229])


class Blobs(unittest.TestCase):

  def blob(self):
    texts_block = b"compatible\0"
    body = struct.pack(">I", 1) + b"\0\0\0\0"
    body += struct.pack(">III", 3, 6, 0) + b"a,b,c\0\0\0"
    body += struct.pack(">I", 1) + b"soc\0" + struct.pack(">III", 2, 2, 9)
    return struct.pack(">4I", devicetree.MAGIC, 0, 16, 16 + len(body)) + body + texts_block

  def test_a_tree_is_read(self):
    root = devicetree.parse(self.blob())
    self.assertEqual(root.texts("compatible"), ["a,b,c"])
    self.assertEqual([each.path for each in root.walk()], ["", "/soc"])

  def test_what_is_no_tree_is_refused(self):
    for blob in (b"", b"\0" * 40, self.blob()[:30]):
      with self.assertRaises(devicetree.Malformed):
        devicetree.parse(blob)


if __name__ == "__main__":
  unittest.main()

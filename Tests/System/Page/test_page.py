"""What a person sees of the page: test_page.py PRACTICE_HOME [TEST...]"""

import socket
import sys
import threading
import time
import unittest

from browser import Browser
from practice import Device, PracticeHome

READABLE_CONTRAST = 4.5
PROGRAM = ""

# The contrast of each text that is visible with what lies behind it, as WCAG computes it.
CONTRASTS = """
const channels = (color) => color.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => [r, g, b].map((part) => part / 255)
  .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
  .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
const behind = (element) => {
  for (let each = element; each; each = each.parentElement) {
    const color = channels(getComputedStyle(each).backgroundColor);
    if (color.length < 4 || color[3] > 0) return color;
  }
  return [255, 255, 255];
};
const texts = [...document.querySelectorAll("body *")].filter((element) => element.checkVisibility()
  && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
return texts.map((element) => {
  const style = getComputedStyle(element);
  const ink = element.closest("svg") ? style.fill : style.color;
  const [one, other] = [luminance(channels(ink)), luminance(behind(element))];
  return [element.textContent.slice(0, 40), (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)];
});
"""


class Stranger:
  """A server on another port, which no page is to meet."""

  def __init__(self):
    self.socket = socket.create_server(("127.0.0.1", 0))
    self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
    self.visits = 0
    threading.Thread(target=self.wait, daemon=True).start()

  def wait(self):
    while True:
      try:
        connection, _ = self.socket.accept()
      except OSError:
        return
      self.visits += 1
      connection.close()

  def end(self):
    self.socket.close()


class PageTests(unittest.TestCase):
  @classmethod
  def setUpClass(cls):
    cls.browser = Browser()

  @classmethod
  def tearDownClass(cls):
    cls.browser.quit()

  def setUp(self):
    self.home = PracticeHome(PROGRAM)
    # What earlier tests left behind.
    self.browser.complaints(), self.browser.requests()

  def tearDown(self):
    self.browser.driver.get("about:blank")
    self.home.end()

  def open(self, **options):
    self.browser.open(self.home.page, **options)
    self.assertSees("Live", "#connection")

  def assertSees(self, text, selector="body"):
    self.assertTrue(
      self.browser.sees(text, selector),
      f"{text!r} is not in {selector}, but: {self.browser.text(selector)!r}")

  def assertComes(self, condition, message=""):
    self.assertTrue(self.browser.comes(condition), message)

  def card(self, name):
    """The text of the card of a sensor, with its lines."""
    return next((card.text for card in self.browser.all(".card")
                 if card.text.split("\n")[0] == name), "")

  # ---- what arrives ------------------------------------------------------------------------------

  def test_a_device_and_a_new_reading_appear_without_a_reload(self):
    self.open()
    self.assertSees("Nothing has registered yet")
    self.browser.run("window.isTheSamePage = true")
    boat = Device(self.home, "Boat")
    self.assertSees("Boat", ".device h2")
    boat.sensor("house", "House battery", 80, device_class="battery", unit_of_measurement="%")
    self.assertComes(lambda: "80 %" in self.card("House battery"))
    boat.read("house", 78)
    boat.read("house", 79)
    self.assertComes(lambda: "79 %" in self.card("House battery"))
    self.assertIn("lowest 78 · highest 80", self.card("House battery"))
    self.assertIn("3 values", self.card("House battery"))
    self.assertSees("Last message: 1 reading,", ".last")
    self.assertNotIn("Nothing has registered", self.browser.text())
    self.assertEqual(self.browser.text("[data-count=readings] dd"), "2")
    self.assertTrue(self.browser.run("return window.isTheSamePage"))
    self.assertEqual(self.browser.driver.title, "Boat · Practice home")

  def test_the_battery_comes_first_and_each_kind_has_its_drawing(self):
    boat = Device(self.home, "Boat")
    boat.sensor("start", "A text", "sailing")
    boat.sensor("bilge", "Bilge", False, type="binary_sensor")
    boat.sensor("cabin", "Cabin", 20.5, device_class="temperature", unit_of_measurement="°C")
    boat.sensor("house", "House", 80, device_class="battery", unit_of_measurement="%")
    boat.read("cabin", 21.5)
    for is_on in (True, False):
      boat.read("bilge", is_on, kind="binary_sensor")
    self.open()
    self.assertComes(lambda: len(self.browser.all(".card h3")) == 4)
    names = [element.text for element in self.browser.all(".card h3")]
    self.assertEqual(names, ["House", "Bilge", "Cabin", "A text"])
    drawn = lambda sensor, part: self.browser.attributes(f"[data-id='{sensor}'] {part}", "class")
    self.assertComes(lambda: drawn("sensor.boat_cabin", "path.line"))
    self.assertEqual(
      drawn("binary_sensor.boat_bilge", "rect"),
      [("state-off",), ("state-on",), ("state-off",)])
    self.assertEqual(drawn("sensor.boat_a_text", "svg"), [])
    self.assertIn("off", self.card("Bilge"))
    self.assertIn("sailing", self.card("A text"))

  def test_several_devices_stand_below_each_other(self):
    for name in ("Boat", "Garden", "Van"):
      Device(self.home, name)
    self.open()
    self.assertComes(lambda: len(self.browser.all(".device h2")) == 3)
    self.assertEqual(
      [title.text for title in self.browser.all(".device h2")], ["Boat", "Garden", "Van"])

  def test_history_that_came_late_is_drawn_and_counted(self):
    boat = Device(self.home, "Boat")
    boat.sensor("house", "House", 80, unit_of_measurement="%")
    boat.locate(52.001, 5, 5)
    at = int(time.time()) - 600
    boat.tell_history(
      ["house"], [[at, 0, 70], [at + 60, 0, 90]], [[at, 52, 5, 8, None, None, None]])
    self.open()
    self.assertComes(lambda: "lowest 70 · highest 90" in self.card("House"))
    self.assertSees("event homeward_history 1×", ".happenings")
    self.assertSees("Came late, as history: 2 readings and 1 position", ".happenings")
    self.assertEqual(
      self.browser.attributes(".track .point", "class"), [("point late",), ("point",)])

  # ---- the track ---------------------------------------------------------------------------------

  def test_the_track_is_to_scale_with_an_accuracy_circle_at_each_point(self):
    boat = Device(self.home, "Boat")
    # A hundred metres north, then a hundred metres east, where a degree east is half as long.
    north, east = 100 / 111412.0, 100 / 55800.1
    boat.locate(60, 10, 5)
    boat.locate(60 + north, 10, 10)
    boat.locate(60 + north, 10 + east, 20, speed=3, course=90)
    self.open()
    self.assertSees("Track of Boat: 3 positions, 200 m", "figcaption")
    self.assertSees("60.00090, 10.00179", ".place")
    self.assertSees("±20 m", ".place")
    points = self.numbers(".track .point", "cx", "cy")
    circles = self.numbers(".track .accuracy", "cx", "cy", "r")
    self.assertEqual([circle[:2] for circle in circles], points)
    way = self.browser.attributes(".track .way", "points")[0][0].split()
    self.assertEqual([[float(part) for part in point.split(",")] for point in way], points)
    # The scale bar says how many pixels a metre has.
    bar = self.browser.attributes(".track path.scale", "d")[0][0].replace("H", "H ").split()
    [[metres]] = self.numbers(".track .label[data-scale]", "data-scale")
    pixels = (float(bar[bar.index("H") + 1]) - 12) / metres
    self.assertSees(f"{metres:.0f} m", ".track .label")
    (first_x, first_y), (second_x, second_y), (third_x, third_y) = points
    self.assertAlmostEqual(first_y - second_y, 100 * pixels, delta=1, msg="north is up")
    self.assertAlmostEqual(first_x, second_x, delta=0.2)
    self.assertAlmostEqual(third_x - second_x, 100 * pixels, delta=1, msg="east is right")
    for circle, accuracy in zip(circles, (5, 10, 20)):
      self.assertAlmostEqual(circle[2], accuracy * pixels, delta=0.2)
    [(present,)] = self.browser.attributes(".track .present", "transform")
    self.assertEqual(present, f"translate({third_x:.1f} {third_y:.1f}) rotate(90)")
    boat.locate(60, 10, 5)
    self.assertComes(lambda: len(self.browser.all(".track .accuracy")) == 4, "live")

  def test_a_track_across_the_date_line_is_short(self):
    boat = Device(self.home, "Boat")
    boat.locate(0, 179.9995, 5)
    boat.locate(0, -179.9995, 5)
    self.open()
    self.assertSees("Track of Boat: 2 positions, 111 m", "figcaption")

  def numbers(self, selector, *names):
    return [[float(value) for value in values]
            for values in self.browser.attributes(selector, *names)]

  # ---- what is refused ---------------------------------------------------------------------------

  def test_what_is_refused_is_shown_with_its_reason(self):
    self.open()
    self.assertSees("Nothing was refused.", "#refused")
    boat = Device(self.home, "Boat")
    for _ in range(2):
      boat.read("water", 3)
    boat.post("/api/webhook/0123456789", {"type": "update_location"})
    self.assertComes(lambda: len(self.browser.all("#refusals tbody tr")) == 2)
    rows = [[cell.text for cell in row.find_elements("css selector", "td")]
            for row in self.browser.all("#refusals tbody tr")]
    self.assertEqual([row[1:] for row in rows], [
      ["–", "200 dropped silently, as Home Assistant does",
       "no such webhook id: never registered here, or forgotten", "1"],
      ["Boat", "200 refused in the answer",
       "sensor water is not registered: register_sensor first", "2"]])
    self.assertRegex(rows[0][0], r"^\d\d:\d\d:\d\d \(")
    self.assertEqual(self.browser.text("[data-count=refused] dd"), "3")

  # ---- foreign text ------------------------------------------------------------------------------

  def test_foreign_text_is_text(self):
    stranger = Stranger()
    self.addCleanup(stranger.end)
    name = "<script>window.isBroken = true</script>"
    image = f"<img src='{stranger.url}/x.png' onerror='window.isBroken = true'>"
    device = Device(self.home, name, manufacturer=image, model="&amp;\n\ndata: {}")
    device.sensor("x", image, image)
    device.sensor("y", "Class", 3, unit_of_measurement=image)
    device.send("update_location", {"location_name": image})
    device.send("fire_event", {"event_type": "<b>bold</b>"})
    device.send(image, {})
    self.open()
    self.assertSees(name, ".device h2")
    self.assertSees("&amp;", ".about")
    self.assertSees(image, ".cards")
    self.assertSees(image, ".place")
    self.assertSees("<b>bold</b>", ".happenings")
    self.assertSees(image, "#refusals")
    self.assertEqual(len(self.browser.all("img")), 0)
    self.assertEqual(len(self.browser.all("script")), 1)
    self.assertFalse(self.browser.run("return window.isBroken === true"))
    self.assertEqual(stranger.visits, 0)
    self.assertEqual(self.browser.complaints(), [])

  # ---- the network -------------------------------------------------------------------------------

  def test_nothing_is_fetched_from_elsewhere_and_the_console_is_empty(self):
    Device(self.home, "Boat").locate(52, 5, 5)
    self.open()
    self.assertSees("Track of Boat", "figcaption")
    addresses = self.browser.requests()
    self.assertIn(self.home.url + "/practice/events", addresses)
    self.assertEqual(
      [each for each in addresses if not each.startswith(self.home.url + "/")], [])
    self.assertEqual(self.browser.complaints(), [])

  def test_the_browser_would_not_let_the_page_fetch_from_elsewhere(self):
    stranger = Stranger()
    self.addCleanup(stranger.end)
    self.open()
    refused = self.browser.driver.execute_async_script(
      "const [url, done] = arguments;"
      "document.addEventListener('securitypolicyviolation', (event) => done(event.blockedURI));"
      "document.body.append(Object.assign(document.createElement('img'), { src: url }));",
      stranger.url + "/x.png")
    self.assertEqual(refused, stranger.url + "/x.png")
    self.assertEqual(stranger.visits, 0)
    # Nor may text become markup.
    self.assertEqual(self.browser.run(
      "try { document.body.innerHTML = '<b>'; } catch (error) { return error.name; }"), "TypeError")

  def test_the_page_tells_that_the_practice_home_is_gone_and_comes_back_with_it(self):
    Device(self.home, "Boat")
    self.open()
    self.assertSees("Boat", ".device h2")
    port = self.home.port
    self.home.end()
    self.assertSees("No connection", "#connection")
    self.assertEqual(self.browser.text(".device h2"), "Boat", "what was there stays readable")
    self.home = PracticeHome(PROGRAM, port)
    self.assertSees("Live", "#connection")
    self.assertSees("Nothing has registered yet")
    self.assertEqual(self.browser.all(".device"), [])
    Device(self.home, "Van")
    self.assertSees("Van", ".device h2")

  # ---- for every person --------------------------------------------------------------------------

  def furnish(self):
    boat = Device(self.home, "A board with a name that is quite long for a small telephone")
    boat.sensor("bilge", "Bilge", True, type="binary_sensor", device_class="moisture")
    boat.sensor("long", "long" * 20, "x" * 90)
    boat.sensor("house", "House", 80, device_class="battery", unit_of_measurement="%")
    boat.locate(52, 5, 5)
    boat.locate(52.1, 5.1, 5, course=10)
    boat.send("open" * 20, {})

  def test_nothing_is_wider_than_a_phone(self):
    self.furnish()
    self.open(width=390, height=844)
    self.assertSees("Track of", "figcaption")
    width = self.browser.run("return document.documentElement.scrollWidth")
    self.assertLessEqual(width, 390)
    self.assertEqual(len(self.browser.all("#refusals thead th")), 5)
    self.assertEqual(self.browser.text("#refusals thead"), "", "each cell has its title instead")

  def test_every_text_is_readable_in_light_and_in_the_dark(self):
    self.furnish()
    backs = set()
    for dark in (False, True):
      self.open(dark=dark)
      self.assertSees("Track of", "figcaption")
      texts = self.browser.run(CONTRASTS)
      self.assertGreater(len(texts), 30)
      self.assertEqual([text for text in texts if text[1] < READABLE_CONTRAST], [])
      backs.add(self.browser.run("return getComputedStyle(document.body).backgroundColor"))
    self.assertEqual(len(backs), 2)

  def test_those_who_do_not_see_are_told_what_is_drawn(self):
    self.furnish()
    self.open()
    self.assertSees("Track of", "figcaption")
    self.assertEqual(self.browser.attributes("html", "lang"), [("en",)])
    self.assertComes(lambda: len(self.browser.all("main svg")) == 3)
    for role, label in self.browser.attributes("main svg", "role", "aria-label"):
      self.assertEqual(role, "img")
      self.assertRegex(label, r"^(Track of A board|House: 80 %|on from )")
    self.assertEqual(self.browser.attributes("#connection", "role"), [("status",)])
    for identifier, in self.browser.attributes("section", "aria-labelledby"):
      self.assertEqual(len(self.browser.all(f"#{identifier}")), 1)


if __name__ == "__main__":
  PROGRAM = sys.argv[1]
  names = [name if name.startswith("PageTests") else f"PageTests.{name}" for name in sys.argv[2:]]
  unittest.main(argv=["Tests/System/Page/run", *names])

"""What a person sees of the dashboard: test_dashboard.py FOLDER [TEST...]

FOLDER is that of a board that deploy/lab/boat.sh has started.
"""

import re
import sys
import unittest

from dashboard import FLAT, Board, Dashboard

FOLDER = ""
TITLES = ("Track of the last day", "Commands", "Now", "Heartbeat", "Health",
          "Battery and temperature", "Bilge and pump")
# Where Home Assistant says that a card, or a line of one, cannot be shown.
ERRORS = "hui-error-card, hui-warning, hui-warning-element, hui-unavailable, ha-alert"
ERROR = re.compile(
  r"configuration error|custom element|entity not |not available|not found|"
  r"no state history|unknown type|unknown error|error in ", re.IGNORECASE)
# The board drives on.
WATCHED = ("Safe", "Unsafe")
NO_VALUE = {"Unavailable", "Unknown", "—", "", "None", "nan"}
# What Home Assistant says of itself and of this machine, by its logger.
NOT_OURS = ("[homeassistant.loader]", "[aiohttp_fast_zlib]",
            "[homeassistant.components.camera.img_util]")

# What is cut by its box, on a page as wide as this one.
CUT = """
return elements("*").filter((element) => {
  const style = getComputedStyle(element);
  return style.textOverflow === "ellipsis" && element.scrollWidth > element.clientWidth + 1
    && texts(element).length;
}).map((element) => texts(element).join(" "));
"""


class DashboardTests(unittest.TestCase):
  @classmethod
  def setUpClass(cls):
    cls.board = Board(FOLDER)
    cls.page = Dashboard(cls.board)

  @classmethod
  def tearDownClass(cls):
    cls.page.quit()

  def setUp(self):
    self.show()

  def show(self, **options):
    self.page.show(**options)
    # Home Assistant draws card after card, and this one when it has computed its template.
    self.assertComes(lambda: self.heartbeat(), "there is no heartbeat")

  def assertComes(self, condition, message=""):
    self.assertTrue(self.page.comes(condition), f"{message}; seen: {self.page.texts()}")

  def heartbeat(self):
    return re.search(
      r"Last heard 0 min ago, at (\d\d:\d\d:\d\d)\.", " ".join(self.page.texts()))

  def card(self, title):
    return self.page.card(title, *TITLES)

  def lines(self, title):
    """The names and the values of a card of entities."""
    texts = self.card(title)
    return dict(zip(texts[::2], texts[1::2]))

  # ---- what is shown -----------------------------------------------------------------------------

  def test_no_card_tells_of_an_error(self):
    self.assertComes(lambda: set(TITLES) <= set(self.page.texts()), "a card is not there")
    self.assertEqual([text for text in self.page.texts() if ERROR.search(text)], [])
    self.assertEqual(
      [element.tag_name for element in self.page.elements(ERRORS)], [])

  def test_the_map_shows_the_board_and_the_way_it_went(self):
    self.assertComes(
      lambda: [marker.text for marker in self.page.elements("ha-entity-marker")] == ["B"],
      "the board is not on the map")
    length = lambda: self.page.run(
      FLAT + "return elements('path.leaflet-interactive')"
      ".reduce((sum, path) => sum + path.getTotalLength(), 0)")
    self.assertComes(lambda: length() > 20, "there is no track")

  def test_each_entity_has_a_value(self):
    self.page.press("Anchor is down")
    self.assertComes(lambda: self.lines("Now").get("Anchor") in WATCHED, "no anchor watch")
    now = self.lines("Now")
    self.assertEqual(list(now), [
      "Where it is", "Bilge", "Pump", "Anchor", "House voltage", "Processor", "Disk used"])
    self.assertEqual(now["Where it is"], "Away")
    self.assertEqual(now["Bilge"], "Dry")
    self.assertEqual(now["House voltage"], "12.84 V")
    self.assertEqual(now["Processor"], "47.2 °C")
    self.assertRegex(now["Disk used"], r"^[\d.]+ ?%$")
    health = self.lines("Health")
    self.assertEqual(list(health), ["Last start", "Lost readings"])
    self.assertEqual(health["Lost readings"], "0")
    self.assertEqual([text for text in (now | health).values() if text in NO_VALUE], [])

  def test_the_battery_is_shown(self):
    self.assertComes(
      lambda: "81% House battery" in " ".join(self.page.texts()).replace(" %", "%"),
      "there is no charge")

  def test_the_heartbeat_goes_on(self):
    first = self.heartbeat()[1]
    self.assertComes(lambda: (self.heartbeat() or [0, first])[1] != first, "it stands still")

  def test_the_history_has_its_lines(self):
    self.assertComes(
      lambda: self.card("Battery and temperature")
      == ["House battery", "House voltage", "Processor"], "not all have a graph")
    # Both kinds of graph are painted, so they have no text.
    self.assertComes(lambda: len(self.page.elements("canvas")) == 4, "a graph is not drawn")

  # ---- what is pressed ---------------------------------------------------------------------------

  def done(self, word):
    """How often the agent has carried out a command."""
    return [event["result"] for event in self.board.events("command")
            if event["command"] == word].count("done")

  def assertDoes(self, label, word):
    """The board does what a button says."""
    before = self.done(word)
    self.page.press(label)
    if label == "Pump for 30 s":
      self.assertComes(lambda: "Shall the pump run for 30 seconds?" in self.page.texts(), "unasked")
      self.page.press("OK")
    self.assertTrue(
      self.page.comes(lambda: self.done(word) == before + 1),
      f"the board does no {word}; it did: {self.board.events('command')[-3:]}")

  def test_the_board_tells_its_position_when_asked(self):
    self.assertDoes("Tell the position", "request_location_update")

  def test_the_board_reads_its_sensors_when_asked(self):
    self.assertDoes("Read all sensors", "command_update_sensors")

  def test_the_pump_runs_and_stops(self):
    self.assertDoes("Pump for 30 s", "command_gpio")
    self.assertComes(lambda: self.lines("Now")["Pump"] == "Running", "it does not run")
    self.assertDoes("Stop the pump", "command_gpio")
    self.assertComes(lambda: self.lines("Now")["Pump"] == "Not running", "it does not stop")

  def test_the_anchor_is_watched_until_it_is_up(self):
    self.assertDoes("Anchor is down", "command_anchor")
    self.assertComes(lambda: self.lines("Now")["Anchor"] in WATCHED, "it is not watched")
    self.assertDoes("Anchor is up", "command_anchor")
    self.assertComes(lambda: self.lines("Now")["Anchor"] == "Unavailable", "it is watched")

  # ---- for every screen --------------------------------------------------------------------------

  def test_no_text_is_cut(self):
    for width, height in ((1280, 900), (390, 844)):
      self.show(width=width, height=height)
      self.assertEqual(self.page.run(FLAT + CUT), [], f"{width} pixels")
      self.assertLessEqual(
        self.page.run("return document.documentElement.scrollWidth"), width)

  # ---- what Home Assistant says ------------------------------------------------------------------

  def test_home_assistant_complains_of_nothing(self):
    # Its log holds nothing that is older, and warnings are found in it.
    self.board.complain("This is the end of the log.", "homeward.dashboard")
    mark = "[homeward.dashboard] This is the end of the log."
    self.assertComes(
      lambda: any(mark in line for line in self.board.complaints()), "its log has no warnings")
    said = [line for line in self.board.complaints()
            if not any(name in line for name in (*NOT_OURS, mark))]
    self.assertEqual(said, [])


if __name__ == "__main__":
  FOLDER = sys.argv[1]
  names = [name if name.startswith("DashboardTests") else f"DashboardTests.{name}"
           for name in sys.argv[2:]]
  unittest.main(argv=["Tests/System/Dashboard/run", *names])

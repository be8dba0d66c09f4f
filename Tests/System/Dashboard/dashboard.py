"""The dashboard in a browser, with the board that it shows."""

import importlib.machinery
import importlib.util
import json
import pathlib
import urllib.request

from selenium.webdriver.common.action_chains import ActionChains

from browser import Browser

ROOT = pathlib.Path(__file__).resolve().parents[3]

# What is visible, as it stands on the page: through the shadow trees, of which it is made.
FLAT = """
const children = (node) => node.localName === "slot"
  ? node.assignedNodes({ flatten: true }) : (node.shadowRoot ?? node).childNodes;
const isShown = (element) => !["style", "script", "template"].includes(element.localName)
  && (element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    || getComputedStyle(element).display === "contents");
function* flat(node) {
  if (node.nodeType === Node.ELEMENT_NODE && !isShown(node)) return;
  yield node;
  for (const child of children(node)) yield* flat(child);
}
const texts = (root) => [...flat(root)].filter((node) => node.nodeType === Node.TEXT_NODE)
  .map((node) => node.data.trim()).filter((text) => text);
const elements = (selector) => [...flat(document.body)].filter((node) =>
  node.nodeType === Node.ELEMENT_NODE && node.matches(selector));
"""


def script(name):
  """A program of deploy/lab, as a module."""
  loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "deploy/lab" / name))
  module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
  loader.exec_module(module)
  return module


class Board:
  """The folder of a board that deploy/lab/boat.sh has started."""

  def __init__(self, folder):
    self.folder = pathlib.Path(folder)
    self.url, self.token = (
      (self.folder / "home" / name).read_text().strip() for name in ("url", "token"))

  def events(self, name):
    """What the agent has said of this kind."""
    lines = (self.folder / "events").read_text().split("\n")[:-1]
    return [event for event in map(json.loads, lines) if event["event"] == name]

  def complain(self, words, logger):
    """Has Home Assistant write a warning to its log."""
    content = {"message": words, "level": "warning", "logger": logger}
    request = urllib.request.Request(
      self.url + "/api/services/system_log/write", json.dumps(content).encode(),
      {"Authorization": "Bearer " + self.token, "Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=20).close()

  def complaints(self):
    """The lines of Home Assistant's log that are warnings or worse."""
    log = (self.folder / "home/log").read_text().splitlines()
    return [line for line in log if line[24:].startswith(("WARNING ", "ERROR ", "CRITICAL "))]


class Dashboard(Browser):
  def __init__(self, board):
    super().__init__()
    self.url = board.url + "/homeward-boat/boat"
    script("screenshot").log_in(self.driver, board.url, board.token)

  def show(self, **options):
    self.open(self.url, **options)

  def texts(self):
    return self.run(FLAT + "return texts(document.body)")

  def elements(self, selector):
    """Those that are visible, in any shadow tree."""
    return self.run(FLAT + "return elements(arguments[0])", selector)

  def card(self, title, *others):
    """The texts of a card: those between its title and the next one of the others."""
    texts = self.texts()
    if title not in texts:
      return []
    rest = texts[texts.index(title) + 1:]
    ends = [rest.index(other) for other in others if other in rest]
    return rest[:min(ends, default=len(rest))]

  def press(self, text):
    """Presses what bears this text, with the mouse, as soon as it is there."""
    bearers = lambda: self.run(
      FLAT + "return [...flat(document.body)].filter((node) => node.nodeType === Node.TEXT_NODE"
      " && node.data.trim() === arguments[0]).map((node) => node.parentElement)", text)
    if not self.comes(bearers):
      raise AssertionError(f"nothing bears {text!r}; seen: {self.texts()}")
    element = bearers()[-1]
    self.run("arguments[0].scrollIntoView({ block: 'center' })", element)
    # A card that is drawn later moves it.
    places = []

    def stands():
      places.append(self.run("return JSON.stringify(arguments[0].getBoundingClientRect())", element))
      return places[-10:] == places[-1:] * 10
    self.comes(stands)
    ActionChains(self.driver).move_to_element(element).click().perform()

"""A headless Chromium, and what a person sees in it."""

import base64
import contextlib
import json
import time

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

PATIENCE_SECONDS = 20


class Browser:
  def __init__(self):
    options = Options()
    for option in ("headless=new", "no-sandbox", "disable-gpu", "hide-scrollbars", "lang=en-GB"):
      options.add_argument("--" + option)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))

  def quit(self):
    self.driver.quit()

  def open(self, url, width=1280, height=900, dark=False):
    # Not the window's size: Chromium has no window as narrow as a phone.
    self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
      "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
    self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
      {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
    self.driver.get(url)

  def run(self, script, *arguments):
    return self.driver.execute_script(script, *arguments)

  def text(self, selector="body"):
    """What is visible of the first element of its kind; nothing if there is none."""
    return "".join(element.text for element in self.all(selector)[:1])

  def all(self, selector):
    return self.driver.find_elements(By.CSS_SELECTOR, selector)

  def attributes(self, selector, *names):
    """A tuple of the values for each element; all of them at one point in time."""
    return [tuple(values) for values in self.run(
      "const names = arguments[1];"
      "return [...document.querySelectorAll(arguments[0])]"
      ".map((element) => names.map((name) => element.getAttribute(name)))", selector, names)]

  def sees(self, text, selector="body"):
    """Waits for a text; False if it does not come."""
    return self.comes(lambda: text in self.text(selector))

  def comes(self, condition):
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
      # An element may go between two looks at it.
      with contextlib.suppress(WebDriverException):
        if condition():
          return True
      time.sleep(0.05)
    return False

  def complaints(self):
    """What stands in the console since the last look, errors and warnings."""
    return [entry["message"] for entry in self.driver.get_log("browser")
            if entry["level"] in ("SEVERE", "WARNING")]

  def requests(self):
    """The addresses that were asked for since the last look."""
    messages = [json.loads(entry["message"])["message"]
                for entry in self.driver.get_log("performance")]
    return [message["params"]["request"]["url"] for message in messages
            if message["method"] == "Network.requestWillBeSent"]

  def picture(self, path, height=None):
    """The whole page, or the top of it."""
    size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
    clip = {"x": 0, "y": 0, "width": size["width"], "height": height or size["height"], "scale": 1}
    shot = self.driver.execute_cdp_cmd(
      "Page.captureScreenshot", {"format": "png", "clip": clip, "captureBeyondViewport": True})
    path.write_bytes(base64.b64decode(shot["data"]))

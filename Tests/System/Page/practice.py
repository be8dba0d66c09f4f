"""A practice home as a process, and devices that talk to it."""

import itertools
import json
import subprocess
import urllib.error
import urllib.request

PATIENCE_SECONDS = 30


class PracticeHome:
  """Runs until `end`. Port 0 is any free one."""

  def __init__(self, program, port=0):
    self.process = subprocess.Popen(
      [program, "--port", str(port), "--json"], stdout=subprocess.PIPE, text=True)
    listening = json.loads(self.process.stdout.readline())
    self.url, self.page, self.port = listening["url"], listening["page"], listening["port"]

  def end(self):
    self.process.terminate()
    self.process.communicate(timeout=PATIENCE_SECONDS)


class Device:
  """A device, without a key: its messages are readable. Or with one: `sealing` makes, of the secret of
  a registration, the function that seals what is sent."""

  ids = itertools.count(1)

  def __init__(self, home, name, sealing=None, **changes):
    self.home = home
    self.id = f"board-{next(self.ids)}"
    registration = {
      "device_id": self.id, "app_id": "homeward", "app_name": "Homeward", "app_version": "0.1.0",
      "device_name": name, "manufacturer": "Raspberry Pi", "model": "Zero 2 W",
      "os_name": "Linux", "os_version": "6.12", "supports_encryption": sealing is not None} | changes
    status, answer = self.post("/api/mobile_app/registrations", registration)
    assert status == 201, (status, answer)
    self.path = "/api/webhook/" + answer["webhook_id"]
    self.seal = sealing and sealing(answer["secret"])

  def post(self, path, content):
    """The status, and the content of the answer."""
    request = urllib.request.Request(
      self.home.url + path, data=json.dumps(content).encode(),
      headers={"Authorization": "Bearer practice", "Content-Type": "application/json"})
    try:
      with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
        return answer.status, json.loads(answer.read() or "null")
    except urllib.error.HTTPError as error:
      return error.code, None

  def send(self, kind, data):
    if self.seal is None:
      return self.post(self.path, {"type": kind, "data": data})
    return self.post(
      self.path, {"type": kind, "encrypted": True, "encrypted_data": self.seal(data)})

  def sensor(self, unique_id, name, state, **more):
    content = {"type": "sensor", "unique_id": unique_id, "name": name, "state": state}
    self.send("register_sensor", content | more)

  def read(self, unique_id, state, kind="sensor"):
    self.send("update_sensor_states", [{"type": kind, "unique_id": unique_id, "state": state}])

  def locate(self, latitude, longitude, accuracy, **more):
    self.send("update_location", {"gps": [latitude, longitude], "gps_accuracy": accuracy} | more)

  def tell_history(self, sensors=(), readings=(), points=()):
    """What was missed: times are in seconds since 1970."""
    columns = ["time", "latitude", "longitude", "accuracy", "altitude", "speed", "course"]
    data = {
      "device_id": self.id, "clock": "set", "sensors": sensors, "names": sensors,
      "readings": readings, "point_columns": columns, "points": points}
    self.send("fire_event", {"event_type": "homeward_history", "event_data": data})

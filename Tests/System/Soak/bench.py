"""The devices of one board: files of a kernel that does not exist, which come and go."""

import asyncio
import mmap
import os
import shutil
from collections import namedtuple

# As in devices.c.
DEVICES_MAX = 64
# In place of a device: each start of the agent.
STARTS = DEVICES_MAX - 1
NO_DEVICE, IO_ERROR, TIMED_OUT = 19, 5, 110

# What a file gives: Home Assistant gets its values as the entity `unique_id`, times `factor`. Where
# it `is_read_twice`, the agent may read it again at once, and tells what that brings: it looks for
# the device, or goes on beside its loop, which one of several files has held up.
Meter = namedtuple(
  "Meter", "path unique_id factor step first count milliseconds template is_read_twice")
# Files that belong together, in the folder that vanishes with them. `fixed` are {path: text}.
Part = namedtuple("Part", "name folder fixed meters")


def meter(path, unique_id, factor=1, *, step=1, first=1, count=1_000_000, slow=0, template="#",
          is_read_twice=False):
  return Meter(path, unique_id, factor, step, first, count, slow, template, is_read_twice)


PARTS = [
  Part("adc", "bus/iio/devices/iio:device0", {"name": "adc", "in_voltage_scale": "1"}, [
    meter("in_voltage0_raw", "adc0"), meter("in_voltage1_raw", "adc1")]),
  Part("air", "bus/iio/devices/iio:device1", {"name": "air"}, [
    meter("in_temp_input", "air", 0.001)]),
  Part("sht", "class/hwmon/hwmon0", {"name": "sht"}, [meter("temp1_input", "sht", 0.001)]),
  Part("ina", "class/hwmon/hwmon1", {"name": "ina"}, [
    meter("in1_input", "ina_in", 0.001), meter("curr1_input", "ina_curr", 0.001)]),
  # More than a dead band apart.
  Part("battery", "class/power_supply/BAT0", {"type": "Battery", "status": "Discharging"}, [
    meter("capacity", "supply_bat0_capacity", count=100, first=1, is_read_twice=True),
    meter("voltage_now", "supply_bat0_voltage", 1e-6, step=30_000, first=1_000_000, count=1000,
          is_read_twice=True),
    meter("current_now", "supply_bat0_current", 1e-6, step=60_000, first=60_000, count=1000,
          is_read_twice=True)]),
  Part("zone", "class/thermal/thermal_zone0", {"type": "cpu-thermal"}, [
    meter("temp", "processor_temperature", 0.001, step=2000, first=20_000, count=40,
          is_read_twice=True)]),
  Part("soil", "bus/w1/devices/28-000000000001", {}, [
    meter("temperature", "soil", 0.001, step=100, first=-50_000, count=1300, slow=300)]),
  Part("sea", "bus/w1/devices/28-000000000002", {}, [
    meter("temperature", "sea", 0.001, step=100, first=-50_000, count=1300, slow=300)]),
  Part("modem", "class/net/wwan0", {"ifindex": "7"}, [
    meter("statistics/rx_bytes", "network_wwan0_received", 1e-6, step=1_000_000, first=1_000_000),
    meter("statistics/tx_bytes", "network_wwan0_sent", 1e-6, step=1_000_000, first=1_000_000)]),
  Part("tank", "tank", {}, [meter("level", "tank", template="level=# L")]),
]

# What is connected at times only, as a configuration says that is another one for a while.
GUEST = Part("guest", "guest", {}, [meter("level", "guest")])

SENSORS = """\
sensors:
  - { iio: adc/voltage0, name: Channel 0, unique_id: adc0, factor: 1000, unit: mV, device_class: voltage, decimals: 0, min_change: 0 }
  - { iio: adc/voltage1, name: Channel 1, unique_id: adc1, factor: 1000, unit: mV, device_class: voltage, decimals: 0, min_change: 0 }
  - { iio: air/temp, name: Air, unique_id: air, decimals: 3, min_change: 0 }
  - { hwmon: sht/temp1, name: Cabin, unique_id: sht, decimals: 3, min_change: 0 }
  - { hwmon: ina/in1, name: Supply, unique_id: ina_in, decimals: 3, min_change: 0 }
  - { hwmon: ina/curr1, name: Load, unique_id: ina_curr, decimals: 3, min_change: 0 }
  - { one_wire: 28-000000000001, name: Soil, unique_id: soil, min_change: 0 }
  - { one_wire: 28-000000000002, name: Sea, unique_id: sea, min_change: 0 }
  - { network: wwan0, name: Modem }
  - { file: TANK, name: Tank, unique_id: tank, pattern: "level=*", min_change: 0 }
  - { ve_direct: CABLE, name: Solar, unique_id: solar, only: [panel_power, yield_total] }
  - { gpio: LINE, name: Line, unique_id: line, debounce: 0s, urgent: true }
"""

MISHAPS = ("vanish", "garbage", "empty", "input error", "timeout", "unreadable")


class Bench:
  """The folder with all parts of a board, and what happens to them."""

  def __init__(self, folder):
    self.sys = folder / "sys"
    self.proc = folder / "proc"
    self.proc.mkdir()
    self.counts = folder / "devices"
    self.counts.write_bytes(bytes(8 * DEVICES_MAX))
    self.witness = folder / "witness"
    self.witness.touch()
    self.meters = [each for part in (*PARTS, GUEST) for each in part.meters]
    for part in (*PARTS, GUEST):
      self.assemble(part)
    with open(self.counts, "r+b") as file:
      self.taken = mmap.mmap(file.fileno(), 0)

  def environment(self):
    return {"HOMEWARD_DEVICES": str(self.counts), "HOMEWARD_WITNESS": str(self.witness)}

  def sensors(self, cable):
    tank = self.sys / "tank/level"
    return SENSORS.replace("TANK", str(tank)).replace("CABLE", str(cable))

  def guest(self):
    """One more entry, at the end of the configuration."""
    path = self.sys / GUEST.folder / "level"
    return f"  - {{ file: {path}, name: Guest, unique_id: guest, min_change: 0 }}\n"

  def measured(self):
    """How many readings were made."""
    return sum(memoryview(self.taken).cast("Q")[:STARTS])

  def starts(self):
    """How often the agent has begun."""
    return memoryview(self.taken).cast("Q")[STARTS]

  # --- what happens to a part

  def text(self, meter):
    number = self.meters.index(meter)
    return (f"@value {number} {meter.step} {meter.first} {meter.count} {meter.milliseconds}"
            f" {meter.template}")

  def assemble(self, part):
    folder = self.sys / part.folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in part.fixed.items():
      self.put(folder / name, text)
    for each in part.meters:
      self.put(folder / each.path, self.text(each))

  def put(self, path, text):
    """Gives a file that may be open another text, without a moment at which it is empty."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = text.encode() + b"\n" if text else b""
    file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
    os.pwrite(file, text, 0)
    os.ftruncate(file, len(text))
    os.close(file)

  def all_say(self, part, text):
    for each in part.meters:
      self.put(self.sys / part.folder / each.path, text)

  def vanish(self, part):
    """The kernel answers who has a file of it open, too."""
    self.all_say(part, f"@error {NO_DEVICE}")
    shutil.rmtree(self.sys / part.folder)

  async def befall(self, part, mishap, seconds):
    """One mishap, and its end."""
    if mishap == "vanish":
      self.vanish(part)
    elif mishap == "unreadable":
      # Root may read what it is not permitted to, so the kernel's answer is played.
      self.all_say(part, "@error 13")
    else:
      self.all_say(part, {
        "garbage": "\x00\xff no number 1.2.3", "empty": "",
        "input error": f"@error {IO_ERROR}", "timeout": f"@error {TIMED_OUT}"}[mishap])
    try:
      await asyncio.sleep(seconds)
    finally:
      self.assemble(part)

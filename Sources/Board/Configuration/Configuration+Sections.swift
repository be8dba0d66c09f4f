import Bytes
import Drivers
import Outbox
import Sensing
import YAML

// The configuration file, key by key. What each key means stands at the properties of
// `Configuration`; a key that is not asked for here is an unknown key.

extension ConfigurationField {
  /// The file as a whole.
  func configuration() -> Configuration? {
    guard let keys = section(example: "home_assistant: { url: http://192.168.1.5:8123 }") else {
      return nil
    }
    defer { keys.reportUnknownKeys() }
    let every = keys.optional("every")?.duration(in: Configuration.everyRange, example: "60s")
    let stateDirectory = keys.optional("state_directory")?.absolutePath()
    let homeAssistant = keys.required(
      "home_assistant", example: "home_assistant: { url: http://192.168.1.5:8123 }")?
      .homeAssistant()
    let notifications = keys.optional("notifications")?.notifications()
    let durability = keys.optional("durability")?.durability()
    let history = keys.optional("history")?.history()
    let deviceName = keys.optional("device")?.deviceName()
    let location = keys.optional("location")?.location()
    let battery = keys.optional("battery")?.battery()
    let system = keys.optional("system")?.system()
    let host = keys.optional("host")?.hostPaths()
    let sensors = keys.optional("sensors")?.sensors()
    guard let homeAssistant else { return nil }
    return Configuration(
      every: every ?? .seconds(60),
      stateDirectory: stateDirectory ?? [UInt8](Configuration.defaultStateDirectory),
      homeAssistant: homeAssistant, notifications: notifications ?? .off,
      durability: durability ?? .batch, history: history ?? .standard,
      deviceName: deviceName, location: location,
      battery: battery ?? .automatic, system: system ?? .all,
      host: host ?? .standard,
      sensors: sensors ?? [])
  }

  private func durability() -> Durability? {
    let levels: [Durability] = [.reading, .batch, .memory]
    return word(of: ["reading", "batch", "memory"]).map { levels[$0] }
  }

  private func history() -> Configuration.HistorySettings? {
    guard let keys = section(example: "history: { bytes_per_minute: 100000 }") else { return nil }
    defer { keys.reportUnknownKeys() }
    let orders: [Spool.Order] = [.oldestFirst, .newestFirst]
    let order = keys.optional("order")?.word(of: ["oldest_first", "newest_first"])
    return Configuration.HistorySettings(
      order: order.map { orders[$0] } ?? .oldestFirst,
      diskMegabytes: keys.optional("disk_megabytes")?
        .wholeNumber(in: Configuration.diskMegabytesRange) ?? 64,
      bytesPerMinute: keys.optional("bytes_per_minute")?.bytesPerMinute(),
      isForStatistics: keys.optional("statistics")?.boolean() ?? false)
  }

  private func bytesPerMinute() -> Int? {
    if isText, let text = text(), text.span.elementsEqual("unlimited") {
      return nil
    }
    return wholeNumber(in: Configuration.bytesPerMinuteRange)
  }

  private func deviceName() -> [UInt8]? {
    guard let keys = section(example: "device: { name: Boat }") else { return nil }
    defer { keys.reportUnknownKeys() }
    return keys.optional("name")?.name()
  }

  private func location() -> Configuration.LocationSettings? {
    if isText {
      _ = word(of: ["off"], remedy: "write off or { source: gpsd }")
      return nil
    }
    guard let keys = section(example: "location: { source: gpsd }") else { return nil }
    defer { keys.reportUnknownKeys() }
    _ = keys.required("source", example: "source: gpsd")?.word(of: ["gpsd"])
    return Configuration.LocationSettings(
      host: keys.optional("host")?.numericAddress() ?? [UInt8]("127.0.0.1"),
      port: keys.optional("port")?.port() ?? 2947,
      device: keys.optional("device")?.receiver() ?? [])
  }

  private func battery() -> Configuration.BatterySettings? {
    if isText {
      let remedy: MessageText = "write auto, off or a list of names, such as [BAT0]"
      return word(of: ["auto", "off"], remedy: remedy) == 1 ? .off : .automatic
    }
    let seen = SeenTexts()
    var names: [[UInt8]] = []
    for item in items(count: 1...Configuration.suppliesMax, example: "[BAT0]") {
      guard let name = item.supplyName() else { continue }
      seen.add(name, of: item)
      names.append(name)
    }
    return .supplies(names)
  }

  private func system() -> Configuration.SystemSensors? {
    if isText {
      let remedy: MessageText = "write auto, off or a list, such as [cpu_temperature, load]"
      return word(of: ["auto", "off"], remedy: remedy) == 1 ? [] : .all
    }
    let words: [StaticString] = ["cpu_temperature", "load", "memory", "uptime", "disk"]
    let sensors: [Configuration.SystemSensors] = [
      .cpuTemperature, .load, .memory, .uptime, .disk,
    ]
    let seen = SeenTexts()
    var selection: Configuration.SystemSensors = []
    for item in items(count: 1...words.count, example: "[cpu_temperature, load]") {
      guard let index = item.word(of: words) else { continue }
      seen.add([UInt8](words[index]), of: item)
      selection.formUnion(sensors[index])
    }
    return selection
  }

  private func hostPaths() -> Configuration.HostPaths? {
    guard let keys = section(example: "host: { proc: /proc, sys: /sys }") else { return nil }
    defer { keys.reportUnknownKeys() }
    return Configuration.HostPaths(
      proc: keys.optional("proc")?.absolutePath() ?? Configuration.HostPaths.standard.proc,
      sys: keys.optional("sys")?.absolutePath() ?? Configuration.HostPaths.standard.sys)
  }

  private func sensors() -> [GPIOLineSettings] {
    let lines = SeenTexts()
    let names = SeenTexts()
    var sensors: [GPIOLineSettings] = []
    let items = items(
      count: 0...Configuration.sensorsMax, example: "[{ gpio: GPIO17, name: Bilge }]")
    for item in items {
      if let sensor = item.sensor(lines: lines, names: names) { sensors.append(sensor) }
    }
    return sensors
  }

  /// One sensor; `lines` and `names` are those of the sensors before it.
  private func sensor(lines: SeenTexts, names: SeenTexts) -> GPIOLineSettings? {
    guard let keys = section(example: "{ gpio: GPIO17, name: Bilge }") else { return nil }
    defer { keys.reportUnknownKeys() }
    let line = keys.required("gpio", example: "gpio: GPIO17")?.gpioLine(notAmong: lines)
    let name = keys.required("name", example: "name: Bilge")?.name(notAmong: names)
    let deviceClass = keys.optional("device_class")?.deviceClass()
    let icon = keys.optional("icon")?.icon()
    let debounce = keys.optional("debounce")?
      .duration(in: Configuration.debounceRange, example: "50ms")
    let isUrgent = keys.optional("urgent")?.boolean()
    let isActiveLow = keys.optional("active_low")?.boolean()
    let bias = keys.optional("bias")?.bias()
    guard let line, let name else { return nil }
    return GPIOLineSettings(
      address: line, name: name, deviceClass: deviceClass, icon: icon,
      debounce: debounce ?? .milliseconds(20), isUrgent: isUrgent ?? false,
      isActiveLow: isActiveLow ?? false, bias: bias ?? .asIs)
  }

  private func bias() -> GPIOBias? {
    let biases: [GPIOBias] = [.asIs, .pullUp, .pullDown, .disabled]
    return word(of: ["as_is", "pull_up", "pull_down", "disabled"]).map { biases[$0] }
  }

  /// One of the device classes of Home Assistant's binary sensors.
  private func deviceClass() -> [UInt8]? {
    let classes: [StaticString] = [
      "battery", "battery_charging", "carbon_monoxide", "cold", "connectivity", "door",
      "garage_door", "gas", "heat", "light", "lock", "moisture", "motion", "moving", "occupancy",
      "opening", "plug", "power", "presence", "problem", "running", "safety", "smoke", "sound",
      "tamper", "update", "vibration", "window",
    ]
    return word(of: classes).map { [UInt8](classes[$0]) }
  }
}

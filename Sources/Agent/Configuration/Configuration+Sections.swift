// The configuration file, key by key. What each key means stands at the properties of
// `Configuration`; a key that is not asked for here is an unknown key.

extension ConfigurationRule<Configuration> {
  static var configuration: Self {
    .section(example: "home_assistant: { url: http://192.168.1.5:8123 }") { keys in
      let every = keys.optional(
        "every", .duration(in: Configuration.everyRange, example: "60s"), default: .seconds(60))
      let stateDirectory = keys.optional(
        "state_directory", .absolutePath, default: [UInt8](literal: "/var/lib/homeward"))
      let homeAssistant = keys.required(
        "home_assistant", .homeAssistant,
        example: "home_assistant: { url: http://192.168.1.5:8123 }")
      let deviceName = keys.optional("device", .deviceName)
      let location = keys.optional("location", .location, default: nil)
      let battery = keys.optional("battery", .battery, default: .automatic)
      let system = keys.optional("system", .system, default: .all)
      let host = keys.optional("host", .hostPaths, default: .standard)
      let sensors = keys.optional("sensors", .sensors, default: [])
      guard let homeAssistant else { return nil }
      return Configuration(
        every: every, stateDirectory: stateDirectory, homeAssistant: homeAssistant,
        deviceName: deviceName, location: location, battery: battery, system: system, host: host,
        sensors: sensors)
    }
  }
}

extension ConfigurationRule<Configuration.HomeAssistantSettings> {
  static var homeAssistant: Self {
    .section(example: "home_assistant: { url: http://192.168.1.5:8123 }") { keys in
      let url = keys.required("url", .httpURL, example: "url: http://192.168.1.5:8123")
      let tokenFile = keys.optional("token_file", .absolutePath)
      keys.hint(
        "token", "put the token into a file of its own and name that file with \"token_file\"")
      guard let url else { return nil }
      return Configuration.HomeAssistantSettings(url: url, tokenFile: tokenFile)
    }
  }
}

extension ConfigurationRule<[UInt8]> {
  static var deviceName: Self {
    .section(example: "device: { name: Boat }") { keys in keys.optional("name", .name) }
  }
}

extension ConfigurationRule<Configuration.LocationSettings?> {
  static var location: Self {
    .word(
      [("off", nil)],
      or: .section(example: "location: { source: gpsd }") { keys in
        _ = keys.required(
          "source", ConfigurationRule<Void>.word([("gpsd", ())]), example: "source: gpsd")
        return Configuration.LocationSettings(
          host: keys.optional("host", .host, default: [UInt8](literal: "127.0.0.1")),
          port: keys.optional("port", .port, default: 2947))
      },
      remedy: "write off or { source: gpsd }")
  }
}

extension ConfigurationRule<Configuration.BatterySettings> {
  static var battery: Self {
    .word(
      [("auto", .automatic), ("off", .off)],
      or: ConfigurationRule<[[UInt8]]>.list(
        of: .supplyName.unique(among: SeenValues(), by: ==), count: 1...Configuration.suppliesMax,
        example: "[BAT0]"
      ).map { .supplies($0) },
      remedy: "write auto, off or a list of names, such as [BAT0]")
  }
}

extension ConfigurationRule<Configuration.SystemSensors> {
  static var system: Self {
    .word(
      [("auto", .all), ("off", [])],
      or: ConfigurationRule<[Configuration.SystemSensors]>.list(
        of: .systemSensor.unique(among: SeenValues(), by: ==), count: 1...5,
        example: "[cpu_temperature, load]"
      ).map { sensors in sensors.reduce(into: []) { $0.formUnion($1) } },
      remedy: "write auto, off or a list, such as [cpu_temperature, load]")
  }

  private static var systemSensor: Self {
    .word([
      ("cpu_temperature", .cpuTemperature), ("load", .load), ("memory", .memory),
      ("uptime", .uptime), ("disk", .disk),
    ])
  }
}

extension ConfigurationRule<Configuration.HostPaths> {
  static var hostPaths: Self {
    .section(example: "host: { proc: /proc, sys: /sys }") { keys in
      Configuration.HostPaths(
        proc: keys.optional("proc", .absolutePath, default: [UInt8](literal: "/proc")),
        sys: keys.optional("sys", .absolutePath, default: [UInt8](literal: "/sys")))
    }
  }
}

extension ConfigurationRule<[Configuration.GPIOSensorSettings]> {
  static var sensors: Self {
    let lines = SeenValues<Configuration.GPIOLineAddress>()
    let names = SeenValues<[UInt8]>()
    return .list(
      of: .sensor(lines: lines, names: names), count: 0...Configuration.sensorsMax,
      example: "[{ gpio: GPIO17, name: Bilge }]")
  }
}

extension ConfigurationRule<Configuration.GPIOSensorSettings> {
  /// One sensor; `lines` and `names` are those of the sensors before it.
  static func sensor(
    lines: SeenValues<Configuration.GPIOLineAddress>, names: SeenValues<[UInt8]>
  ) -> Self {
    .section(example: "{ gpio: GPIO17, name: Bilge }") { keys in
      let line = keys.required(
        "gpio", .gpioLine.unique(among: lines, by: ==), example: "gpio: GPIO17")
      let name = keys.required(
        "name", .name.unique(among: names) { $0.lowercasedASCII == $1.lowercasedASCII },
        example: "name: Bilge")
      let deviceClass = keys.optional("device_class", .deviceClass)
      let icon = keys.optional("icon", .icon)
      let debounce = keys.optional(
        "debounce", .duration(in: Configuration.debounceRange, example: "50ms"),
        default: .milliseconds(20))
      let isUrgent = keys.optional("urgent", .boolean, default: false)
      let isActiveLow = keys.optional("active_low", .boolean, default: false)
      let bias = keys.optional("bias", .bias, default: .asIs)
      guard let line, let name else { return nil }
      return Configuration.GPIOSensorSettings(
        line: line, name: name, deviceClass: deviceClass, icon: icon, debounce: debounce,
        isUrgent: isUrgent, isActiveLow: isActiveLow, bias: bias)
    }
  }
}

extension ConfigurationRule<Configuration.GPIOBias> {
  static var bias: Self {
    .word([
      ("as_is", .asIs), ("pull_up", .pullUp), ("pull_down", .pullDown), ("disabled", .disabled),
    ])
  }
}

extension ConfigurationRule<[UInt8]> {
  /// The device classes of Home Assistant's binary sensors.
  static var deviceClass: Self {
    let words: [StaticString] = [
      "battery", "battery_charging", "carbon_monoxide", "cold", "connectivity", "door",
      "garage_door", "gas", "heat", "light", "lock", "moisture", "motion", "moving", "occupancy",
      "opening", "plug", "power", "presence", "problem", "running", "safety", "smoke", "sound",
      "tamper", "update", "vibration", "window",
    ]
    return .word(words.map { ($0, [UInt8](literal: $0)) })
  }
}

extension Configuration.HostPaths {
  static let standard = Configuration.HostPaths(
    proc: [UInt8](literal: "/proc"), sys: [UInt8](literal: "/sys"))
}

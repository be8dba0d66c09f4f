import Bytes
import Drivers
import Outbox
import Sensing
import YAML

// The configuration file, key by key. The properties of `Configuration` describe the keys; a key
// that is not read here is an unknown key.

extension ConfigurationField {
  /// Reads the whole file; mistakes are reported and left out.
  func configuration(on board: BoardLook? = nil) -> Configuration? {
    guard let keys = section(example: "home_assistant: { url: http://192.168.1.5:8123 }") else {
      return nil
    }
    defer { keys.reportUnknownKeys() }
    keys.hint(
      "card",
      remedy:
        "only homeward provision reads it, in homeward.yaml of a card image: as a section that begins"
        + " at the margin, outside of braces")
    let everyField = keys.optional("every")
    let every = everyField?.duration(in: Configuration.everyRange, example: "60s")
    let uploadEvery = keys.optional("upload")?.uploadInterval(cycle: every ?? .standardEvery)
    let stateDirectory = keys.optional("state_directory")?.absolutePath()
    let homeAssistant = keys.required(
      "home_assistant", example: "home_assistant: { url: http://192.168.1.5:8123 }")?
      .homeAssistant()
    let notificationsField = keys.optional("notifications")
    let push = keys.optional("push")?.push(in: stateDirectory)
    let durability = keys.optional("durability")?.durability()
    let history = keys.optional("history")?.history()
    let deviceName = keys.optional("device")?.deviceName()
    let locationField = keys.optional("location")
    let batteryField = keys.optional("battery")
    let system = keys.optional("system").map { SystemSettings($0) }
    let host = keys.optional("host")?.hostPaths()
    let pinNames = board.map { PinNames(of: host ?? .standard, look: $0) }
    let taken = TakenNames { pinNames?.name(of: $0) }
    let fields = (
      sensors: keys.optional("sensors"), outputs: keys.optional("outputs"),
      commands: keys.optional("commands")
    )
    let commands = fields.commands?.commands() ?? []
    let location = locationField.flatMap {
      GPSDSettings(
        $0, notAmong: taken, isAnchorCommanded: commands.allows(.anchor))
    }
    let sensors = fields.sensors.map { SensorKind.list($0, notAmong: taken) } ?? []
    let outputs = fields.outputs.map { OutputSettings.list($0, notAmong: taken) } ?? []
    // The battery may name sensors.
    let battery = batteryField.map {
      BatterySettings($0, among: sensors.flatMap { $0.measured })
    }
    let power =
      keys.optional("power")?.powerLevels(
        hasBattery: battery != .off, hasReceiver: location != nil) ?? []
    keys.ignore(
      "after_upload", because: "the agent does not start programs",
      remedy: "remove it; a shell starts the program with homeward run --once && PROGRAM, a unit of"
        + " systemd with OnSuccess=")
    let takesNotifications = notificationsField?.takesNotifications(commands, push)
    if location?.anchor != nil, let every, every > AnchorSettings.cycleMax {
      everyField?.report(
        "an anchor watch judges one fix per cycle, so it detects a dragging anchor 2 cycles late",
        remedy:
          "write \(AnchorSettings.cycleMax) or less, such as 10s; or leave out location.anchor"
      )
    }
    return Configuration(
      every: every ?? .standardEvery, uploadEvery: uploadEvery,
      stateDirectory: stateDirectory ?? [UInt8](Configuration.defaultStateDirectory),
      homeAssistant: homeAssistant ?? Configuration.withoutFile.homeAssistant,
      takesNotifications: takesNotifications ?? !commands.isEmpty, push: push,
      durability: durability ?? .batch, history: history ?? .init(),
      deviceName: deviceName, location: location,
      battery: battery ?? .automatic, system: system ?? .all,
      host: host ?? .standard, sensors: sensors, outputs: outputs, power: power,
      commands: commands)
  }

  /// Returns the time between two uploads, which is longer than a cycle.
  private func uploadInterval(cycle: Duration) -> Duration? {
    guard let keys = section(example: "upload: { every: 5min }") else { return nil }
    defer { keys.reportUnknownKeys() }
    guard let field = keys.required("every", example: "every: 5min"),
      let interval = field.duration(in: Configuration.everyRange, example: "5min")
    else { return nil }
    guard interval > cycle else {
      field.report(
        "an upload sends the data of several cycles, and a cycle takes \(cycle)",
        remedy: "write more than \(cycle), or leave out upload: then each cycle ends with an"
          + " upload")
      return nil
    }
    return interval
  }

  private func commands() -> CommandKinds {
    let words = CommandKind.allCases.map { $0.word }
    let seen = SeenTexts()
    var commands: CommandKinds = []
    for item in items(count: 0...words.count, example: "[request_location_update]") {
      guard let index = item.word(of: words) else { continue }
      seen.add([UInt8](words[index]), of: item)
      commands.insert(CommandKinds(CommandKind.allCases[index]))
    }
    return commands
  }

  private func durability() -> Durability? {
    let levels: [Durability] = [.reading, .batch, .memory]
    return word(of: ["reading", "batch", "memory"]).map { levels[$0] }
  }

  private func history() -> Configuration.HistorySettings? {
    guard let keys = section(example: "history: { bytes_per_minute: 100000 }") else { return nil }
    defer { keys.reportUnknownKeys() }
    keys.ignore(
      "order", because: "history is sent in the order in which it was recorded",
      remedy: "remove it")
    return Configuration.HistorySettings(
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

  private func hostPaths() -> Configuration.HostPaths? {
    guard let keys = section(example: "host: { proc: /proc, sys: /sys }") else { return nil }
    defer { keys.reportUnknownKeys() }
    return Configuration.HostPaths(
      proc: keys.optional("proc")?.absolutePath() ?? Configuration.HostPaths.standard.proc,
      sys: keys.optional("sys")?.absolutePath() ?? Configuration.HostPaths.standard.sys,
      boards: keys.optional("boards")?.absolutePath() ?? Configuration.HostPaths.standard.boards)
  }
}

/// Finds the board file of a machine; nil if it has no usable one.
typealias BoardLook = (Configuration.HostPaths) -> BoardFile?

/// The names of the pins that lines are at. The board is read only if there is a line.
private final class PinNames {
  private let host: Configuration.HostPaths
  private let look: BoardLook
  private lazy var board: BoardFile? = look(host)

  init(of host: Configuration.HostPaths, look: @escaping BoardLook) {
    self.host = host
    self.look = look
  }

  /// Returns the pin's name; nil if the line is at no pin of the board, or the board is unknown.
  func name(of line: GPIOLineAddress) -> [UInt8]? {
    guard let board, let place = board.places(of: line).first else { return nil }
    let header = board.headers[place.header].name
    return ("\(bytes: header)_\(place.pin + 1)" as MessageText).bytes
  }
}

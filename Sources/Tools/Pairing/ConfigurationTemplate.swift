import Board
import Bytes
import Drivers
import LinuxIO
import Sensing
import YAML

/// Configuration that `pair` writes: its options, and its findings on this board. Examples follow a
/// `#` alone, and are YAML without it; prose follows `# `.
struct ConfigurationTemplate {
  let url: [UInt8]
  /// Certificates of its authorities; nil for those of the system.
  var authorityFile: [UInt8]?
  /// Nil for the name of the host.
  var name: [UInt8]?
  /// Nil for the default directory.
  let stateDirectory: [UInt8]?

  var minimal: MessageText { "\(home)\(more)" }

  /// Parses the minimal text; refuses the name, as address and directory were checked before.
  func configuration() throws(CommandFailure) -> Configuration {
    do throws(ConfigurationErrors) { return try .parse(minimal.bytes) } catch {
      throw CommandFailure(
        code: .usage,
        text: "\(quoted: name ?? []) cannot be the name of this board; write 1 to"
          + " \(ConfigurationField.nameCharactersMax) characters")
    }
  }

  /// Returns the text with examples from this board, and with the sensors that the person chose, as
  /// indices into `findings`.
  func text(with findings: BoardFindings, adding wanted: [Int] = []) -> MessageText {
    "# What this board reports. After a change: sudo homeward check\n\(home)\(network(findings))\(more)\n"
      + location(findings) + battery(findings) + sensors(findings, wanted)
  }

  private var home: MessageText {
    let tls: MessageText = authorityFile.map { "  \(Self.authorities($0))" } ?? ""
    return "home_assistant:\n  url: \(yaml: url)\n\(tls)"
  }

  static func authorities(_ file: [UInt8]) -> MessageText { "tls: { ca_file: \(yaml: file) }\n" }

  private var more: MessageText {
    let directory: MessageText = stateDirectory.map { "state_directory: \(yaml: $0)\n" } ?? ""
    return "\(directory)\(Self.device(name))"
  }

  static func device(_ name: [UInt8]?) -> MessageText {
    name.map { "device: { name: \(yaml: $0) }\n" } ?? ""
  }

  private func network(_ findings: BoardFindings) -> MessageText {
    guard let ssid = findings.ssid else { return "" }
    return "# This is the network here. With it the board detects when it is away from home.\n"
      + "#  home_network: { ssids: [\(yaml: ssid)] }\n"
  }

  private func location(_ findings: BoardFindings) -> MessageText {
    findings.hasGPSD
      ? "# gpsd is running on this board.\nlocation: { source: gpsd }\n\n"
      : "# gpsd is not running on this board. With gpsd, the board reports its position.\n"
        + "#location: { source: gpsd }\n\n"
  }

  private func battery(_ findings: BoardFindings) -> MessageText {
    guard let first = findings.supplies.first else {
      return "# No battery was found. One that is added later is reported, unless this is off.\n"
        + "#battery: off\n\n"
    }
    let all: MessageText = "\(listed: findings.supplies, max: Self.namesMax)"
    return "# Power supplies here: \(all). All are reported; to report only some:\n"
      + "#battery: [\(yaml: first)]\n\n"
  }

  /// Limit of the names in a comment: more help no reader.
  private static let namesMax = 16

  /// Float switch between a line and ground that closes in water: the README's recipe.
  static let bilge: StaticString =
    """
    name: Bilge, device_class: moisture, bias: pull_up, active_low: true, debounce: 50ms, \
    urgent: true
    """

  private func sensors(_ findings: BoardFindings, _ wanted: [Int]) -> MessageText {
    var text: MessageText = wanted.isEmpty ? "#sensors:\n" : "sensors:\n"
    for index in findings.sensors.indices {
      guard let line = findings.sensors[index].item.line else { continue }
      let mark: StaticString = wanted.contains(index) ? "" : "#"
      text = text + "\(mark)  - \(line)\n"
    }
    let found: MessageText =
      findings.lines.isEmpty
      ? "none with a name" : "\(listed: findings.lines, max: Self.namesMax)"
    let gpio17 = [UInt8]("GPIO17")
    let line = findings.lines.contains(gpio17) ? gpio17 : findings.lines.first ?? gpio17
    return "# To list what this board has: sudo homeward sensors\n\(text)"
      + "# GPIO lines here: \(found); \"homeward pins\" draws them.\n"
      + "#  - { gpio: \(yaml: line), \(Self.bilge) }\n"
  }
}

/// Parts of this board that could be reported, for the examples in a configuration.
struct BoardFindings {
  /// More sensors are no longer an example, and the configuration accepts 64 at most.
  private static let sensorsMax = 60
  /// Maximum time for the kernel to report the network.
  private static let timeout: Duration = .milliseconds(500)

  let supplies: [[UInt8]]
  let lines: [[UInt8]]
  let hasGPSD: Bool
  /// Possible entries of `sensors`, with their present values.
  let sensors: [FoundSources.Entry]
  /// Name of the board's wireless network; nil if it cannot be typed.
  let ssid: [UInt8]?
  /// Retained because the loop refers to its sources.
  private let sources: FoundSources

  /// Searches the board. `screen` is the terminal of a person who sees the progress.
  init(for configuration: Configuration, loop: EventLoop, screen: Int32?) throws(CommandFailure) {
    ssid = try Self.ssid(loop: loop)
    let sources = try FoundSources(of: configuration, loop: loop, screen: screen, readsAll: false)
    supplies = sources.kind("battery")?.found.items.map { $0.address } ?? []
    lines = sources.kind("gpio")?.found.examples ?? []
    hasGPSD = sources.kind("location")?.found.items.isEmpty == false
    var sensors: [FoundSources.Entry] = []
    for kind in sources.kinds where kind.found.isEntry {
      for entry in kind.entries where entry.item.line != nil && sensors.count < Self.sensorsMax {
        sensors.append(entry)
      }
    }
    self.sensors = sensors
    self.sources = sources
  }

  private static func ssid(loop: EventLoop) throws(CommandFailure) -> [UInt8]? {
    let place = try NetworkLook(loop: loop).place(
      to: nil, until: Moment.now.instant + timeout
    ) { $0 != .unknown }
    guard case .wireless(let found, _) = place, let ssid = found.ssid else { return nil }
    let name = [UInt8](ssid.bytes)
    return name.canBeQuoted ? name : nil
  }
}

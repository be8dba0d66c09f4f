import Board
import Bytes
import Drivers
import LinuxIO
import Sensing
import YAML

/// What of this board could be reported, as far as it shows: for the examples in a configuration.
struct BoardFindings {
  /// More sensors are no example any more, and the configuration takes 64 at most.
  private static let sensorsMax = 60
  /// How long the kernel may take to tell the network.
  private static let timeout: Duration = .milliseconds(500)

  /// The power supplies, by their names.
  let supplies: [[UInt8]]
  /// GPIO lines that are free, by their names.
  let lines: [[UInt8]]
  let hasGPSD: Bool
  /// What could be entries of `sensors`, and what it says now.
  let sensors: [FoundSources.Entry]
  /// The wireless network that the board is in, where its name can be typed.
  let ssid: [UInt8]?
  /// It stays: the loop knows what it asked.
  private let sources: FoundSources

  /// Looks around. On `screen` a person is told what is waited for.
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

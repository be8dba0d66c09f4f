import Board
import Bytes
import Drivers
import LinuxIO
import Sensing
import YAML

/// Parts of this board that could be reported, for the examples in a configuration.
struct BoardFindings {
  /// More sensors are no longer an example, and the configuration accepts 64 at most.
  private static let sensorsMax = 60
  /// Maximum time for the kernel to report the network.
  private static let timeout: Duration = .milliseconds(500)

  /// Names of the power supplies.
  let supplies: [[UInt8]]
  /// Names of the free GPIO lines.
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

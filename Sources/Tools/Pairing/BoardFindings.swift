import Board
import Bytes
import Drivers
import LinuxIO
import Sensing

/// What of this board could be reported, as far as it shows: for the examples in a configuration.
struct BoardFindings {
  /// More lines than that are no example any more.
  private static let linesMax = 8
  /// How long the kernel and gpsd may take to answer.
  private static let timeout: Duration = .milliseconds(500)
  private static let gpsdPort: UInt16 = 2947

  let batteries: [[UInt8]]
  let lines: [[UInt8]]
  let hasGPSD: Bool
  /// The wireless network that the board is in, where its name can be typed.
  let ssid: [UInt8]?

  /// Looks around.
  static func look(loop: EventLoop) throws(CommandFailure) -> BoardFindings {
    let ssid = try NetworkLook(loop: loop).ssid(until: Moment.now.instant + timeout)
    return BoardFindings(
      batteries: batteries, lines: GPIOLineUses().names(countMax: linesMax),
      hasGPSD: isGPSDThere(loop), ssid: ssid)
  }

  private static func isGPSDThere(_ loop: EventLoop) -> Bool {
    do throws(Errno) {
      guard let gpsd = try connectStream(host: [UInt8]("localhost"), port: gpsdPort) else {
        return false
      }
      // On the same machine it is connected by then, or never will be.
      try loop.turn(until: Moment.now.instant + .milliseconds(50))
      return try gpsd.send("?VERSION;\n") > 0
    } catch {
      return false
    }
  }

  private static var batteries: [[UInt8]] {
    let folder = Path("/sys/class/power_supply")
    var names: [[UInt8]] = []
    try? DirectoryReader(opening: folder).forEachName { (name) throws(Errno) in
      let name = [UInt8](name)
      let type = try? readFile(at: folder / name / "type", byteCountMax: 32)
      if type == [UInt8]("Battery\n"), name.canBeQuoted { names.append(name) }
    }
    return names
  }
}

extension [UInt8] {
  /// Whether it can stand in a configuration: it is UTF-8, and holds nothing invisible.
  var canBeQuoted: Bool { !isEmpty && printable == self }
}

/// Asks the kernel once in which network the board is.
private final class NetworkLook: HomeNetworkOwner {
  private let loop: EventLoop
  private var network: HomeNetwork?

  init(loop: EventLoop) { self.loop = loop }

  func ssid(until end: Instant) throws(CommandFailure) -> [UInt8]? {
    let network = HomeNetwork(loop: loop, owner: self)
    self.network = network
    network.start(now: Moment.now.instant)
    while network.place == .unknown, Moment.now.instant < end {
      try loop.wait(until: earliest(network.deadline, end))
      network.deadlineReached(now: Moment.now.instant)
    }
    network.stop()
    self.network = nil
    guard case .wireless(let found, _) = network.place, let ssid = found.ssid else { return nil }
    let name = [UInt8](ssid.bytes)
    return name.canBeQuoted ? name : nil
  }

  func placeChanged() {}
  // It is an example only.
  func homeNetworkFailed(_ failure: SourceFailure) {}
  func homeNetworkRecovered() {}
}

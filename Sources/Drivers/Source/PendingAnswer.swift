import Bytes
import LinuxIO

/// The wait for a file that is read beside the loop: a cycle waits a limited time for the answer; a
/// later answer is part of the next cycle.
struct PendingAnswer {
  /// Time after which a driver counts as silent.
  static let silentAfter: Duration = .seconds(60)

  /// Time that a cycle waits.
  private let timeout: Duration
  /// Time of the request; nil if it is answered.
  private var askedAt: Instant?
  /// End of the wait of the current cycle; nil if it does not wait.
  private(set) var deadline: Instant?

  init(timeout: Duration) { self.timeout = timeout }

  var isAwaited: Bool { askedAt != nil }

  func isOverdue(now: Instant, after wait: Duration = Self.silentAfter) -> Bool {
    guard let askedAt else { return false }
    return now - askedAt >= wait
  }

  mutating func asked(at now: Instant) {
    askedAt = now
    deadline = now + timeout
  }

  mutating func answered() {
    askedAt = nil
    deadline = nil
  }

  mutating func deadlineReached(now: Instant) {
    if let deadline, now >= deadline { self.deadline = nil }
  }
}

extension DeviceBus {
  /// Prefixes of the directories whose devices delay one another: the adapters of I2C, of which one
  /// behind a multiplexer waits for the one before it, and the masters of 1-Wire.
  private static let shared: [StaticString] = ["i2c-", "w1_bus_master"]

  /// Finds the bus of the device at a directory of sysfs, most often a link. A device without a
  /// shared bus has a bus of its own.
  init(ofDeviceAt directory: Path) {
    let place = Self.place(of: directory).bytes
    let bus = place.split(separator: UInt8(ascii: "/")).first { part in
      Self.shared.contains { [UInt8](part).span.starts(with: $0) }
    }
    let name = bus.map { [UInt8]($0) } ?? place
    self.init(named: name.span)
  }

  private static func place(of directory: Path) -> Path {
    // The reader of a missing device reports it.
    do throws(Errno) { return try target(ofLinkAt: directory) ?? directory } catch {
      return directory
    }
  }
}

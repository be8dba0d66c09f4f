import Bytes
import LinuxIO

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

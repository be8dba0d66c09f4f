import Bytes
import LinuxIO

extension DeviceBus {
  /// What the directories begin with whose devices keep one another waiting: the adapters of I2C,
  /// where one behind a multiplexer waits for the one before it, and the masters of 1-Wire.
  private static let shared: [StaticString] = ["i2c-", "w1_bus_master"]

  /// The bus of the device that a directory of sysfs is, most often a link to where it is. A device
  /// without such a bus has one of its own.
  init(ofDeviceAt directory: Path) {
    let place = Self.place(of: directory).bytes
    let bus = place.split(separator: UInt8(ascii: "/")).first { part in
      Self.shared.contains { [UInt8](part).span.starts(with: $0) }
    }
    let name = bus.map { [UInt8]($0) } ?? place
    self.init(named: name.span)
  }

  private static func place(of directory: Path) -> Path {
    // What is gone is told by who reads it.
    do throws(Errno) { return try target(ofLinkAt: directory) ?? directory } catch {
      return directory
    }
  }
}

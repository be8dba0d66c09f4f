import Bytes
public import LinuxIO

/// The device tree that the kernel was started with, as sysfs shows it in
/// `firmware/devicetree/base` (Documentation/ABI/testing/sysfs-firmware-ofw).
public struct DeviceTree: Sendable {
  private static let propertyByteCountMax = 4096

  private let root: Path
  /// Names of the board, the most exact first; empty on a machine without a device tree.
  public let compatible: [[UInt8]]
  /// Model name from the maker; empty if there is none.
  public let model: [UInt8]

  /// - Parameter sys: mount point of sysfs.
  /// - Throws: the failure to read the tree; a machine without a tree is not a failure.
  public init(of sys: Path) throws(BoardFileFailure) {
    root = sys / "firmware/devicetree/base"
    do throws(Errno) {
      compatible = try Self.property("compatible", of: root)
      model = try Self.property("model", of: root).first ?? []
    } catch {
      throw .unreadable(root, error)
    }
  }

  /// Returns the texts of a property, which end with a NUL each; empty if it does not exist.
  private static func property(
    _ name: StaticString, of node: Path
  ) throws(Errno) -> [[UInt8]] {
    do throws(Errno) {
      let bytes = try readFile(at: node / name, byteCountMax: propertyByteCountMax)
      return bytes.split(separator: 0).map { [UInt8]($0) }
    } catch .noSuchFile {
      return []
    }
  }

  /// Returns whether the kernel uses the device at a node; nil if the node does not exist or cannot
  /// be read.
  public func isEnabled(_ node: [UInt8]) -> Bool? {
    let path = root / [UInt8](node.drop { $0 == UInt8(ascii: "/") })
    do throws(Errno) {
      // Each node has a name, and a node without a status is enabled.
      guard try !Self.property("name", of: path).isEmpty else { return nil }
      let status = try Self.property("status", of: path).first ?? [UInt8]("okay")
      return status.span.elementsEqual("okay") || status.span.elementsEqual("ok")
    } catch {
      return nil
    }
  }
}

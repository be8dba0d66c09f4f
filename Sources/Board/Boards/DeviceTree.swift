import Bytes
public import LinuxIO

/// The device tree that the kernel was started with, as sysfs shows it in
/// `firmware/devicetree/base` (Documentation/ABI/testing/sysfs-firmware-ofw).
public struct DeviceTree: Sendable {
  /// The longest property that is read.
  private static let propertyByteCountMax = 4096

  private let root: Path
  /// What the board is, the most exact word first; empty on a machine without a device tree.
  public let compatible: [[UInt8]]
  /// What the board's maker calls it; empty where that is not said.
  public let model: [UInt8]

  /// - Parameter sys: where sysfs is mounted.
  /// - Throws: why the tree cannot be read; that there is none is no error.
  public init(of sys: Path) throws(BoardFileFailure) {
    root = sys / "firmware/devicetree/base"
    do throws(Errno) {
      compatible = try Self.property("compatible", of: root)
      model = try Self.property("model", of: root).first ?? []
    } catch {
      throw .unreadable(root, error)
    }
  }

  /// Texts with a NUL behind each; none where there is no such property.
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

  /// Whether the kernel was told to use the device at a node; nil where there is no such node, or
  /// it cannot be read.
  public func isEnabled(_ node: [UInt8]) -> Bool? {
    let path = root / [UInt8](node.drop { $0 == UInt8(ascii: "/") })
    do throws(Errno) {
      // Each node has a name, and those without a status are enabled.
      guard try !Self.property("name", of: path).isEmpty else { return nil }
      let status = try Self.property("status", of: path).first ?? [UInt8]("okay")
      return status.span.elementsEqual("okay") || status.span.elementsEqual("ok")
    } catch {
      return nil
    }
  }
}

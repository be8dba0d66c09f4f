import Bytes
import LinuxIO

extension OneWireSettings {
  /// Number of characters at the end of an id that distinguish a part from the others of a board.
  private static let endByteCount = 4

  /// Returns the thermometers that the kernel has found on its 1-Wire buses.
  static func found(in search: BoardSearch) -> FoundKind {
    var kind = FoundKind("Thermometers on 1-Wire", key: key)
    for id in BoardSearch.names(in: search.sys / "bus" / "w1" / "devices")
    where isThermometer(id.span) {
      let end = [UInt8](id.suffix(endByteCount))
      kind.append(search.entry(key, [id], named: [[UInt8]("Thermometer ") + end]))
    }
    return kind
  }
}

import Bytes

/// Returns a unique id from a fixed prefix and an external name: in lower case, with `_` for every
/// byte that is neither a letter nor a digit of ASCII.
public func uniqueID(_ prefix: StaticString, _ name: Span<UInt8>) -> [UInt8] {
  var identifier = [UInt8](prefix)
  for index in name.indices {
    switch name[index] {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      identifier.append(name[index])
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): identifier.append(name[index] | 0x20)
    default: identifier.append(UInt8(ascii: "_"))
    }
  }
  return identifier
}

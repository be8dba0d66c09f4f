import Bytes

/// DNS name: labels of 1 to 63 bytes. The case of ASCII letters is ignored in comparisons (RFC
/// 6762, 16).
struct DomainName: Hashable, Sendable {
  /// Maximum length in bytes, with the lengths of the labels and the empty label at the end (RFC
  /// 1035, 3.1).
  static let byteCountMax = 255

  /// Bytes of the name in a message without compression.
  let wire: [UInt8]
  private let folded: [UInt8]

  init(wire: [UInt8]) {
    self.wire = wire
    folded = wire.map { $0.asciiLowercased }  // Lengths are below the letters.
  }

  /// Creates a name from labels such as `["local"]`, of 1 to 63 bytes each.
  init(_ labels: [StaticString]) {
    var wire: [UInt8] = []
    for label in labels {
      wire.append(UInt8(label.utf8CodeUnitCount))
      wire += [UInt8](label)
    }
    self.init(wire: wire + [0])
  }

  var firstLabel: Text {
    let length = Int(wire[0])
    return Text(wire.span.extracting(1..<1 + length))
  }

  /// Name without its first label; nil for the root.
  var parent: DomainName? {
    guard wire[0] > 0 else { return nil }
    return DomainName(wire: [UInt8](wire[(1 + Int(wire[0]))...]))
  }

  static func == (left: DomainName, right: DomainName) -> Bool {
    left.folded.span.elementsEqual(right.folded.span)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

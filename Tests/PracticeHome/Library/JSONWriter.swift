extension JSON {
  /// Compact JSON whose numbers read back as they were.
  public var text: String {
    var output = ""
    write(to: &output)
    return output
  }

  var bytes: [UInt8] { Array(text.utf8) }

  private func write(to output: inout String) {
    switch self {
    case .null: output += "null"
    case .bool(let value): output += value ? "true" : "false"
    case .integer(let value): output += String(value)
    // Python's "nan" and "inf" come out as null, because JSON has no word for them.
    case .float(let value): output += value.isFinite ? Python.repr(value) : "null"
    case .string(let value): Self.write(value, to: &output)
    case .array(let values):
      output += "["
      for (index, value) in values.enumerated() {
        if index > 0 { output += "," }
        value.write(to: &output)
      }
      output += "]"
    case .object(let object):
      output += "{"
      for (index, pair) in object.pairs.enumerated() {
        if index > 0 { output += "," }
        Self.write(pair.key, to: &output)
        output += ":"
        pair.value.write(to: &output)
      }
      output += "}"
    }
  }

  private static func write(_ text: String, to output: inout String) {
    output += "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": output += "\\\""
      case "\\": output += "\\\\"
      case "\n": output += "\\n"
      case "\r": output += "\\r"
      case "\t": output += "\\t"
      case "\u{08}": output += "\\b"
      case "\u{0C}": output += "\\f"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        output += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: output.unicodeScalars.append(scalar)
      }
    }
    output += "\""
  }

  /// True if some integer is wider than 64 bits: the serializer of Home Assistant gives up then.
  var hasOversizedInteger: Bool {
    switch self {
    case .integer(let value): value > Int128(UInt64.max) || value < Int128(Int64.min)
    case .array(let values): values.contains(where: \.hasOversizedInteger)
    case .object(let object): object.pairs.contains { $0.value.hasOversizedInteger }
    default: false
    }
  }
}

/// The body of a form, `application/x-www-form-urlencoded`: "a=1&b=x+y%21".
enum Form {
  static let contentType = "application/x-www-form-urlencoded"

  /// The fields of a request, the first value of each; none if it is not a form.
  static func fields(of request: Request) -> [String: String] {
    let type = request.header("Content-Type")?.prefix { $0 != ";" } ?? ""
    guard String(type).trimmed.lowercased() == contentType else { return [:] }
    return parse(request.body)
  }

  /// The same text stands behind the question mark of an address.
  static func parse(_ bytes: [UInt8]) -> [String: String] {
    var fields: [String: String] = [:]
    for pair in bytes.split(separator: UInt8(ascii: "&")) {
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      let value = pair.dropFirst(name.count + 1)
      let key = decode(name)
      if fields[key] == nil { fields[key] = decode(value) }
    }
    return fields
  }

  private static func decode(_ text: ArraySlice<UInt8>) -> String {
    var output: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "+") {
        output.append(0x20)
      } else if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        output.append(value)
        rest = rest.dropFirst(2)
      } else {
        output.append(byte)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}

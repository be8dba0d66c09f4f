import Bytes
import Testing

/// Reads one value and nothing else.
func checkJSON(_ bytes: [UInt8]) throws(JSONError) {
  var reader = JSONReader(bytes.span)
  try reader.skipValue()
  try reader.finish()
}

/// A number inside so many values.
func nested(_ open: String, _ close: String, _ depth: Int) -> String {
  String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
}

@Suite struct JSONReaderTests {
  private func check(_ text: String) throws(JSONError) { try checkJSON([UInt8](text.utf8)) }
  private func integer(_ text: String) throws(JSONError) -> Int64 {
    let bytes = [UInt8](text.utf8)
    var reader = JSONReader(bytes.span)
    return try reader.integer()
  }
  private func string(_ text: String) throws -> String {
    let bytes = [UInt8](text.utf8)
    var reader = JSONReader(bytes.span)
    var buffer = ByteBuffer(capacity: 256)
    let text = try reader.text()
    text.append(to: &buffer)
    let (written, owned) = ([UInt8](buffer.bytes), Text(text).bytes)
    #expect(written == owned)
    return String(decoding: written, as: UTF8.self)
  }

  @Test(arguments: [
    "0", "-0", "1", "-1", "10", "1.5", "-0.1", "0e1", "1E+2", "1e-2", "20e1", "123.456e78",
    "true", "false", "null", #""""#, #""a""#, #""\"\\\/\b\f\n\r\t""#, #""\u0060\u012a\uABcd""#,
    #""\uD801\udc37""#, "\"\u{7F}\u{2028}é🚐\"", "[]", "[ ]", "[1]", "[[],[[]]]", "[1,2 ,3]",
    "[null, 1, \"1\", {}]", "{}", "{ }", #"{"":0}"#, #"{"a":1,"a":2}"#,
    #"{"a":{"b":[]}, "c":[{}]}"#,
    " \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n", #" {"a" : 1 , "b" : 2 } "#,
  ])
  func validJSONIsAccepted(text: String) throws {
    try check(text)
  }

  @Test(arguments: [
    "[1 2]", "[,1]", "[1,]", "[1,,2]", "[1}", "[}", "{]", "{1:1}", #"{"a",1}"#, #"{"a":1,}"#,
    #"{,"a":1}"#, #"{"a":1 "b":2}"#, #"{"a"::1}"#, #"{"a":}"#, "{a:1}", "{'a':1}", "[a]", "]", "}",
    ",", ":", "01", "-01", "00", "+1", ".5", "1.e1", "1.a", "-a", "1ea", "1e+-1", "0x1",
    "1_000", "NaN", "nan", "Infinity", "-Infinity", "True", "nul ", "truth", "nulll", "falsey",
    #""\x""#, #""\u12G4""#, #""\u+123""#, #""\'""#, "\"\n\"", "\"\t\"", "\"\u{0}\"", "'a'", "1 2",
    "[] []", "{}x", "[1]]", "/* */1", "// \n1", "\u{FEFF}1", "\u{A0}1", "\u{B}1", "\u{C}1",
    "1\u{0}",
  ])
  func whatIsNotJSONIsRefusedWhereItGoesWrong(text: String) {
    let error = #expect(throws: JSONError.self) { try check(text) }
    guard case .unexpected(at: let position) = error else {
      Issue.record("\(text)")
      return
    }
    #expect(position < text.utf8.count)
  }

  @Test(
    arguments: [
      ("", 0), (" ", 0), ("[1 2]", 3), ("01", 1), ("[012]", 2), (#"{"a":1,}"#, 7), ("1 2", 2),
      ("-a", 1), ("1.a", 2), (#""\u12G4""#, 5), (#""\q""#, 2), ("trux", 3),
    ] as [(String, Int)])
  func theErrorPointsAtTheByteThatCannotStandThere(text: String, position: Int) {
    let isBlank = text.utf8.allSatisfy(\.isASCIISpace)
    let expected = isBlank ? JSONError.truncated : .unexpected(at: position)
    #expect(throws: expected as JSONError) { try check(text) }
  }

  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("-1", -1), ("9223372036854775807", Int64.max),
      ("-9223372036854775808", Int64.min), (" 42 ", 42),
    ] as [(String, Int64)])
  func wholeNumbersAreReadUpToTheLimits(text: String, number: Int64) throws {
    #expect(try integer(text) == number)
  }

  @Test(arguments: [
    "9223372036854775808", "-9223372036854775809", "18446744073709551616",
    "100000000000000000000000000000000000000000",
  ])
  func wholeNumbersBeyondTheLimitsAreOutOfRange(text: String) {
    #expect(throws: JSONError.outOfRange(at: 0)) { try integer(text) }
  }

  @Test(arguments: [("1.0", 1), ("10e2", 2), ("-1.5", 2), ("\"1\"", 0), ("true", 0), ("[1]", 0)])
  func whatIsNoWholeNumberIsNotReadAsOne(text: String, position: Int) {
    #expect(throws: JSONError.unexpected(at: position)) { try integer(text) }
  }

  @Test(
    arguments: [
      (#""plain é""#, "plain é"), (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
      (#""\u0041\u00e9\u20AC""#, "Aé€"), (#""\ud83d\ude90!""#, "🚐!"), (#""\u0000""#, "\u{0}"),
      (#""\uFFFF""#, "\u{FFFF}"), (#""\udbff\udfff""#, "\u{10FFFF}"),
      (#""\ud83d""#, "\u{FFFD}"), (#""\ude90""#, "\u{FFFD}"), (#""\ud83dx""#, "\u{FFFD}x"),
      (#""\ud83d\n""#, "\u{FFFD}\n"), (#""\ud83d\nde90""#, "\u{FFFD}\nde90"),
      (#""\ud83d\u0041""#, "\u{FFFD}A"),
      (#""\ud83d\ud83d\ude90""#, "\u{FFFD}🚐"), (#""\ude90\ud83d""#, "\u{FFFD}\u{FFFD}"),
      (#""\\u0041""#, #"\u0041"#), (#""""#, ""),
    ] as [(String, String)])
  func escapesAreUndone(json: String, meaning: String) throws {
    #expect(try Array(string(json).unicodeScalars) == Array(meaning.unicodeScalars))
  }

  @Test func anObjectIsReadByKeyAndWhatIsUnknownIsSkipped() throws {
    let bytes = [UInt8](
      #"{"x":[{"id":9},"}"],"id":7,"on":true,"list":[1,2,3],"last":null}"#.utf8)
    var reader = JSONReader(bytes.span)
    var (id, on, sum) = (Int64(0), false, Int64(0))
    var skipped: [String] = []
    try reader.openObject()
    while let key = try reader.nextKey() {
      if key.elementsEqual("id") {
        id = try reader.integer()
      } else if key.elementsEqual("on") {
        on = try reader.boolean()
      } else if key.elementsEqual("list") {
        try reader.openArray()
        while try reader.nextElement() { sum += try reader.integer() }
      } else {
        let range = try reader.skipValue()
        skipped.append(String(decoding: bytes[range], as: UTF8.self))
      }
    }
    try reader.finish()
    #expect(id == 7)
    #expect(on)
    #expect(sum == 6)
    #expect(skipped == [#"[{"id":9},"}"]"#, "null"])
  }

  @Test(
    arguments: [
      ("{}", .object), (" []", .array), ("\"\"", .string), ("-1", .number), ("5", .number),
      ("true", .boolean), ("false", .boolean), ("null", .null),
    ] as [(String, JSONReader.Kind)])
  func theKindOfAValueIsKnownBeforeItIsRead(text: String, kind: JSONReader.Kind) throws {
    let bytes = [UInt8](text.utf8)
    var reader = JSONReader(bytes.span)
    #expect(try reader.nextKind() == kind)
    try reader.skipValue()
    try reader.finish()
  }

  @Test func nestingIsFollowedToTheLimitAndNotBeyond() throws {
    let limit = JSONReader.depthMax
    try check(nested("[", "]", limit))
    try check(nested(#"{"a":"#, "}", limit))
    try check(nested(#"[{"a":"#, "}]", limit / 2))
    #expect(throws: JSONError.tooDeep) { try check(nested("[", "]", limit + 1)) }
    #expect(throws: JSONError.tooDeep) { try check(nested(#"{"a":"#, "}", limit + 1)) }
    #expect(throws: JSONError.tooDeep) { try check(String(repeating: "[", count: 1_000_000)) }
  }

  @Test func whatTheCallerDoesNotReadIsPassedOver() throws {
    let bytes = [UInt8](#"{"a":[1,{"x":2}],"b":"c","d":4}"#.utf8)
    var reader = JSONReader(bytes.span)
    var keys: [String] = []
    try reader.openObject()
    while let key = try reader.nextKey() {
      keys.append(String(decoding: [UInt8](key.raw), as: UTF8.self))
    }
    try reader.finish()
    #expect(keys == ["a", "b", "d"])
  }

  @Test func aValueIsTakenAtOnceOnlyWhereItIsWrittenJustSo() throws {
    let bytes = [UInt8](#"{"a":{"b":1},"c":{"b":1}}"#.utf8)
    var reader = JSONReader(bytes.span)
    var isTaken: [Bool] = []
    try reader.openObject()
    isTaken.append(reader.skipValue(written: #"{"b":1}"#))
    _ = try reader.nextKey()
    isTaken.append(reader.skipValue(written: #"{"b":2}"#))
    isTaken.append(reader.skipValue(written: #"{"b":1},"c":{"b":1}}}"#))
    isTaken.append(reader.skipValue(written: #"{"b":1}"#))
    isTaken.append(reader.skipValue(written: #"{"b":1}"#))
    #expect(isTaken == [false, false, false, true, false])
    let next = try reader.nextKey()
    #expect(next?.elementsEqual("c") == true)
    let isLast = try reader.nextKey() == nil
    #expect(isLast)
    try reader.finish()
  }

  @Test(arguments: [("[]", 0), ("[1]", 1), (#"[[2,3],"a",{"b":4}]"#, 3)])
  func elementsThatTheCallerDoesNotReadArePassedOver(text: String, count: Int) throws {
    let bytes = [UInt8](text.utf8)
    var reader = JSONReader(bytes.span)
    try reader.openArray()
    for _ in 0..<count { #expect(try reader.nextElement()) }
    #expect(try !reader.nextElement())
    try reader.finish()
  }

  @Test(arguments: [
    "01", "-", "1e", "1.", "[1,01,2]", #"{"id":01}"#, #"{"id":-,"a":1}"#, #"{"id":1e}"#,
    #"{"a":"\x"}"#, "[tru]", "[1 2]", #"{"a" 1}"#, "", String(repeating: "[", count: 65),
  ])
  func aReaderThatFailedStaysFailed(text: String) throws {
    let bytes = [UInt8](text.utf8)
    var reader = JSONReader(bytes.span)
    let failure = #expect(throws: JSONError.self) { try reader.skipValue() }
    let error = try #require(failure)
    for call in ReaderCall.allCases {
      #expect(throws: error as JSONError, "\(call)") { try call.make(on: &reader) }
    }
  }

  @Test func aNumberThatIsNotWholeCanBeReadOver() throws {
    let bytes = [UInt8]("[1,1.5,99999999999999999999,-2]".utf8)
    var reader = JSONReader(bytes.span)
    var numbers: [Int64?] = []
    try reader.openArray()
    while try reader.nextElement() { numbers.append(try reader.integerIfWhole()) }
    try reader.finish()
    #expect(numbers == [1, nil, nil, -2])
  }
}

/// Whatever can be asked of a reader.
enum ReaderCall: CaseIterable {
  case nextKind, openObject, openArray, nextKey, nextElement, text, boolean, number, null, integer
  case integerIfWhole, skipValue, finish

  func make(on reader: inout JSONReader) throws(JSONError) {
    switch self {
    case .nextKind: _ = try reader.nextKind()
    case .openObject: try reader.openObject()
    case .openArray: try reader.openArray()
    case .nextKey: _ = try reader.nextKey()
    case .nextElement: _ = try reader.nextElement()
    case .text:
      var buffer = ByteBuffer(capacity: 64)
      try reader.text().append(to: &buffer)
    case .boolean: _ = try reader.boolean()
    case .number: _ = try reader.number()
    case .null: try reader.null()
    case .integer: _ = try reader.integer()
    case .integerIfWhole: _ = try reader.integerIfWhole()
    case .skipValue: try reader.skipValue()
    case .finish: try reader.finish()
    }
  }
}

import Bytes

func writeJSON(to transcript: inout Transcript) {
  transcript.line("json written") { line in
    line.append("\n")
    line.openJSONArray()
    line.appendJSON("say \"\\\u{7}\u{20AC}\u{1F6A2}\"")
    line.appendJSON([0x41, 0xC0, 0x80, 0xF4, 0x90, 0x80, 0x80, 0x00, 0x1F] as [UInt8])
    line.appendJSON(Int64.min)
    line.appendJSON(FixedPoint(-5, decimals: 9))
    line.closeJSONArray()
  }
}

private let texts: [StaticString] = [
  #"{"a":1,"b":[true,false,null,"x"],"c":{"d":-0.5e+9}}"#, " [ 1 , 2 ] ", "[]", "{}", "\"\"", "",
  "[1,]", "{\"a\":1,}", "{\"a\" 1}", "[01]", "[1.]", "[1e]", "[-]", "nul", "tru", "[\"a",
  "\"\\u12\"",
  "\"\\x\"", "\"\u{1}\"", "[1]x", "[1 2]", "{1:2}", "\u{FEFF}{}", "[[[[[[[[[[1]]]]]]]]]]",
]

func readJSON(to transcript: inout Transcript) {
  for text in texts {
    transcript.line("json read") { line in
      line.append(text)
      line.append(" -> ")
      let bytes = [UInt8](text)
      var reader = JSONReader(bytes.span)
      do throws(JSONError) {
        let range = try reader.skipValue()
        try reader.finish()
        line.append(decimal: range.lowerBound)
        line.append("..")
        line.append(decimal: range.upperBound)
      } catch {
        line.append(error)
      }
    }
  }
  transcript.line("json too deep") { line in
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1000)
    var reader = JSONReader(deep.span)
    do throws(JSONError) { try reader.skipValue() } catch { line.append(error) }
  }
  readIntegers(to: &transcript)
}

private func readIntegers(to transcript: inout Transcript) {
  let numbers: [StaticString] = [
    "0", "-0", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "1.0", "1e3",
    "true", "-",
  ]
  for number in numbers {
    transcript.line("json integer") { line in
      let bytes = [UInt8](number)
      var reader = JSONReader(bytes.span)
      do throws(JSONError) { line.append(decimal: try reader.integer()) } catch {
        line.append(error)
      }
    }
  }
}

func keepJSON(to transcript: inout Transcript) {
  let texts: [StaticString] = [
    #"{"b":1,"a":[true,null,"\ud83dx\u20ac",-0,1e5,12345678901234567890],"b":{"c":2.50}}"#, "{} x",
    "[[1]", #"["\"\\\/\b\f\n\r\t","\u20ac\ud83d\udea2\ud83dx\udea2"]"#,
  ]
  for text in texts {
    transcript.line("json kept") { line in
      let bytes = [UInt8](text)
      do throws(JSONError) {
        line.append("\n")
        try JSON(parsing: bytes.span).write(into: &line)
      } catch {
        line.append(error)
      }
    }
  }
  compareObjects(to: &transcript)
  readDoubles(to: &transcript)
  readMoments(to: &transcript)
  decodeJSON(to: &transcript)
}

private func compareObjects(to transcript: inout Transcript) {
  transcript.line("json objects") { line in
    var many = JSONObject()
    for index in 0..<40 { many[Text("key\(index % 30)")] = .number(JSONNumber(Int64(index))) }
    many["key7"] = nil
    var again = JSONObject()
    for member in many.members.reversed() { again[member.key] = member.value }
    line.append(decimal: many.count)
    line.append(many == again ? " equal" : " unequal")
    line.append(many["key5"] == 35 && many["key7"] == nil ? " found" : " lost")
  }
}

private func readDoubles(to transcript: inout Transcript) {
  let numbers: [StaticString] = [
    "0.1", "-0", "51.508530000000004", "9007199254740993", "2.2250738585072011e-308", "5e-324",
    "2.4703282292062328e-324", "1.7976931348623158e308", "1e309", "-1e-400", "1e23",
  ]
  for number in numbers {
    transcript.line("json double") { line in
      let bytes = [UInt8](number)
      guard let number = JSONNumber(bytes.span) else { return line.append("none") }
      let bits = number.double.bitPattern
      line.append(decimal: bits)
      guard let written = JSONNumber(number.double) else { return line.append(" unwritable") }
      line.append(" \n")
      line.appendJSON(written)
    }
  }
}

private func readMoments(to transcript: inout Transcript) {
  let texts: [StaticString] = [
    "2021-02-20T05:14:52.647932+00:00", "1969-12-31T23:59:59.25-08:00", "2024-02-29T00:00:00Z",
    "2023-02-29T00:00:00Z", "2021-02-20 05:14:52Z",
  ]
  for text in texts {
    transcript.line("iso 8601") { line in
      let bytes = [UInt8](text)
      guard let time = WallTime(iso8601: bytes.span) else { return line.append("none") }
      line.append(decimal: time.nanoseconds)
      line.append(" ")
      line.append(iso8601: time)
    }
  }
}

private enum Origin: Text, JSONDecodable {
  case local = "LOCAL"
  case remote = "REMOTE"
}

private func decodeJSON(to transcript: inout Transcript) {
  let json: JSON = [
    "time": 1691234567.123456, "list": [1, "2", 3], "origin": "REMOTE", "other": "ELSEWHERE",
    "truth": true,
  ]
  transcript.line("json decoded") { line in
    do throws(JSONDecodingError) {
      let time: WallTime = try json.get("time")
      line.append(decimal: time.nanoseconds)
      line.append(try json.get("origin", as: Origin.self) == .remote ? " remote " : " local ")
      line.append(decimal: try json.getLossy("list", of: Int.self).skippedCount)
      line.append(decimal: try json.get("missing", default: 7))
      line.append(decimal: json.get("truth", orOnFailure: 8))
    } catch {
      line.append(error)
    }
  }
  transcript.line("json not decoded") { line in
    func append(_ decode: () throws(JSONDecodingError) -> Void) {
      do throws(JSONDecodingError) { try decode() } catch { line.append(error) }
      line.append(" ")
    }
    append { () throws(JSONDecodingError) in _ = try json.get("missing", as: Text.self) }
    append { () throws(JSONDecodingError) in _ = try json.get("truth", as: Double.self) }
    append { () throws(JSONDecodingError) in _ = try json.get("other", as: Origin.self) }
    append { () throws(JSONDecodingError) in _ = try json.get("list", as: [Int].self) }
    append { () throws(JSONDecodingError) in _ = try json.get("time", as: [Text: Int].self) }
  }
}

import Bytes

func writeJSON(to transcript: inout Transcript) {
  transcript.line("json written") { line in
    line.append("\n")
    line.openJSONObject()
    line.appendJSON(key: "text")
    line.appendJSON("say \"\\\u{7}\u{20AC}\u{1F6A2}\"")
    line.appendJSON(key: "bytes")
    line.appendJSON([0x41, 0xC0, 0x80, 0xF4, 0x90, 0x80, 0x80, 0x00, 0x1F] as [UInt8])
    line.appendJSON(key: "list")
    line.openJSONArray()
    line.appendJSON(Int64.min)
    line.appendJSON(FixedPoint(-5, decimals: 9))
    line.appendJSON(true)
    line.appendJSONNull()
    line.openJSONObject()
    line.closeJSONObject()
    line.closeJSONArray()
    line.closeJSONObject()
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
  readTexts(to: &transcript)
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

private func readTexts(to transcript: inout Transcript) {
  let texts: [StaticString] = [
    #""\"\\\/\b\f\n\r\t""#, #""\u20ac\ud83d\udea2\ud83dx\udea2""#, "\"\u{20AC}\"",
  ]
  for text in texts {
    transcript.line("json text") { line in
      let bytes = [UInt8](text)
      var reader = JSONReader(bytes.span)
      do throws(JSONError) {
        var unescaped = ByteBuffer(capacity: 64)
        try reader.text().append(to: &unescaped)
        line.append(hexadecimal: unescaped.bytes)
      } catch {
        line.append(error)
      }
    }
  }
}

import Bytes

/// Binary floating point to decimal text: rounding, signs, and what is no number.
func writeNumbers(to transcript: inout Transcript) {
  let values: [Double] = [
    0, -0.0, 0.1, 0.25, 0.5, 1.005, 2.675, -2.5, 51.123456789, -179.99999999, 1e-9, 123456789.987,
    9e18, 1e19, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
  ]
  for decimals in [0, 1, 7, 9] as [UInt8] {
    transcript.line("fixed point of doubles") { line in
      for value in values {
        if let number = FixedPoint(rounding: value, decimals: decimals) {
          line.append(number)
        } else {
          line.append("none")
        }
        line.append(" ")
      }
    }
  }
  transcript.line("fixed point rounded") { line in
    for coefficient in [149, 150, -150, -149, 0, .max, .min] as [Int64] {
      for decimals in [0, 1, 3] as [UInt8] {
        line.append(FixedPoint(coefficient, decimals: 2).rounded(to: decimals))
        line.append(" ")
      }
    }
  }
  transcript.line("integers") { line in
    line.append(decimal: Int64.min)
    line.append(" ")
    line.append(decimal: Int64.max)
    line.append(" ")
    line.append(decimal: UInt64.max)
    line.append(" ")
    line.append(decimal: Int8.min)
  }
}

func writeBytes(to transcript: inout Transcript) {
  for text in ["+vv8/Q==", "+vv8", "+vv", "A===", "AA=A", "\n\n\n\n", ""] as [StaticString] {
    transcript.line("base64 decoded") { line in
      var buffer = ByteBuffer(capacity: 64)
      buffer.append(text)
      let range = 0..<buffer.count
      let count = buffer.withMutableBytes { Base64.decode(&$0, in: range) }
      guard let count else { return line.append("none") }
      line.append(hexadecimal: buffer.bytes.extracting(0..<count))
    }
  }
  transcript.line("inline text") { line in
    let hostile: [UInt8] = [0x41, 0xFF, 0x00, 0x0A, 0xE2, 0x82, 0xAC, 0xED, 0xA0, 0x80, 0x7F, 0xC3]
    line.append(InlineText(hostile.span))
    line.append(" ")
    let long = [UInt8]("\u{20AC}\u{20AC}\u{20AC}\u{20AC}\u{20AC}\u{20AC}\u{20AC}\u{20AC}")
    line.append(InlineText((long + long + long).span))
  }
  transcript.line("a full buffer") { line in
    var buffer = ByteBuffer(capacity: 4)
    buffer.append("abc")
    buffer.append("de")
    line.append(buffer.bytes)
    line.append(buffer.isOverflowed)
    buffer.append(UInt8(ascii: "f"))
    buffer.removeFirst(2)
    line.append(buffer.bytes)
  }
}

func writeTimes(to transcript: inout Transcript) {
  transcript.line("durations") { line in
    let durations: [Duration] = [
      .seconds(5), .milliseconds(-1), .nanoseconds(1), .seconds(Int64.max), .seconds(Int64.min),
    ]
    for duration in durations {
      line.append(duration)
      line.append(" ")
    }
  }
  transcript.line("instants") { line in
    let late = Instant(nanoseconds: .max - 1)
    line.append(decimal: (late + .seconds(1)).nanoseconds)
    line.append(" ")
    line.append(Instant(nanoseconds: .min) - late)
  }
  transcript.line("wall times") { line in
    for seconds in [0, 1_790_000_000, -1, 9_223_372_036, 9_223_372_037] as [Int64] {
      line.append(WallTime(seconds: seconds, nanoseconds: 999_999_999)?.nanoseconds)
      line.append(" ")
    }
    line.append(WallTime(seconds: 1, nanoseconds: 1_000_000_000)?.nanoseconds)
  }
}

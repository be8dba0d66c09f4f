import Testing

@testable import PracticeHome

@Suite struct JSONTests {
  @Test(arguments: [
    "[1,]", "01", "1.", ".5", "-", "+1", "\"\t\"", "1 2", "tru", "\"\\ud800\"", "\"\\x41\"", "1e",
    "-01", "1e400", "{\"a\":1,}", "{1:2}", "NaN", "-Infinity", "\"a", "\u{0B}1", "",
    String(repeating: "[", count: 1025) + String(repeating: "]", count: 1025),
  ])
  func whatIsNotQuiteJSONIsRefused(text: String) {
    #expect(throws: JSONParser.Failure.self) { try JSONParser.parse(Array(text.utf8)) }
  }

  @Test(
    arguments: [
      ("-0", 0), ("18446744073709551615", .integer(18_446_744_073_709_551_615)),
      ("18446744073709551616", 18_446_744_073_709_551_616.0), ("1E5", 100_000.0), ("1.0", 1.0),
      ("true", true), ("\"\\ud83d\\ude00\\n\\/\"", "😀\n/"), (" [ 1 , {} ] ", [1, [:]]),
      ("{\"a\":1,\"b\":2,\"a\":3}", ["a": 3, "b": 2]),
      (String(repeating: "[", count: 3) + "]]]", [[[]]]),
    ] as [(String, JSON)])
  func integersFloatsAndBooleansStayApart(text: String, value: JSON) throws {
    #expect(try JSONParser.parse(Array(text.utf8)) == value)
  }

  @Test func whatIsWrittenReadsBackTheSame() throws {
    let value: JSON = [
      "a": [1, 1.0, true, nil, -2.5e-7, 1e22, 0.1], "b": ["c": "\"\\\u{01}\n😀"], "": "",
      "d": .integer(18_446_744_073_709_551_615),
    ]
    #expect(try JSONParser.parse(value.bytes) == value)
    #expect(JSON.array([1, 1.0, true]).text == "[1,1.0,true]")
  }
}

@Suite struct PythonTests {
  @Test(arguments: [
    (21.0, "21.0"), (0.1, "0.1"), (1e16, "1e+16"), (1e15, "1000000000000000.0"), (1e-5, "1e-05"),
    (0.0001, "0.0001"), (1.5e-7, "1.5e-07"), (-0.0, "-0.0"), (1e22, "1e+22"),
    (123_456_789_012_345_680.0, "1.2345678901234568e+17"), (1.0 / 3, "0.3333333333333333"),
    (9_007_199_254_740_993.0, "9007199254740992.0"),
  ])
  func floatsPrintAsInPython(value: Double, text: String) {
    #expect(Python.repr(value) == text)
  }

  @Test(arguments: [
    (0.1 + 0.2, "0.3"), (1.0 / 3, "0.333333333333333"), (1e15, "1e+15"), (1e14, "1e+14"),
    (12_345_678_901_234.0, "12345678901234.0"), (100_000.0, "100000.0"), (1e-5, "1e-05"),
  ])
  func statesHaveFifteenDigits(value: Double, text: String) {
    #expect(Python.state(value) == text)
  }

  @Test(
    arguments: [
      ("5", 5), (" 7 ", 7), ("+5", 5), ("1_0", 10), ("١٢", 12), ("3.5", nil), ("1__0", nil),
      ("_1", nil), ("0x10", nil), ("", nil), ("1e5", nil),
    ] as [(String, Int128?)])
  func wholeNumbersAreReadAsInPython(text: String, value: Int128?) {
    #expect(Python.int(text) == value)
  }

  @Test(
    arguments: [
      (".5", 0.5), ("5.", 5.0), ("+5", 5.0), ("1E5", 1e5), ("-inf", -Double.infinity),
      ("Infinity", Double.infinity), ("1_0.5", 10.5), ("0x10", nil), ("nano", nil), ("", nil),
      (".", nil),
    ] as [(String, Double?)])
  func numbersAreReadAsInPython(text: String, value: Double?) {
    #expect(Python.float(text) == value)
  }
}

@Suite struct SlugTests {
  @Test(arguments: [
    ("Boat Bilge", "boat_bilge"), ("Größe °C", "grosse_degc"), ("😀", "unknown"),
    ("Don't", "don_t"), ("1,000 km", "1000_km"), ("a_b-c", "a_b_c"),
    ("CPU Temp (%)", "cpu_temp"), ("µm", "mm"), ("æøåÆß", "aeoaaess"), ("½ x²", "1_2_x2"),
    ("  x  ", "x"), ("co₂", "co2"), ("naïve café", "naive_cafe"), ("naïve", "naive"),
  ])
  func aNameBecomesAnObjectId(name: String, slug: String) {
    #expect(Slug.make(name) == slug)
  }
}

@Suite struct TimeTests {
  @Test func aMomentPrintsAsInPython() {
    let moment = Moment(microseconds: 1_795_231_287_000_042)
    #expect(moment.isoformat == "2026-11-21T03:21:27.000042+00:00")
  }

  @Test(arguments: [
    "2026", "12:00", "2026-13-01", "2026-00-01", "2026-02-30", "2100-02-29", "2026-01-00", "nope",
    "2026-01-01T25:00:00Z", "",
  ])
  func whatIsNoTimeIsNoTime(text: String) {
    #expect(Timestamp(text) == nil)
  }
}

import Bytes
import Testing

@Suite struct JSONNumberTests {
  /// The C library's reading of the same text is the oracle.
  private func expectNearest(_ text: String, _ location: SourceLocation = #_sourceLocation) throws {
    let oracle = try #require(Double(text))
    let double = try number(text).double
    #expect(
      double.bitPattern == oracle.bitPattern, "\(text): \(double), not \(oracle)",
      sourceLocation: location)
  }

  @Test(arguments: [
    "0", "-0", "-0.0", "0e999999999999999999999", "0.0e-5", "1", "-1", "0.1", "0.3", "21.5", "1e22",
    "1e23", "9007199254740992", "9007199254740993", "9007199254740995", "9007199254740993e22",
    "123456789012345678", "18446744073709551615", "18446744073709551616", "51.508530000000004",
    "1691234567.1234558582", "8.5e15", "1e-22", "1e-23", "1E+5", "1e05",
  ])
  func ordinaryNumbersAreRead(text: String) throws { try expectNearest(text) }

  @Test(arguments: [
    // Halfway between two, and a hair to either side.
    "1.00000000000000011102230246251565404236316680908203125",
    "1.00000000000000011102230246251565404236316680908203124",
    "1.00000000000000011102230246251565404236316680908203126",
    "1.00000000000000033306690738754696212708950042724609375",
    "9007199254740993.00000000000000000000000000000000000000000000000001",
    "5708990770823839207320493820740630171355185151999e-3",
    "6929495644600919.5", "3.518437208883201171875e13",
    "0.500000000000000166533453693773481063544750213623046875",
    "2.2250738585072011e-308", "2.2250738585072012e-308", "2.2250738585072014e-308",
    // The smallest, half of it, and a hair more.
    "4.9406564584124654e-324", "2.4703282292062327e-324", "2.4703282292062328e-324",
    "2.47032822920623272088284396434110686182e-324",
    "2.47032822920623272088284396434110686183e-324",
    "7.4109846876186981626485318930233205854758970392148714663837852375101326090531312779794975454245398856969484704316857659638998506553390969459816219401617281718945106978546710679176872575177347315553307795408549809608457500958111373034747658096871009590975442271004757307809711118935784838675653998783503015228055934046593739791790738723868299395818481660169122019456499931289798411362062484498678713572180352209017023903285791732520220528974020802906854021606612375549983402671300035812486479041385743401875520901590172592547146296175134159774938718574737870961645638908718119841271673056017045493004705269590165763776884908267986972573366521765567941072508764337560846003984904972149117463085539556354188641513168478436313080237596295773983001708984374999",
    "1e-323", "1e-324", "1e-325", "1e-400", "-1e-400",
    // The largest, halfway to where the next would be, and beyond.
    "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308",
    "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880",
    "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042879",
    "1e308", "1e309", "1e310", "-1e400", "1e999999999999999999999", "1e-999999999999999999999",
  ])
  func hardNumbersAreReadToTheNearest(text: String) throws { try expectNearest(text) }

  @Test(arguments: ["9.223372036854775808e18", "-1e16", "1e999999999999999999999"])
  func aNumberThatIsTooLargeInTheSmallerUnitIsOutOfRange(text: String) {
    let bytes = [UInt8](text.utf8)
    #expect(throws: JSONError.outOfRange(at: 0)) {
      var reader = JSONReader(bytes.span)
      _ = try reader.number(timesPowerOfTen: 3)
    }
  }

  @Test func anyDoubleComesBackFromItsText() throws {
    var random = SplitMix64(seed: 1)
    for _ in 0..<5000 {
      let double = Double(bitPattern: random.next())
      guard double.isFinite else { continue }
      let written = try #require(JSONNumber(double))
      #expect(written.double.bitPattern == double.bitPattern)
    }
  }

  @Test func randomDecimalsAreReadToTheNearest() throws {
    var random = SplitMix64(seed: 2)
    for _ in 0..<5000 {
      let digitCount = Int.random(in: 1...40, using: &random)
      var digits = (0..<digitCount).map { _ in String(Int.random(in: 0...9, using: &random)) }
      if digits[0] == "0" { digits[0] = "1" }
      let point = Int.random(in: 1...digitCount, using: &random)
      let fraction = digits[point...].joined()
      let exponent = Int.random(in: -345...330, using: &random)
      try expectNearest(
        digits[..<point].joined() + (fraction.isEmpty ? "" : "." + fraction) + "e\(exponent)")
    }
  }

  /// The exact decimal text of a point between two doubles, from integers alone.
  @Test func pointsExactlyHalfwayGoToTheEvenSide() throws {
    var random = SplitMix64(seed: 3)
    for round in 0..<200 {
      let odd = UInt64.random(in: (1 << 52)..<(1 << 53), using: &random) << 1 | 1
      // odd / 2^k has k decimals: odd × 5^k / 10^k. With 1075 of them it lies between two of the
      // smallest normal numbers and has 767 digits, which is as many as such a point can have.
      let places = round.isMultiple(of: 40) ? 1075 : Int.random(in: 0...200, using: &random)
      var digits = [UInt8](String(odd).utf8).map { $0 - 0x30 }
      for _ in 0..<places {
        var carry: UInt8 = 0
        for index in digits.indices.reversed() {
          let product = digits[index] * 5 + carry
          (digits[index], carry) = (product % 10, product / 10)
        }
        if carry > 0 { digits.insert(carry, at: 0) }
      }
      let text = String(decoding: digits.map { $0 + 0x30 }, as: UTF8.self)
      try expectNearest(text + "e-\(places)")
      try expectNearest(text + ".0000000000000000000001e-\(places)")
      try expectNearest(text + String(repeating: "0", count: 900) + "1e-\(places + 901)")
    }
  }

  @Test func aNumberOfManyDigitsIsReadInBoundedTime() throws {
    #expect(
      try number("0." + String(repeating: "0", count: 200_000) + "15e200001").double == 1.5)
    #expect(try number("15" + String(repeating: "0", count: 200_000) + "e-200001").double == 1.5)
    #expect(try number(String(repeating: "9", count: 200_000)).double == .infinity)
  }

  @Test(
    arguments: [
      ("0", 0), ("-1", -1), ("9223372036854775807", .max), ("-9223372036854775808", .min),
      ("-0", 0), ("1.0", nil), ("1e3", nil), ("9223372036854775808", nil), ("0.5", nil),
    ] as [(String, Int64?)])
  func onlyAWholeNumberWrittenAsOneIsAnInteger(text: String, integer: Int64?) throws {
    #expect(try number(text).integer == integer)
  }

  @Test(arguments: [
    "", " 1", "1 ", "01", "1.", ".5", "+1", "0x1", "nan", "Infinity", "true", "1e", "1d5", "1D5",
  ])
  func whatIsNoNumberIsRefused(text: String) {
    let bytes = [UInt8](text.utf8)
    #expect(JSONNumber(bytes.span) == nil)
  }

  @Test func numbersAreEqualWhereTheyAreWrittenAlike() throws {
    #expect(try number("1") == JSONNumber(1))
    #expect(try number("1") != number("1.0"))
    #expect(try number("1e0") != number("1.0"))
    #expect(try number("-0") != number("0"))
  }

  @Test func whatJSONCannotSayIsNotWritten() {
    #expect(JSONNumber(Double.nan) == nil)
    #expect(JSONNumber(-Double.infinity) == nil)
  }

  @Test(
    arguments: [
      ("1691234567.123456", 9, 1_691_234_567_123_456_000), ("1.5", 0, 2), ("-1.5", 0, -2),
      ("0.4999999999999999999999", 0, 0), ("1e-30", 9, 0), ("0", 400, 0), ("12e-1", 1, 12),
      ("9223372036854775807", 0, .max), ("9223372036854775808", 0, nil),
      ("-9223372036854775808", 0, .min), ("-9223372036854775809", 0, nil), ("1e19", 0, nil),
      ("92233720368.54775807", 9, nil), ("9223372036.8547758075", 9, nil), ("0.5", 0, 1),
      ("0.05", 0, 0), ("1e999999999999", 9, nil), ("7", -1, 1), ("4", -1, 0),
      ("1.5", 3, 1500), ("0.0295", 3, 30), ("0.0294", 3, 29), ("-0.0295", 3, -30), ("2.5", 0, 3),
      ("-0.4", 0, 0), ("-0", 3, 0), ("1e3", 3, 1_000_000), ("15E-1", 1, 15), ("5e-9", 3, 0),
      ("51.5085300", 7, 515_085_300), ("9.223372036854775807", 18, .max),
      ("-9.223372036854775808", 18, .min), ("0e999999999999999999999", 3, 0),
    ] as [(String, Int64, Int64?)])
  func scalingIsExactAndRoundsOnce(text: String, exponent: Int64, whole: Int64?) throws {
    #expect(try number(text).scaled(byPowerOfTen: exponent) == whole)
    let bytes = [UInt8](text.utf8)
    var reader = JSONReader(bytes.span)
    let read = try? reader.number(timesPowerOfTen: exponent)
    #expect(read == whole)
  }
}

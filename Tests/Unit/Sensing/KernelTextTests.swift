import Bytes
import Testing

@testable import Sensing

@Suite struct KernelTextTests {
  @Test(arguments: [
    ("0\n", 0), ("100\n", 100), ("-274000\n", -274_000), ("  42 ", 42), ("007", 7),
    ("9223372036854775807", Int64.max), ("-9223372036854775808", Int64.min),
  ])
  func aNumberIsReadWithOrWithoutItsNewline(text: String, number: Int64) {
    #expect(KernelText.integer([UInt8](text.utf8).span) == number)
  }

  @Test(arguments: [
    "", "\n", " ", "-", "-\n", "+5", "5 5", "5\n5", "0x10", "1e3", "5.0", "5.", ".", "12a", "N/A",
    "--5", "5-", "\u{0}", "5\u{0}", "٣", "9223372036854775808", "-9223372036854775809",
    "99999999999999999999999999999999999999999999999999999999999999",
  ])
  func whatIsNoWholeNumberIsNone(text: String) {
    #expect(KernelText.integer([UInt8](text.utf8).span) == nil)
  }

  @Test func aNumberOutsideItsRangeIsNone() {
    #expect(KernelText.integer([UInt8]("101").span, in: 0...100) == nil)
    #expect(KernelText.integer([UInt8]("-1").span, in: 0...100) == nil)
    #expect(KernelText.integer([UInt8]("100").span, in: 0...100) == 100)
  }

  @Test(arguments: [
    ("25080", FixedPoint(25080)),
    ("25080.000000000\n", FixedPoint(25_080_000_000_000, decimals: 9)),
    ("-0.5", FixedPoint(-5, decimals: 1)), ("0.05", FixedPoint(5, decimals: 2)),
  ])
  func aDecimalKeepsTheDecimalsItIsWrittenWith(text: String, number: FixedPoint) {
    #expect(KernelText.decimal([UInt8](text.utf8).span) == number)
  }

  @Test(arguments: [
    "", ".", ".5", "5.", "-.5", "1.2.3", "1..2", "1.2-", "1,5", "nan", "inf", "1.000000000x",
    "9223372036854775807.1", "9223372036.8547758080", "1.0000000001.", "1.000000000-1",
  ])
  func whatIsNoDecimalIsNone(text: String) {
    #expect(KernelText.decimal([UInt8](text.utf8).span) == nil)
  }

  @Test(arguments: [
    ("1.0000000000", "1.000000000"), ("22.600000000000001\n", "22.600000000"),
    ("0.000488281250", "0.000488281"), ("-0.0000000005", "-0.000000001"),
    ("0.00000000049", "0.000000000"), ("1.99999999999999999999999", "2.000000000"),
    ("-1.123456789012345678901234567890", "-1.123456789"),
  ])
  func moreDecimalsThanAreKeptAreRounded(text: String, wanted: String) {
    #expect(
      KernelText.decimal([UInt8](text.utf8).span) == FixedPoint(written: [UInt8](wanted.utf8).span))
  }

  /// To nine decimals the scale of such a converter would be 0.000000001, a fourteenth too much.
  @Test func aScaleIsMultipliedWithAllOfItsDecimals() throws {
    func decimal(_ text: String) -> LongDecimal? { LongDecimal([UInt8](text.utf8).span) }
    let scale = try #require(decimal("0.000000000931322575"))
    let product = scale.product(with: FixedPoint(1_000_000_000))
    #expect(product?.rounded(to: 6) == FixedPoint(931_323, decimals: 6))
    #expect(scale.rounded == FixedPoint(1, decimals: 9))
    let large = try #require(decimal("9223372036.854775807"))
    #expect(large.product(with: FixedPoint(10_000_000_000)) == nil)
  }

  private func fields(of text: String) -> [String?] {
    let bytes = [UInt8](text.utf8)
    return (0..<3).map { number in
      guard let field = KernelText.field(number, of: bytes.span) else { return nil }
      return String(decoding: [UInt8](field), as: UTF8.self)
    }
  }

  @Test(arguments: [
    ("12.5 3.25\n", ["12.5", "3.25", nil]), (" a\t b  c d", ["a", "b", "c"]),
    ("", [nil, nil, nil]),
    (" \n ", [nil, nil, nil]), ("a ", ["a", nil, nil]),
  ])
  func aFieldThatIsNotThereIsNone(text: String, fields: [String?]) {
    #expect(self.fields(of: text) == fields)
  }
}

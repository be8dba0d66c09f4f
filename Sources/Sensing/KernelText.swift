public import Bytes

/// Numbers as sysfs and procfs write them: one to a file, or in fields between spaces.
///
/// Everything here takes any bytes at all and answers nil where they are not what is promised.
/// Nothing is guessed, and there is no binary floating point in between.
public enum KernelText {
  /// A whole number in `range`, with white space around it and an optional minus.
  public static func integer(
    _ text: Span<UInt8>, in range: ClosedRange<Int64> = Int64.min...Int64.max
  ) -> Int64? {
    guard let number = decimal(text), number.decimals == 0 else { return nil }
    return range.contains(number.coefficient) ? number.coefficient : nil
  }

  /// A decimal number with as many decimals as are written, up to `FixedPoint.decimalsMax`: the
  /// same file of IIO reads `25080` on one kernel and `25080.000000000` on the next.
  public static func decimal(_ text: Span<UInt8>) -> FixedPoint? {
    FixedPoint(written: text.trimmed())
  }

  /// The field with this number, counted from 0, of fields that white space separates.
  @_lifetime(copy text)
  static func field(_ number: Int, of text: Span<UInt8>) -> Span<UInt8>? {
    var index = 0
    for passed in 0...number {
      while index < text.count, text[index].isASCIISpace { index += 1 }
      let start = index
      while index < text.count, !text[index].isASCIISpace { index += 1 }
      guard index > start else { return nil }
      if passed == number { return text.extracting(start..<index) }
    }
    return nil
  }
}

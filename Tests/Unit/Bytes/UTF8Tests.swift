import Bytes
import Testing

@Suite struct UTF8Tests {
  /// Against the standard library, which has its own decoder: every pair of bytes, what may follow
  /// them, and text around them.
  @Test func everyPairOfBytesIsJudgedAsTheStandardLibraryJudgesIt() {
    let tails: [[UInt8]] = [[], [0x80], [0x80, 0x80], [UInt8]("sixteen ASCII by".utf8)]
    for pair in 0...0xFFFF {
      for tail in tails {
        let bytes = [UInt8(pair >> 8), UInt8(pair & 255)] + tail
        let isValid = String(validating: bytes, as: UTF8.self) != nil
        if bytes.span.isUTF8 != isValid { Issue.record("\(bytes) is \(isValid ? "" : "no ")UTF-8") }
      }
    }
  }
}

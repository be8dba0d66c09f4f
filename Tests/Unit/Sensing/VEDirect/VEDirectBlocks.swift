@testable import Sensing

/// Blocks as devices of Victron say them, in the words of the devices: one block is a text of
/// `label value` lines.
enum VEDirectBlocks {
  static let monitor = """
    PID 0xA381
    V 13263
    VS 12814
    I -2310
    P -31
    CE -18441
    SOC 934
    TTG 4123
    Alarm OFF
    Relay ON
    AR 0
    BMV 712 Smart
    FW 0413
    MON 0
    """
  static let monitorHistory = """
    H1 -81246
    H2 -18441
    H3 -46008
    H4 52
    H5 0
    H6 -3845231
    H7 11210
    H8 14480
    H9 28815
    H10 46
    H11 1
    H12 0
    H15 10844
    H16 14391
    H17 5011
    H18 5833
    """
  static let shunt = """
    PID 0xA389
    V 26512
    VM 13279
    DM -4
    I 0
    P 0
    CE 0
    SOC 1000
    TTG -1
    Alarm OFF
    AR 0
    BMV SmartShunt 500A/50mV
    FW 0419
    MON 0
    """
  static let charger = """
    PID 0xA042
    FW 159
    SER# HQ1750ABCDE
    V 14010
    I 5200
    VPV 33840
    PPV 75
    CS 3
    MPPT 2
    OR 0x00000000
    ERR 0
    LOAD ON
    IL 300
    H19 4156
    H20 27
    H21 112
    H22 41
    H23 131
    HSDS 263
    """

  /// The bytes of a block, with the right sum.
  static func bytes(_ lines: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for line in lines.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      bytes += [UInt8]("\r\n\(parts[0])\t\(parts.count > 1 ? parts[1] : "")".utf8)
    }
    bytes += [UInt8]("\r\nChecksum\t".utf8)
    return bytes + [0 &- bytes.reduce(0, &+)]
  }

  /// The same, where the byte of the sum is this one: a line that no device says makes it so.
  static func bytes(_ lines: String, endingIn byte: UInt8) -> [UInt8] {
    for number in 0..<100_000 {
      let bytes = bytes(lines + "\nXSUM \(number)")
      if bytes.last == byte { return bytes }
    }
    fatalError("a number of up to five digits makes every sum")
  }
}

/// A reader with what it has read.
final class ListeningReader {
  private var reader = VEDirectReader()
  private(set) var blocks: [[String]] = []
  private(set) var damagedCount = 0

  init(isAligned: Bool = true) { if isAligned { reader.gapPassed() } }

  func passGap() { reader.gapPassed() }

  func hear(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      switch reader.received(byte) {
      case nil: break
      case .damaged: damagedCount += 1
      case .block:
        var lines: [String] = []
        var place = 0
        while let line = reader.nextLine(at: &place) {
          lines.append("\(Self.text(line.label, of: reader)) \(Self.text(line.value, of: reader))")
        }
        blocks.append(lines)
      }
    }
  }

  private static func text(_ range: Range<Int>, of reader: borrowing VEDirectReader) -> String {
    String(decoding: [UInt8](reader.text.extracting(range)), as: UTF8.self)
  }
}

/// The lines of a block as a reader tells them.
func lines(_ block: String) -> [String] { block.split(separator: "\n").map(String.init) }

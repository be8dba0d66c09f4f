import CMicroHTTPD

/// What the home is told while it runs, on its standard input: a line each, with the name of a
/// fault, which lasts, of an accident, which happens once, or `none`, which ends the fault.
struct Orders {
  enum Order: Equatable {
    case play(Fault?)
    case suffer(Accident)
    case misunderstood(String)

    init(_ line: String) {
      if line == "none" {
        self = .play(nil)
      } else if let accident = Accident(rawValue: line) {
        self = .suffer(accident)
      } else if let fault = Fault(name: line) {
        self = .play(fault)
      } else {
        self = .misunderstood(line)
      }
    }
  }

  private static let pieceByteCount = 512
  /// Longer than every name, so that an input without an end of line takes no memory.
  private static let lineByteCountMax = 64

  private var isEnded = false
  private var line: [UInt8] = []

  /// The orders that came since the last call. It does not wait.
  mutating func next(from descriptor: Int32) -> [Order] {
    var orders: [Order] = []
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while !isEnded, unsafe poll(&request, 1, 0) == 1 {
      var piece = [UInt8](repeating: 0, count: Self.pieceByteCount)
      let count = unsafe read(descriptor, &piece, piece.count)
      isEnded = count <= 0
      for byte in piece.prefix(max(0, count)) { take(byte, &orders) }
    }
    return orders
  }

  mutating func take(_ byte: UInt8, _ orders: inout [Order]) {
    if byte == UInt8(ascii: "\n") {
      orders.append(Order(String(decoding: line, as: UTF8.self)))
      line = []
    } else if line.count < Self.lineByteCountMax {
      line.append(byte)
    }
  }
}

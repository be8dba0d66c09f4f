import Bytes
import CLinux

/// What the program did, a line for each step. Written with write(2), so that a trap on the next
/// line loses nothing.
struct Transcript: ~Copyable {
  private var line = ByteBuffer(capacity: 64 * 1024)

  mutating func line(_ title: StaticString, _ write: (inout ByteBuffer) -> Void) {
    line.removeAll()
    line.append(title)
    line.append(": ")
    write(&line)
    line.append(line.isOverflowed ? "\u{2026}\n" : "\n")
    flush()
  }

  mutating func line(_ title: StaticString, _ text: StaticString) {
    line(title) { $0.append(text) }
  }

  private func flush() {
    var written = 0
    while written < line.count {
      let count = unsafe line.bytes.extracting(written..<line.count).withUnsafeBytes {
        unsafe write(1, $0.baseAddress, $0.count)
      }
      precondition(count > 0, "the output is open")
      written += count
    }
  }
}

extension ByteBuffer {
  mutating func append(_ truth: Bool) { append(truth ? "yes" : "no") }

  mutating func append(_ number: Int64?) {
    guard let number else { return append("none") }
    append(decimal: number)
  }

  mutating func append(_ duration: Duration) {
    append(decimal: duration.nanoseconds)
    append("ns")
  }

  mutating func append(_ error: JSONError) {
    switch error {
    case .truncated: append("truncated")
    case .tooDeep: append("too deep")
    case .tooLarge: append("too large")
    case .unexpected(let position):
      append("unexpected at ")
      append(decimal: position)
    case .outOfRange(let position):
      append("out of range at ")
      append(decimal: position)
    }
  }

  mutating func append(_ error: JSONDecodingError) {
    switch error {
    case .missingKey(let key):
      append("missing ")
      append(key.bytes)
    case .wrongKind(let key, _, _):
      append("wrong kind of ")
      append(key.bytes)
    case .invalidValue(let key):
      append("invalid ")
      append(key.bytes)
    case .malformed(let error): append(error)
    }
  }
}

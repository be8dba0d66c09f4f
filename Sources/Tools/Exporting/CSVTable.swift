import Board
import Bytes
import Outbox
import Sensing

/// Entries as a table of RFC 4180, one in a row. A reading has a sensor and a value, a fix has the
/// rest; missing fields are empty.
enum CSVTable {
  static func appendHeader(to buffer: inout ByteBuffer) {
    buffer.append(
      "sequence,time,clock,sensor,value,latitude,longitude,accuracy,altitude,vertical_accuracy,")
    buffer.append("speed,course\r\n")
  }

  static func append(_ entry: SpoolEntry, of uniqueID: [UInt8], to buffer: inout ByteBuffer) {
    if let sequence = entry.sequence { buffer.append(decimal: sequence) }
    buffer.appendSeparator()
    buffer.append(utc: entry.time)
    buffer.append(entry.isTimeTrusted ? ",set," : ",unset,")
    switch entry.content {
    case .reading(_, let value):
      buffer.append(field: uniqueID.span)
      buffer.appendSeparator()
      buffer.append(field: value)
      buffer.append(",,,,,,,")
    case .fix(let fix):
      buffer.appendSeparator()
      buffer.append(fieldsOf: fix)
    }
    buffer.append("\r\n")
  }
}

extension ByteBuffer {
  fileprivate mutating func appendSeparator() { append(UInt8(ascii: ",")) }

  fileprivate mutating func append(fieldsOf fix: Fix) {
    append(field: fix.latitude, decimals: 7)
    append(field: fix.longitude, decimals: 7)
    append(field: fix.horizontalErrorMeters, decimals: 2)
    append(field: fix.altitudeMeters, decimals: 1)
    append(field: fix.verticalErrorMeters, decimals: 2)
    append(field: fix.speedMetersPerSecond, decimals: 3)
    append(field: fix.trackDegrees, decimals: 2)
  }

  /// Appends a separator and a number.
  @inline(never)
  private mutating func append(field number: Double?, decimals: UInt8) {
    appendSeparator()
    if let number { append(number, decimals: decimals) }
  }

  fileprivate mutating func append(field value: Value) {
    switch value {
    case .number(let number): append(number)
    case .boolean(let truth): append(truth ? "true" : "false")
    case .text(let text): append(field: text.bytes)
    case .unknown: append("unknown")
    case .unavailable: append("unavailable")
    }
  }

  /// Appends text, in quotes if it contains a separator of fields or rows.
  @inline(never)
  fileprivate mutating func append(field text: Span<UInt8>) {
    guard text.needsQuotes else { return append(text) }
    append(UInt8(ascii: "\""))
    for index in text.indices {
      if text[index] == UInt8(ascii: "\"") { append(text[index]) }
      append(text[index])
    }
    append(UInt8(ascii: "\""))
  }
}

extension Span<UInt8> {
  fileprivate var needsQuotes: Bool {
    for index in indices {
      switch self[index] {
      case UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
        return true
      default: continue
      }
    }
    return false
  }
}

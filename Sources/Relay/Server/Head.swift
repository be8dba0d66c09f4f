import Bytes
import CHTTPServer

/// Headers that say how long a body is.
///
/// libmicrohttpd takes the first of two lengths, and passes over an encoding that it does not know
/// and a name with a space behind it. A proxy in front of it may read another length; what one of
/// them takes for a body is then the next request for the other, with the headers of a stranger.
struct Head {
  private var lengthCount = 0
  private var encodingCount = 0
  private var isMalformed = false
  /// 0 without that header; the largest number if it is larger, or no number.
  private(set) var contentLength: Int64 = 0

  /// Whether a proxy may have read another length.
  var isAmbiguous: Bool { isMalformed || lengthCount + encodingCount > 1 }

  /// Reads the headers of a request.
  init(_ connection: OpaquePointer) {
    unsafe withUnsafeMutablePointer(to: &self) { head in
      _ = unsafe MHD_get_connection_values_n(connection, .HEADER_KIND, noteHeader, head)
    }
  }

  init() {}

  /// Notes a header. Names are compared as HTTP does, without case.
  mutating func note(_ name: Span<UInt8>, _ value: Span<UInt8>) {
    if name.isEmpty || !name.allSatisfy({ (0x21...0x7E).contains($0) })
      || !value.allSatisfy({ $0 >= 0x20 || $0 == 0x09 })
    {
      isMalformed = true
    }
    if name.elementsEqualIgnoringCase("content-length") {
      lengthCount += 1
      contentLength =
        value.allSatisfy({ $0.isASCIIDigit }) ? Int64(Text(value).string) ?? .max : .max
    } else if name.elementsEqualIgnoringCase("transfer-encoding") {
      encodingCount += 1
      if !value.elementsEqualIgnoringCase("chunked") { isMalformed = true }
    }
  }
}

extension Span<UInt8> {
  fileprivate func allSatisfy(_ isRight: (UInt8) -> Bool) -> Bool {
    for index in indices where !isRight(self[index]) { return false }
    return true
  }
}

private func noteHeader(
  _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?,
  _ nameCount: Int, _ value: UnsafePointer<CChar>?, _ valueCount: Int
) -> MHD_Result {
  guard let context = unsafe context else { return .NO }
  let head = unsafe context.assumingMemoryBound(to: Head.self)
  unsafe head.pointee.note(
    UnsafeRawBufferPointer(start: name, count: name == nil ? 0 : nameCount)
      .bindMemory(to: UInt8.self).span,
    UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueCount)
      .bindMemory(to: UInt8.self).span)
  return .YES
}

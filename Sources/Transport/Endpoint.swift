public import Bytes
import CCurl

/// A URL to post to, and the headers that go with it, in the form that libcurl wants.
@safe public final class Endpoint {
  private let terminatedURL: [UInt8]
  let headers: UnsafeMutablePointer<curl_slist>?

  /// - Parameters:
  ///   - url: the whole URL; it holds no NUL.
  ///   - bearerToken: an access token to send along, or nil.
  public init(url: borrowing ByteBuffer, bearerToken: [UInt8]? = nil) {
    terminatedURL = [UInt8](url.bytes) + [0]
    var list = unsafe Self.append([UInt8]("Content-Type: application/json"), to: nil)
    // libcurl would wait a second for a "100 Continue" that nobody sends.
    unsafe list = Self.append([UInt8]("Expect:"), to: list)
    if let bearerToken {
      unsafe list = Self.append([UInt8]("Authorization: Bearer ") + bearerToken, to: list)
    }
    unsafe headers = list
  }

  deinit { unsafe curl_slist_free_all(headers) }

  @unsafe
  func withURL<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    unsafe withCString(terminatedURL, body)
  }

  @unsafe
  private static func append(
    _ header: [UInt8], to list: UnsafeMutablePointer<curl_slist>?
  ) -> UnsafeMutablePointer<curl_slist>? {
    unsafe withCString(header + [0]) { unsafe curl_slist_append(list, $0) }
  }
}

@unsafe
private func withCString<Result>(
  _ terminated: [UInt8], _ body: (UnsafePointer<CChar>) -> Result
) -> Result {
  unsafe terminated.withUnsafeBytes { bytes in
    guard let start = bytes.baseAddress else { preconditionFailure("the NUL is always there") }
    return unsafe body(start.assumingMemoryBound(to: CChar.self))
  }
}

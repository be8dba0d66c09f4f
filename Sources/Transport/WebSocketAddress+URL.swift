import Bytes
import CCurl
import HomeAssistant

extension WebSocketAddress {
  /// Splits a URL to which libcurl has just connected, so that the handshake names the server
  /// exactly as libcurl found it.
  init?(terminatedURL: [UInt8]) {
    guard let url = ParsedURL(terminatedURL), let scheme = url.part(CURLUPART_SCHEME),
      // Names beyond ASCII are sent in their DNS form.
      let host = url.part(CURLUPART_HOST, CURLU_PUNYCODE),
      let digits = url.part(CURLUPART_PORT, CURLU_DEFAULT_PORT), let port = UInt16(digits: digits),
      var path = url.part(CURLUPART_PATH, CURLU_URLENCODE)
    else { return nil }
    if let query = url.part(CURLUPART_QUERY, CURLU_URLENCODE) {
      path += [UInt8(ascii: "?")] + query
    }
    self.init(
      isSecure: scheme.span.elementsEqual("https"), host: host, port: port, path: path)
  }
}

/// URL parsed by libcurl.
@safe private final class ParsedURL {
  private let url: OpaquePointer

  init?(_ terminated: [UInt8]) {
    guard let url = unsafe curl_url() else { return nil }
    unsafe self.url = url
    let result = unsafe withCString(terminated) {
      unsafe curl_url_set(url, CURLUPART_URL, $0, 0)
    }
    guard result == CURLUE_OK else { return nil }
  }

  deinit { unsafe curl_url_cleanup(url) }

  /// Returns a part of the URL; nil without it.
  func part(_ part: CURLUPart, _ flags: Int32 = 0) -> [UInt8]? {
    guard let text = unsafe ccurl_url_part(url, part, UInt32(flags)) else { return nil }
    defer { unsafe curl_free(text) }
    return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }
}

extension UInt16 {
  fileprivate init?(digits: [UInt8]) {
    var number = 0
    for digit in digits {
      guard digit.isASCIIDigit, number <= Int(UInt16.max) else { return nil }
      number = number * 10 + Int(digit - UInt8(ascii: "0"))
    }
    self.init(exactly: number)
  }
}

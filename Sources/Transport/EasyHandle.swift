import Bytes
import CCurl
import LinuxIO

/// One of libcurl's easy handles: the options of a transfer, and what is known about it afterwards.
@safe final class EasyHandle {
  let handle: UnsafeMutableRawPointer

  /// Nil where libcurl has no memory. The settings are the same for every transfer.
  init?(_ settings: TransportSettings, connectTimeout: Duration) {
    guard let handle = unsafe curl_easy_init() else { return nil }
    unsafe self.handle = handle
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_CONNECTTIMEOUT_MS, Int(connectTimeout.nanoseconds / 1_000_000))
    set(CURLOPT_TCP_KEEPALIVE, 1)
    // HTTP/2 brings nothing to one request at a time and costs a session's memory; a WebSocket
    // cannot be opened in it this way.
    set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    apply(settings)
  }

  deinit { unsafe curl_easy_cleanup(handle) }

  private func apply(_ settings: TransportSettings) {
    // These are libcurl's defaults; here they cannot be anything else.
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    if let file = settings.authorityFile {
      set(CURLOPT_CAINFO, file)
      // Or the system's would be believed as well.
      clear(CURLOPT_CAPATH)
    }
    if let pin = settings.publicKeyPin { set(CURLOPT_PINNEDPUBLICKEY, pin.bytes) }
    if let certificate = settings.clientCertificate {
      set(CURLOPT_SSLCERT, certificate.certificateFile)
      set(CURLOPT_SSLKEY, certificate.keyFile)
    }
    if let proxy = settings.proxy { set(CURLOPT_PROXY, proxy) }
  }

  // MARK: Options

  func set(_ option: CURLoption, _ value: Int) {
    unsafe check(ccurl_set_long(handle, option, value))
  }

  /// libcurl keeps a copy.
  func set(_ option: CURLoption, _ text: StaticString) {
    // A literal ends with a NUL.
    unsafe check(
      ccurl_set_string(
        handle, option, UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)))
  }

  /// - Precondition: no NUL in `bytes`.
  func set(_ option: CURLoption, _ bytes: [UInt8]) { set(option, terminated: bytes + [0]) }

  func set(_ option: CURLoption, terminated bytes: [UInt8]) {
    unsafe withCString(bytes) { unsafe check(ccurl_set_string(handle, option, $0)) }
  }

  func clear(_ option: CURLoption) { unsafe check(ccurl_set_string(handle, option, nil)) }

  func set(_ option: CURLoption, _ path: Path) {
    unsafe path.withCString { unsafe check(ccurl_set_string(handle, option, $0)) }
  }

  /// These options exist and the values are of their type: an error is out of memory.
  func check(_ result: CURLcode) {
    precondition(result == CURLE_OK, "libcurl refused an option")
  }
}

/// What went wrong, in libcurl's words.
func words(for result: CURLcode) -> InlineText {
  guard let text = unsafe curl_easy_strerror(result) else {
    preconditionFailure("libcurl has words for every code")
  }
  let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
  return unsafe InlineText(bytes.bindMemory(to: UInt8.self).span)
}

/// Lends bytes that end with a NUL to C.
@unsafe
func withCString<Result>(_ terminated: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result
{
  unsafe terminated.withUnsafeBytes { bytes in
    guard let start = bytes.baseAddress else { preconditionFailure("the NUL is always there") }
    return unsafe body(start.assumingMemoryBound(to: CChar.self))
  }
}

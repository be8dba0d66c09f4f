public import Bytes
import CCurl
import LinuxIO

/// Easy handle of libcurl: the options of a transfer, and its results.
@safe final class EasyHandle {
  let handle: UnsafeMutableRawPointer
  /// Buffer for libcurl's description of an error, beside its code.
  private let errorWords = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
  /// Whether the settings name the certificate authorities.
  let hasAuthorityFile: Bool
  /// Whether the settings leave the proxy to the environment.
  let takesEnvironmentProxy: Bool

  /// Creates a handle; nil if libcurl has no memory. The settings apply to every transfer.
  init?(_ settings: TransportSettings, connectTimeout: Duration) {
    guard let handle = unsafe curl_easy_init() else { return nil }
    unsafe self.handle = handle
    hasAuthorityFile = settings.authorityFile != nil
    takesEnvironmentProxy = settings.proxy == nil
    unsafe errorWords.initialize(to: 0)
    unsafe check(ccurl_set_error_words(handle, errorWords))
    set(CURLOPT_NOSIGNAL, 1)
    // Otherwise, at the end of a transfer, libcurl would wait for a resolver whose name servers do
    // not answer; the loop has one thread. The look-up ends later.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_CONNECTTIMEOUT_MS, Int(connectTimeout.nanoseconds / 1_000_000))
    // A cached address belongs to a network: at home a name may have another one than away.
    set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    // HTTP/2 has no advantage for one request at a time and costs a session's memory; and a
    // WebSocket cannot be opened in it this way.
    set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    apply(settings)
    countTraffic()
  }

  private func countTraffic() {
    unsafe check(
      ccurl_set_sockets(
        handle,
        { _, _, address in
          guard let address = unsafe address?.pointee else {
            preconditionFailure("libcurl names the address of a socket")
          }
          return Traffic.openSocket(address.family, address.socktype, address.protocol)
        }, { _, socket in Traffic.closeSocket(socket) }))
  }

  deinit {
    unsafe curl_easy_cleanup(handle)
    unsafe errorWords.deallocate()
  }

  private func apply(_ settings: TransportSettings) {
    // These are libcurl's defaults; set explicitly, so that nothing can change them.
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    if let file = settings.authorityFile {
      setFile(CURLOPT_CAINFO, file)
      // Otherwise the system's authorities would be trusted as well.
      clear(CURLOPT_CAPATH)
    }
    if let pin = settings.publicKeyPin { set(CURLOPT_PINNEDPUBLICKEY, pin.bytes) }
    if let certificate = settings.clientCertificate {
      setFile(CURLOPT_SSLCERT, certificate.certificateFile)
      setFile(CURLOPT_SSLKEY, certificate.keyFile)
    }
    if let proxy = settings.proxy { set(CURLOPT_PROXY, proxy) }
  }

  // MARK: Options

  func set(_ option: CURLoption, _ value: Int) {
    unsafe check(ccurl_set_long(handle, option, value))
  }

  /// Sets a text option; libcurl copies the text.
  func set(_ option: CURLoption, _ text: StaticString) {
    // A literal ends with a NUL.
    unsafe check(
      ccurl_set_string(
        handle, option, UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)))
  }

  /// Sets a text option.
  ///
  /// - Precondition: no NUL in `bytes`.
  func set(_ option: CURLoption, _ bytes: [UInt8]) { set(option, terminated: bytes + [0]) }

  func set(_ option: CURLoption, terminated bytes: [UInt8]) {
    unsafe withCString(bytes) { unsafe check(ccurl_set_string(handle, option, $0)) }
  }

  func clear(_ option: CURLoption) { unsafe check(ccurl_set_string(handle, option, nil)) }

  /// Sets a file option. libcurl reads it in the loop, so an endless file becomes an empty one.
  private func setFile(_ option: CURLoption, _ file: Path) {
    unsafe (file.isNoFile ? Path("/dev/null") : file).withCString {
      unsafe check(ccurl_set_string(handle, option, $0))
    }
  }

  // MARK: Results of a transfer

  /// Passes a text of libcurl to `body`, if it exists.
  @unsafe
  func withText(_ text: UnsafePointer<CChar>?, _ body: (Span<UInt8>) -> Void) {
    guard let text = unsafe text else { return }
    let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
    unsafe body(bytes.bindMemory(to: UInt8.self).span)
  }

  /// Whether the last failure came from bytes that are not TLS: the server speaks HTTP.
  fileprivate var metNoTLS: Bool {
    unsafe strstr(errorWords, "wrong version number") != nil
      || strstr(errorWords, "packet length too long") != nil
  }

  /// Whether the last failure was that of a connection to the server itself, and not to a proxy.
  fileprivate var metNoProxy: Bool { unsafe ccurl_failed_at_server(handle, errorWords) != 0 }

  /// Whether the last transfer used a URL with TLS.
  fileprivate var isEncrypted: Bool { unsafe ccurl_is_encrypted(handle) != 0 }

  /// Checks a result: options and types are right, so an error means a lack of memory.
  func check(_ result: CURLcode) {
    precondition(result == CURLE_OK, "libcurl refused an option")
  }
}

/// Reason of a failed connection, if it is more precise than libcurl's short description. A program
/// whose settings have other names can derive its own advice.
public enum ConnectionFlaw: CaseIterable, Sendable {
  /// No trusted authority has signed the server's certificate.
  case untrustedCertificate
  /// No authority in the configured file has signed the server's certificate.
  case otherAuthority
  /// The certificate is out of date, or the clock of this machine is wrong.
  case certificateOutOfDate
  /// The certificate is for other host names than the requested one.
  case certificateForAnotherName
  /// The file of authorities is missing, or contains no PEM certificate.
  case unreadableAuthorities
  /// The server's public key is not the configured one.
  case otherPublicKey
  /// The TLS handshake fails: the server requires something that is missing, or does not speak TLS.
  case noTLS
  /// The server speaks HTTP instead of TLS.
  case plainServer
  /// The server closed the connection instead of answering.
  case noAnswer
  /// The server closed an HTTP connection instead of answering, as an HTTPS port does.
  case noAnswerInPlain
  /// The connection to a proxy failed that the environment of this process names.
  case environmentProxy

  /// Description for messages, at most `InlineText.byteCountMax` bytes.
  public var words: StaticString {
    switch self {
    case .untrustedCertificate: "its certificate is not trusted"
    case .otherAuthority: "its certificate is from no authority in ca_file"
    case .certificateOutOfDate: "its certificate or our clock is out of date"
    case .certificateForAnotherName: "its certificate is for another name"
    case .unreadableAuthorities: "the file of authorities cannot be used"
    case .otherPublicKey: "its public key is not the configured one"
    case .noTLS: "TLS fails there"
    case .plainServer: "it does not speak TLS there"
    case .noAnswer: "it closed the connection without an answer"
    case .noAnswerInPlain: "it closed the connection at once"
    case .environmentProxy: "no connection, and http_proxy is set"
    }
  }

  /// Returns the flaw whose description a failed transfer reported, or nil.
  public init?(_ words: InlineText) {
    guard let flaw = Self.allCases.first(where: { InlineText($0.words) == words }) else {
      return nil
    }
    self = flaw
  }

  fileprivate init?(_ result: CURLcode, of easy: EasyHandle?) {
    switch result {
    case CURLE_PEER_FAILED_VERIFICATION:
      switch easy.map({ unsafe ccurl_verify_result($0.handle) }) {
      // The chain is valid, or libcurl, which compares the name itself, has no result of the check.
      case 0?, 1?: self = .certificateForAnotherName
      // X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED
      case 9?, 10?: self = .certificateOutOfDate
      default: self = easy?.hasAuthorityFile == true ? .otherAuthority : .untrustedCertificate
      }
    case CURLE_SSL_CACERT_BADFILE: self = .unreadableAuthorities
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH: self = .otherPublicKey
    case CURLE_SSL_CONNECT_ERROR: self = easy?.metNoTLS == true ? .plainServer : .noTLS
    case CURLE_GOT_NOTHING, CURLE_RECV_ERROR:
      let hasAnswer = easy.map { unsafe ccurl_response_code($0.handle) != 0 } ?? true
      if !hasAnswer, easy?.isEncrypted == false {
        self = .noAnswerInPlain
      } else if result == CURLE_GOT_NOTHING {
        self = .noAnswer
      } else {
        return nil
      }
    case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_PROXY:
      guard let easy, easy.takesEnvironmentProxy,
        ccurl_has_environment_proxy(easy.isEncrypted ? 1 : 0) != 0, !easy.metNoProxy
      else { return nil }
      self = .environmentProxy
    default: return nil
    }
  }
}

/// Returns a description for the middle of a sentence: of a `ConnectionFlaw`, or libcurl's.
func words(for result: CURLcode, of easy: EasyHandle? = nil) -> InlineText {
  if let flaw = ConnectionFlaw(result, of: easy) { return InlineText(flaw.words) }
  guard let text = unsafe curl_easy_strerror(result) else {
    preconditionFailure("libcurl has words for every code")
  }
  let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
  return unsafe uncapitalized(bytes.bindMemory(to: UInt8.self).span)
}

/// Returns the text with a small first letter, unless it begins with an abbreviation such as `SSL`.
private func uncapitalized(_ text: Span<UInt8>) -> InlineText {
  var small = InlineArray<47, UInt8>(repeating: 0)
  let count = min(text.count, InlineText.byteCountMax)
  for index in 0..<count { small[index] = text[index] }
  if count > 1, text[1] & 0x20 != 0, text[1] > 0x40, text[0] & 0x20 == 0 { small[0] |= 0x20 }
  return InlineText(small.span.extracting(0..<count))
}

/// Passes bytes that end with a NUL to C.
@unsafe
func withCString<Result>(_ terminated: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result
{
  unsafe terminated.withUnsafeBytes { bytes in
    guard let start = bytes.baseAddress else { preconditionFailure("the NUL is always there") }
    return unsafe body(start.assumingMemoryBound(to: CChar.self))
  }
}

/// Receiver of the end of the transfer in a `MultiHandle`.
protocol MultiHandleOwner: AnyObject {
  func transferFinished(_ result: CURLcode)
}

/// Multi handle of libcurl with one transfer at a time, driven by the event loop.
///
/// The loop keeps this object alive while it watches a socket, but not its owner, who calls
/// `stopWatching` at its own end.
@safe final class MultiHandle {
  /// Maximum number of parallel sockets: the old connection, and IPv4 beside IPv6.
  static let socketsMax = 8

  private struct Socket {
    let descriptor: Int32
    let watch: Watch
  }

  private let loop: EventLoop
  private let multi: UnsafeMutableRawPointer
  private var sockets: [Socket] = []
  /// Owner of the present transfer; nil without one.
  private unowned(unsafe) var owner: (any MultiHandleOwner)?
  /// Time at which `deadlineReached` is due, or nil.
  private(set) var deadline: Instant?

  /// Creates a handle; nil if libcurl cannot start.
  init?(loop: EventLoop) {
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK,
      let multi = unsafe curl_multi_init()
    else { return nil }
    self.loop = loop
    unsafe self.multi = multi
    sockets.reserveCapacity(Self.socketsMax)
    setCallbacks()
  }

  deinit {
    unsafe ccurl_clear_callbacks(multi)
    unsafe curl_multi_cleanup(multi)
  }

  func stopWatching() {
    for socket in sockets { loop.stop(socket.watch) }
    sockets.removeAll()
  }

  /// Limits the idle connections to the newest one.
  func keepOneConnection() {
    let result = unsafe ccurl_keep_connections(multi, 1)
    precondition(result == CURLM_OK, "libcurl knows this option since 2007")
  }

  /// Begins a transfer, and reports its end to `owner`, later and once.
  func add(_ easy: EasyHandle, telling owner: any MultiHandleOwner) {
    unsafe self.owner = owner
    let added = unsafe curl_multi_add_handle(multi, easy.handle)
    precondition(added == CURLM_OK, "the handle is in no other multi handle")
  }

  /// Removes a transfer, complete or not. A connection without a transfer is closed with it.
  func remove(_ easy: EasyHandle) {
    unsafe owner = nil
    unsafe curl_multi_remove_handle(multi, easy.handle)
  }

  func deadlineReached(now: Instant) {
    guard let deadline, now >= deadline else { return }
    self.deadline = nil
    act(on: CURL_SOCKET_TIMEOUT, 0)
  }

  private func act(on socket: Int32, _ what: Int32) {
    var running: Int32 = 0
    unsafe curl_multi_socket_action(multi, socket, what, &running)
    var result = CURLE_OK
    guard unsafe ccurl_take_finished(multi, &result) == 1 else { return }
    unsafe owner?.transferFinished(result)
  }

  // MARK: Callbacks of libcurl

  private func setCallbacks() {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let result = unsafe ccurl_set_callbacks(
      multi,
      { _, descriptor, what, context, _ in
        unsafe Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
          .socketWanted(descriptor, what)
        return 0
      },
      { _, milliseconds, context in
        unsafe Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
          .timeoutWanted(milliseconds)
        return 0
      }, context)
    precondition(result == CURLM_OK, "libcurl knows these callbacks since 2006")
  }

  private func socketWanted(_ descriptor: Int32, _ what: Int32) {
    if let index = sockets.firstIndex(where: { $0.descriptor == descriptor }) {
      loop.stop(sockets[index].watch)
      sockets.remove(at: index)
    }
    guard what != CURL_POLL_REMOVE else { return }
    var readiness = Readiness()
    if what & CURL_POLL_IN != 0 { readiness.insert(.input) }
    if what & CURL_POLL_OUT != 0 { readiness.insert(.output) }
    // A socket that cannot be watched ends its transfer by timeout. libcurl uses a few sockets for
    // one transfer; their number also depends on the addresses of the name.
    guard sockets.count < Self.socketsMax,
      let watch = try? loop.watch(descriptor, for: readiness, telling: self)
    else { return }
    sockets.append(Socket(descriptor: descriptor, watch: watch))
  }

  private func timeoutWanted(_ milliseconds: Int) {
    deadline = milliseconds < 0 ? nil : Moment.now.instant + .milliseconds(milliseconds)
  }
}

extension MultiHandle: Watcher {
  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    var what: Int32 = 0
    if readiness.contains(.input) { what |= CURL_CSELECT_IN }
    if readiness.contains(.output) { what |= CURL_CSELECT_OUT }
    if !readiness.isDisjoint(with: .failure) { what |= CURL_CSELECT_ERR }
    act(on: descriptor, what)
  }
}

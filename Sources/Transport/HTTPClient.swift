public import Bytes
import CCurl
public import LinuxIO

/// Who gets the end of a transfer.
public protocol TransferOwner: AnyObject {
  func transferEnded(_ result: TransferResult)
}

public enum TransferResult: Equatable, Sendable {
  /// There is an answer, whatever it says; its body is in `HTTPClient.response`.
  case answered(status: Int)
  /// There is none, and this is why, in libcurl's words.
  case failed(InlineText)
}

/// One HTTP transfer at a time, over libcurl, driven by the event loop.
///
/// The connection is kept between transfers. Nothing of ours is allocated for a transfer.
@safe public final class HTTPClient {
  /// The longest answer that is read; Home Assistant's to 256 sensors has 40 KiB.
  public static let responseByteCountMax = 128 * 1024
  public static let connectTimeout: Duration = .seconds(10)
  /// For the whole transfer.
  public static let timeout: Duration = .seconds(30)
  /// Sockets that libcurl may use side by side: the old connection, and IPv4 beside IPv6.
  static let socketsMax = 8

  private struct Socket {
    let descriptor: Int32
    let watch: Watch
  }

  private let loop: EventLoop
  private let multi: UnsafeMutableRawPointer
  private let easy: UnsafeMutableRawPointer
  private var sockets: [Socket] = []
  private unowned(unsafe) var owner: (any TransferOwner)?
  /// Kept as long as libcurl may read from it.
  private var endpoint: Endpoint?
  private var timeoutAt: Instant?
  /// The socket of the last transfer, which libcurl keeps for the next one; -1 where it does not.
  private var keptSocket: Int32 = -1

  /// The body of the answer.
  public var response = ByteBuffer(capacity: HTTPClient.responseByteCountMax)
  /// The body to send; written before `post`, and left alone until the transfer has ended.
  public var request: ByteBuffer

  /// Nil where libcurl cannot start. `requestByteCountMax` is the longest body that will be sent.
  public init?(loop: EventLoop, requestByteCountMax: Int, userAgent: [UInt8]) {
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK,
      let multi = unsafe curl_multi_init(), let easy = unsafe curl_easy_init()
    else { return nil }
    self.loop = loop
    unsafe self.multi = multi
    unsafe self.easy = easy
    request = ByteBuffer(capacity: requestByteCountMax)
    sockets.reserveCapacity(Self.socketsMax)
    setCallbacks()
    setOptions(userAgent: userAgent)
  }

  deinit {
    unsafe curl_multi_remove_handle(multi, easy)
    unsafe curl_easy_cleanup(easy)
    unsafe curl_multi_cleanup(multi)
    for socket in sockets { loop.stop(socket.watch) }
  }

  public var isBusy: Bool { endpoint != nil }

  /// Whether the connection of the last transfer still stands: the server there did not restart.
  public var isConnectionKept: Bool { keptSocket >= 0 && isQuiet(socket: keptSocket) }

  /// When `deadlineReached` is due, or nil.
  public var deadline: Instant? { timeoutAt }

  public func deadlineReached(now: Instant) {
    guard let timeoutAt, now >= timeoutAt else { return }
    self.timeoutAt = nil
    act(on: CURL_SOCKET_TIMEOUT, 0)
  }

  /// Posts `request` and tells `owner` how it ended, later and once.
  public func post(to endpoint: Endpoint, telling owner: any TransferOwner) {
    precondition(!isBusy, "one transfer at a time")
    self.endpoint = endpoint
    unsafe self.owner = owner
    response.removeAll()
    unsafe endpoint.withURL { unsafe check(ccurl_set_string(easy, CURLOPT_URL, $0)) }
    unsafe check(ccurl_set_headers(easy, endpoint.headers))
    unsafe check(ccurl_set_body(easy, request.baseAddress, request.count))
    let added = unsafe curl_multi_add_handle(multi, easy)
    precondition(added == CURLM_OK, "the handle is in no other multi handle")
  }

  /// Ends a transfer whose owner goes away.
  public func cancel() {
    guard isBusy else { return }
    unsafe curl_multi_remove_handle(multi, easy)
    endpoint = nil
    unsafe owner = nil
  }

  // MARK: libcurl's side

  private func setCallbacks() {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let result = unsafe ccurl_set_callbacks(
      multi,
      { _, descriptor, what, context, _ in
        unsafe Unmanaged<HTTPClient>.fromOpaque(context).takeUnretainedValue()
          .socketWanted(descriptor, what)
        return 0
      },
      { _, milliseconds, context in
        unsafe Unmanaged<HTTPClient>.fromOpaque(context).takeUnretainedValue()
          .timeoutWanted(milliseconds)
        return 0
      }, context)
    precondition(result == CURLM_OK, "libcurl knows these callbacks since 2006")
    unsafe check(
      ccurl_set_write(
        easy,
        { bytes, size, count, context in
          let client = unsafe Unmanaged<HTTPClient>.fromOpaque(context).takeUnretainedValue()
          return unsafe client.received(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }, context))
  }

  private func setOptions(userAgent: [UInt8]) {
    unsafe check(ccurl_set_long(easy, CURLOPT_POST, 1))
    unsafe check(ccurl_set_long(easy, CURLOPT_NOSIGNAL, 1))
    unsafe check(
      ccurl_set_long(
        easy, CURLOPT_CONNECTTIMEOUT_MS, Int(Self.connectTimeout.nanoseconds / 1_000_000)))
    unsafe check(
      ccurl_set_long(easy, CURLOPT_TIMEOUT_MS, Int(Self.timeout.nanoseconds / 1_000_000)))
    unsafe check(ccurl_set_long(easy, CURLOPT_TCP_KEEPALIVE, 1))
    // HTTP/2 brings nothing to one request at a time and costs a session's memory.
    unsafe check(ccurl_set_long(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1))
    unsafe (userAgent + [0]).withUnsafeBytes { bytes in
      unsafe check(
        ccurl_set_string(
          easy, CURLOPT_USERAGENT, bytes.baseAddress?.assumingMemoryBound(to: CChar.self)))
    }
  }

  /// These options exist and the values are of their type: an error is out of memory.
  private func check(_ result: CURLcode) {
    precondition(result == CURLE_OK, "libcurl refused an option")
  }

  private func socketWanted(_ descriptor: Int32, _ what: Int32) {
    if let index = sockets.firstIndex(where: { $0.descriptor == descriptor }) {
      loop.stop(sockets[index].watch)
      sockets.remove(at: index)
    }
    guard what != CURL_POLL_REMOVE else { return }
    precondition(sockets.count < Self.socketsMax, "libcurl uses a few sockets for one transfer")
    var readiness = Readiness()
    if what & CURL_POLL_IN != 0 { readiness.insert(.input) }
    if what & CURL_POLL_OUT != 0 { readiness.insert(.output) }
    // A socket that cannot be watched ends its transfer by timeout.
    guard let watch = try? loop.watch(descriptor, for: readiness, telling: self) else { return }
    sockets.append(Socket(descriptor: descriptor, watch: watch))
  }

  private func timeoutWanted(_ milliseconds: Int) {
    timeoutAt = milliseconds < 0 ? nil : Moment.now.instant + .milliseconds(milliseconds)
  }

  private func received(_ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe response.append(bytes.bindMemory(to: UInt8.self).span)
    // Anything but the count makes libcurl end the transfer.
    return response.isOverflowed ? 0 : bytes.count
  }

  private func act(on socket: Int32, _ what: Int32) {
    var running: Int32 = 0
    unsafe curl_multi_socket_action(multi, socket, what, &running)
    var result = CURLE_OK
    guard isBusy, unsafe ccurl_take_finished(multi, &result) == 1 else { return }
    // Out of the multi handle, the easy one does not know it any more.
    keptSocket = unsafe ccurl_kept_socket(easy)
    unsafe curl_multi_remove_handle(multi, easy)
    endpoint = nil
    let owner = unsafe self.owner
    unsafe self.owner = nil
    let status = unsafe ccurl_response_code(easy)
    if result == CURLE_OK || response.isOverflowed {
      owner?.transferEnded(.answered(status: status))
    } else {
      let words = unsafe UnsafeRawBufferPointer(
        start: curl_easy_strerror(result), count: strlen(curl_easy_strerror(result)))
      unsafe owner?.transferEnded(.failed(InlineText(words.bindMemory(to: UInt8.self).span)))
    }
  }
}

extension HTTPClient: Watcher {
  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    var what: Int32 = 0
    if readiness.contains(.input) { what |= CURL_CSELECT_IN }
    if readiness.contains(.output) { what |= CURL_CSELECT_OUT }
    if !readiness.isDisjoint(with: .failure) { what |= CURL_CSELECT_ERR }
    act(on: descriptor, what)
  }
}

public import Bytes
import CCurl
public import HomeAssistant
public import LinuxIO

/// Receiver of the end of a transfer.
public protocol TransferOwner: AnyObject {
  /// Reports the end of the transfer; the next one may begin.
  func transferEnded(_ result: TransferResult)
}

/// Result of a transfer.
public enum TransferResult: Equatable, Sendable {
  /// The server answered, with any status; the body is in `HTTPClient.response`.
  case answered(status: Int)
  /// The transfer failed, for this reason, in the words of a `ConnectionFlaw` or of libcurl.
  case failed(InlineText)
}

/// HTTP client for one transfer at a time, over libcurl, driven by the event loop.
///
/// The connection is kept between transfers. This code allocates nothing for a transfer.
@safe public final class HTTPClient {
  /// Default maximum size of an answer, in bytes; Home Assistant's answer to 256 sensors has 40
  /// KiB.
  public static let responseByteCountMax = 128 * 1024
  /// Timeout for name look-up, proxy, TCP and TLS together.
  public static let connectTimeout: Duration = .seconds(10)
  /// Timeout for the whole transfer.
  public static let timeout: Duration = .seconds(30)

  private let multi: MultiHandle
  /// Handles for the cases of `Endpoint.trust`; one object if the settings have no TLS part.
  private let configured: EasyHandle
  private let system: EasyHandle
  /// Handle of the last transfer.
  private var easy: EasyHandle
  private unowned(unsafe) var owner: (any TransferOwner)?
  /// Endpoint of the present transfer, kept because libcurl may read from it.
  private var endpoint: Endpoint?
  /// Socket of the last transfer, which libcurl keeps for the next one; -1 if it does not.
  private var keptSocket: Int32 = -1
  /// Whether earlier connections must not be used.
  private var connectsAnew = false
  /// Whether the present transfer began after `leaveConnection`.
  private var isConnectingAnew = false

  /// Body of the answer.
  public var response: ByteBuffer
  /// Body to send; written before `send`, and not changed until the transfer has ended.
  public var request: ByteBuffer

  /// Nil if libcurl cannot start. `requestByteCountMax` is the maximum size of a body to send.
  public init?(
    loop: EventLoop, settings: TransportSettings = .system,
    connectTimeout: Duration = HTTPClient.connectTimeout, requestByteCountMax: Int,
    responseByteCountMax: Int = HTTPClient.responseByteCountMax, userAgent: [UInt8]
  ) {
    guard let multi = MultiHandle(loop: loop),
      let configured = EasyHandle(settings, connectTimeout: connectTimeout),
      let system = settings.withoutTLS == settings
        ? configured : EasyHandle(settings.withoutTLS, connectTimeout: connectTimeout)
    else { return nil }
    self.multi = multi
    self.configured = configured
    self.system = system
    easy = configured
    request = ByteBuffer(capacity: requestByteCountMax)
    response = ByteBuffer(capacity: responseByteCountMax)
    // libcurl then closes an older connection when it opens a new one.
    multi.keepOneConnection()
    for easy in [configured, system] {
      easy.set(CURLOPT_TIMEOUT_MS, Int(Self.timeout.nanoseconds / 1_000_000))
      easy.set(CURLOPT_USERAGENT, userAgent)
      receiveBodies(of: easy)
    }
  }

  deinit {
    multi.remove(easy)
    multi.stopWatching()
  }

  /// Phase in which the last transfer failed, if it has no answer.
  public private(set) var fault = TransferFault.other

  /// Whether a transfer is in progress.
  public var isBusy: Bool { endpoint != nil }

  /// Whether the connection of the last transfer is still open, so its server did not restart.
  public var isConnectionKept: Bool {
    !connectsAnew && keptSocket >= 0 && isQuiet(socket: keptSocket)
  }

  /// Head of the last answer; only the status if it is below 300.
  public var answerHead: AnswerHead {
    var head = AnswerHead(status: unsafe ccurl_response_code(easy.handle))
    guard head.status >= 300 else { return head }
    unsafe easy.withText(ccurl_content_type(easy.handle)) { head.setContentType($0) }
    unsafe easy.withText(ccurl_field(easy.handle, "WWW-Authenticate")) { head.setChallenge($0) }
    unsafe easy.withText(ccurl_redirect_url(easy.handle)) { head.location = [UInt8]($0) }
    return head
  }

  /// Media type of the last answer, such as `application/json`: in lower case, without parameters,
  /// and empty if the server sent none.
  public var responseMediaType: InlineText {
    var type = InlineText("")
    unsafe easy.withText(ccurl_content_type(easy.handle)) { type = mediaType(of: $0) }
    return type
  }

  /// `Date` of the last answer; nil without a plausible one.
  public var serverTime: WallTime? {
    // Of 64 bits on every processor: it goes beyond 2038.
    let seconds: Int64 = unsafe ccurl_server_time(easy.handle)
    // Only dates before 2100 are accepted: a server may send anything.
    guard (1...4_102_444_800).contains(seconds) else { return nil }
    return WallTime(nanoseconds: seconds * 1_000_000_000)
  }

  /// Time at which `deadlineReached` is due, or nil.
  public var deadline: Instant? { multi.deadline }

  /// Handles a deadline that has passed.
  public func deadlineReached(now: Instant) { multi.deadlineReached(now: now) }

  /// Sends a request to `endpoint`, with `request` as its body if its method has one, and reports
  /// the result to `owner`, later and once.
  public func send(to endpoint: Endpoint, telling owner: any TransferOwner) {
    precondition(!isBusy, "one transfer at a time")
    self.endpoint = endpoint
    unsafe self.owner = owner
    response.removeAll()
    easy = endpoint.trust == .system ? system : configured
    easy.set(CURLOPT_URL, terminated: endpoint.terminatedURL)
    unsafe easy.check(ccurl_set_headers(easy.handle, endpoint.headers))
    set(endpoint.method)
    easy.set(CURLOPT_FRESH_CONNECT, connectsAnew ? 1 : 0)
    isConnectingAnew = connectsAnew
    multi.add(easy, telling: self)
  }

  /// Stops using earlier connections. A connection belongs to the network in which it was opened:
  /// in another network, data sent over it is lost without an error. A transfer in progress
  /// continues.
  public func leaveConnection() {
    connectsAnew = true
    isConnectingAnew = false
  }

  /// Sends a call of the login below the address of Home Assistant, and reports the result to
  /// `owner`, later and once. Afterwards `request` contains a secret: `wipe` it at the end.
  public func send(_ call: AuthCall, to address: [UInt8], telling owner: any TransferOwner) {
    request.removeAll()
    request.append(call.body)
    send(to: Endpoint(address: address, call), telling: owner)
  }

  /// Ends a transfer without a report, for an owner that goes away.
  public func cancel() {
    guard isBusy else { return }
    multi.remove(easy)
    // libcurl has closed it, and another socket may have its number now.
    keptSocket = -1
    endpoint = nil
    unsafe owner = nil
  }

  /// Sets the method. Each of libcurl's three kinds of transfer resets the other two; other methods
  /// are one of them with another name.
  private func set(_ method: HTTPMethod) {
    switch method {
    case .head: easy.set(CURLOPT_NOBODY, 1)
    case .get, .delete, .options: easy.set(CURLOPT_HTTPGET, 1)
    case .post, .put, .patch:
      easy.set(CURLOPT_POST, 1)
      unsafe easy.check(ccurl_set_body(easy.handle, request.baseAddress, request.count))
    }
    switch method {
    case .get, .head, .post: easy.clear(CURLOPT_CUSTOMREQUEST)
    case .put, .patch, .delete, .options: easy.set(CURLOPT_CUSTOMREQUEST, method.name)
    }
  }

  private func receiveBodies(of easy: EasyHandle) {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe easy.check(
      ccurl_set_write(
        easy.handle,
        { bytes, size, count, context in
          let client = unsafe Unmanaged<HTTPClient>.fromOpaque(context).takeUnretainedValue()
          return unsafe client.received(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }, context))
  }

  private func received(_ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe response.append(bytes.bindMemory(to: UInt8.self).span)
    // Any other number makes libcurl end the transfer.
    return response.isOverflowed ? 0 : bytes.count
  }
}

extension HTTPClient: MultiHandleOwner {
  func transferFinished(_ result: CURLcode) {
    // After the removal from the multi handle, the easy handle no longer has this value.
    keptSocket = unsafe ccurl_active_socket(easy.handle)
    // If no connection was opened, an older one may still be reused.
    if isConnectingAnew, keptSocket >= 0 { connectsAnew = false }
    fault = TransferFault(result)
    multi.remove(easy)
    endpoint = nil
    let owner = unsafe self.owner
    unsafe self.owner = nil
    if result == CURLE_OK || response.isOverflowed {
      owner?.transferEnded(.answered(status: unsafe ccurl_response_code(easy.handle)))
    } else {
      owner?.transferEnded(.failed(words(for: result, of: easy)))
    }
  }
}

/// Returns the media type of a `Content-Type`, in lower case and without parameters.
private func mediaType(of contentType: Span<UInt8>) -> InlineText {
  let end = contentType.firstIndex(of: UInt8(ascii: ";")) ?? contentType.count
  let type = [UInt8](contentType.extracting(0..<end).trimmed())
  return InlineText(type.lowercasedASCII.span)
}

/// Phase in which a transfer failed, for advice to the user.
public enum TransferFault: Sendable {
  /// The name of the server cannot be resolved.
  case name
  /// The server, or the network on the way to it, accepts no connection.
  case connection
  /// The transfer took too long.
  case timeout
  /// Any other failure, such as a `ConnectionFlaw`.
  case other

  init(_ result: CURLcode) {
    switch result {
    case CURLE_COULDNT_RESOLVE_HOST: self = .name
    case CURLE_COULDNT_CONNECT: self = .connection
    case CURLE_OPERATION_TIMEDOUT: self = .timeout
    default: self = .other
    }
  }
}

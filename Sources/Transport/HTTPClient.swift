public import Bytes
import CCurl
public import HomeAssistant
public import LinuxIO

/// Who gets the end of a transfer.
public protocol TransferOwner: AnyObject {
  /// The transfer is over; the next one may begin.
  func transferEnded(_ result: TransferResult)
}

/// What became of a transfer.
public enum TransferResult: Equatable, Sendable {
  /// There is an answer, whatever it says; its body is in `HTTPClient.response`.
  case answered(status: Int)
  /// There is none, and this is why, in the words of a `ConnectionFlaw` or of libcurl.
  case failed(InlineText)
}

/// One HTTP transfer at a time, over libcurl, driven by the event loop.
///
/// The connection is kept between transfers. Nothing of ours is allocated for a transfer.
@safe public final class HTTPClient {
  /// The longest answer that is read where the owner sets no other; Home Assistant's to 256 sensors
  /// has 40 KiB.
  public static let responseByteCountMax = 128 * 1024
  /// For the name, the proxy, TCP and TLS together.
  public static let connectTimeout: Duration = .seconds(10)
  /// For the whole transfer.
  public static let timeout: Duration = .seconds(30)

  private let multi: MultiHandle
  /// By `Endpoint.trust`; the same one where the settings say nothing of TLS.
  private let configured: EasyHandle
  private let system: EasyHandle
  /// Of the last transfer.
  private var easy: EasyHandle
  private unowned(unsafe) var owner: (any TransferOwner)?
  /// Kept as long as libcurl may read from it.
  private var endpoint: Endpoint?
  /// The socket of the last transfer, which libcurl keeps for the next one; -1 where it does not.
  private var keptSocket: Int32 = -1
  /// Whether the connections that were made before lead nowhere.
  private var connectsAnew = false
  /// Whether the transfer under way was begun since.
  private var isConnectingAnew = false

  /// The body of the answer.
  public var response: ByteBuffer
  /// The body to send; written before `send`, and left alone until the transfer has ended.
  public var request: ByteBuffer

  /// Nil where libcurl cannot start. `requestByteCountMax` is the longest body that will be sent.
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
    // An older one, which was left, goes where a new one is made.
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

  /// Where the last transfer came to its end, if it has no answer.
  public private(set) var fault = TransferFault.other

  /// Whether a transfer is under way.
  public var isBusy: Bool { endpoint != nil }

  /// Whether the connection of the last transfer still stands: the server there did not restart.
  public var isConnectionKept: Bool {
    !connectsAnew && keptSocket >= 0 && isQuiet(socket: keptSocket)
  }

  /// The head of the last answer. Of a success nothing else is asked.
  public var answerHead: AnswerHead {
    var head = AnswerHead(status: unsafe ccurl_response_code(easy.handle))
    guard head.status >= 300 else { return head }
    unsafe easy.withText(ccurl_content_type(easy.handle)) { head.setContentType($0) }
    unsafe easy.withText(ccurl_field(easy.handle, "WWW-Authenticate")) { head.setChallenge($0) }
    unsafe easy.withText(ccurl_redirect_url(easy.handle)) { head.location = [UInt8]($0) }
    return head
  }

  /// The media type of the last answer, such as `application/json`: in lower case, without
  /// parameters, and empty where the server named none.
  public var responseMediaType: InlineText {
    var type = InlineText("")
    unsafe easy.withText(ccurl_content_type(easy.handle)) { type = mediaType(of: $0) }
    return type
  }

  /// The `Date` of the last answer; nil where it named none.
  public var serverTime: WallTime? {
    let seconds = Int64(unsafe ccurl_server_time(easy.handle))
    // Until 2100: a server may say anything.
    guard (1...4_102_444_800).contains(seconds) else { return nil }
    return WallTime(nanoseconds: seconds * 1_000_000_000)
  }

  /// When `deadlineReached` is due, or nil.
  public var deadline: Instant? { multi.deadline }

  /// `deadline` has come.
  public func deadlineReached(now: Instant) { multi.deadlineReached(now: now) }

  /// Asks `endpoint`, with `request` where its method has a body, and tells `owner` how it ended,
  /// later and once.
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

  /// Uses no connection any more that was made before. A connection leads through the network that
  /// the machine was in when it was made: once the machine is in another one, what is sent over it
  /// is lost without a word. A transfer that is under way goes on.
  public func leaveConnection() {
    connectsAnew = true
    isConnectingAnew = false
  }

  /// Makes a call of the login below the address of Home Assistant, and tells `owner` how it ended,
  /// later and once. `request` holds a secret from then on; `wipe` it when the transfer has ended.
  public func send(_ call: AuthCall, to address: [UInt8], telling owner: any TransferOwner) {
    request.removeAll()
    request.append(call.body)
    send(to: Endpoint(address: address, call), telling: owner)
  }

  /// Ends a transfer whose owner goes away.
  public func cancel() {
    guard isBusy else { return }
    multi.remove(easy)
    // libcurl closed it, and its number may be that of another socket by now.
    keptSocket = -1
    endpoint = nil
    unsafe owner = nil
  }

  /// Each of the three kinds of transfer that libcurl knows undoes the other two; other methods are
  /// one of them by another name.
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
    // Anything but the count makes libcurl end the transfer.
    return response.isOverflowed ? 0 : bytes.count
  }
}

extension HTTPClient: MultiHandleOwner {
  func transferFinished(_ result: CURLcode) {
    // Out of the multi handle, the easy one does not know it any more.
    keptSocket = unsafe ccurl_active_socket(easy.handle)
    // Where there was no connection, an older one still waits to be used.
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

/// The media type in a `Content-Type`, in lower case and without parameters.
private func mediaType(of contentType: Span<UInt8>) -> InlineText {
  let end = contentType.firstIndex(of: UInt8(ascii: ";")) ?? contentType.count
  let type = contentType.extracting(0..<end).trimmed()
  var lowercased = InlineArray<47, UInt8>(repeating: 0)
  let count = min(type.count, InlineText.byteCountMax)
  for index in 0..<count {
    let byte = type[index]
    lowercased[index] = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
  return InlineText(lowercased.span.extracting(0..<count))
}

/// Where a transfer that has no answer came to its end, for advice on what to do.
public enum TransferFault: Sendable {
  /// The name of the server is not known.
  case name
  /// The server, or the way to it, takes no connection.
  case connection
  /// It took too long.
  case timeout
  /// A `ConnectionFlaw`, or something else.
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

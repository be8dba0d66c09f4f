public import Bytes
import CCurl
public import HomeAssistant
public import LinuxIO

/// Who gets what comes over a WebSocket. Every `open` ends with one `webSocketClosed`; nothing of
/// this is called from inside a call to the connection.
public protocol WebSocketOwner: AnyObject {
  /// Messages may be sent.
  func webSocketOpened()
  /// A whole message, in `connection.message` until this returns.
  func webSocketReceived(_ kind: WebSocketMessageKind)
  /// It is over, and may be opened again.
  func webSocketClosed(_ end: WebSocketEnd)
}

/// One WebSocket at a time, over a connection that libcurl makes (name look-up, proxy, TLS), driven
/// by the event loop.
///
/// Its buffers are made once and cost memory only as far as they are used. Nothing of ours is
/// allocated for a message.
@safe public final class WebSocketConnection {
  /// For the name, the proxy, TCP and TLS together; the handshake has its own.
  public static let connectTimeout: Duration = .seconds(10)
  /// What is read, and what is written, in one turn of the loop at most; others want theirs.
  static let turnByteCountMax = 64 * 1024
  /// What a buffer keeps of its memory when a longer message is done.
  static let keptByteCount = 64 * 1024

  private enum Stage {
    case idle
    case connecting
    case connected(ConnectedSocket)
    /// Everything is closed; the owner will be told so.
    case over(WebSocketEnd, since: Instant)
  }

  private let loop: EventLoop
  private let multi: MultiHandle
  private let easy: EasyHandle
  private let userAgent: [UInt8]
  private unowned(unsafe) var owner: (any WebSocketOwner)?
  private var terminatedURL: [UInt8] = []
  private var stage = Stage.idle
  // Not private: tests look at what its buffer keeps of the memory.
  var conversation: WebSocketConversation
  /// There may be more to read than the kernel knows of; since then.
  private var unreadSince: Instant?
  /// Why nothing can be written any more. What is still to be read may say more.
  private var writeFailure: InlineText?
  /// More waits, or waited, to be sent than the buffer keeps memory for.
  private var isOutputLarge = false

  /// The message that was just received, or that is coming.
  public var message: ByteBuffer

  /// Nil where libcurl cannot start.
  ///
  /// - Parameters:
  ///   - loop: tells when there is something to do.
  ///   - settings: how the server is reached, and who it has to be.
  ///   - messageByteCountMax: the longest message that is received, and the longest that is sent.
  ///   - userAgent: what the server's log calls us, of at most 256 bytes; may be empty.
  public init?(
    loop: EventLoop, settings: TransportSettings,
    messageByteCountMax: Int = WebSocketConversation.messageByteCountMax, userAgent: [UInt8]
  ) {
    guard let multi = MultiHandle(loop: loop),
      let easy = EasyHandle(settings, connectTimeout: Self.connectTimeout)
    else { return nil }
    self.loop = loop
    self.multi = multi
    self.easy = easy
    self.userAgent = userAgent
    conversation = WebSocketConversation(sentMessageByteCountMax: messageByteCountMax)
    message = ByteBuffer(capacity: messageByteCountMax)
    easy.set(CURLOPT_CONNECT_ONLY, 1)
    // Through a proxy, too, this is a connection of our own.
    easy.set(CURLOPT_HTTPPROXYTUNNEL, 1)
  }

  deinit {
    if case .connected(let socket) = stage { socket.stop() }
    multi.remove(easy)
    multi.stopWatching()
  }

  // MARK: What an owner asks for

  /// Whether messages can be sent.
  public var isOpen: Bool { conversation.isOpen }

  /// Connects to an `http:` or `https:` URL and opens a WebSocket there.
  ///
  /// - Precondition: the last one is over, and its owner was told; no NUL in `url`.
  public func open(_ url: [UInt8], telling owner: any WebSocketOwner) {
    guard case .idle = stage else { preconditionFailure("one WebSocket at a time") }
    unsafe self.owner = owner
    terminatedURL = url + [0]
    stage = .connecting
    easy.set(CURLOPT_URL, terminated: terminatedURL)
    multi.add(easy, telling: self)
  }

  /// Sends a message; a text is valid UTF-8.
  ///
  /// - Returns: false where the WebSocket is not open, or where so much waits to be sent that the
  ///   message does not fit. Nothing of it is sent then.
  public func send(_ kind: WebSocketMessageKind, _ bytes: Span<UInt8>) -> Bool {
    guard conversation.send(kind, bytes, mask: randomBytes()) else { return false }
    flush()
    return true
  }

  /// Closes the WebSocket with a code that may be sent, such as `WebSocketCloseCode.normal`. The
  /// owner is told when it is over: after the server's close, or five seconds.
  public func close(code: UInt16) {
    let now = Moment.now.instant
    switch stage {
    case .idle, .over: return
    case .connecting: hangUp(.closedByUs, now: now)
    case .connected:
      let action = conversation.close(code: code, mask: randomBytes(), now: now)
      if case .hangUp(let end)? = action { hangUp(end, now: now) } else { flush() }
    }
  }

  /// Hangs up at once and reports nothing, for an owner that goes away.
  public func abandon() {
    disconnect()
    stage = .idle
    unsafe owner = nil
  }

  // MARK: Time

  /// When `deadlineReached` is due, or nil.
  public var deadline: Instant? {
    if case .over(_, let since) = stage { return since }
    let next = earliest(multi.deadline, conversation.deadline)
    return earliest(next, unreadSince)
  }

  /// `deadline` has come.
  public func deadlineReached(now: Instant) {
    multi.deadlineReached(now: now)
    if let unreadSince, now >= unreadSince { receive() }
    if let action = conversation.deadlineReached(now: now) { act(on: action) }
    if case .over(let end, let since) = stage, now >= since { tellClosed(end) }
  }

  // MARK: Receiving

  private func receive() {
    unreadSince = nil
    var byteCount = 0
    while case .connected(let socket) = stage {
      guard byteCount < Self.turnByteCountMax else {
        unreadSince = Moment.now.instant
        return
      }
      switch socket.read(into: &conversation.input) {
      case .bytes(let count):
        byteCount += count
        while let action = conversation.next(into: &message) { act(on: action) }
      case .wouldBlock:
        if let writeFailure { finish(conversation.disconnected(writeFailure)) }
        return
      case .end:
        return finish(conversation.disconnected(InlineText("The server closed the connection")))
      case .failed(let words):
        return finish(conversation.disconnected(words))
      }
    }
  }

  private func act(on action: WebSocketAction) {
    switch action {
    case .tellOpened: unsafe owner?.webSocketOpened()
    case .deliver(let kind):
      unsafe owner?.webSocketReceived(kind)
      if message.count > Self.keptByteCount { message.giveBack() }
    case .reply:
      conversation.reply(mask: randomBytes(), now: Moment.now.instant)
      flush()
    case .hangUp(let end): finish(end)
    }
  }

  // MARK: Sending

  /// Writes what the connection takes now, within the limit of a turn.
  private func flush() {
    guard case .connected(let socket) = stage, writeFailure == nil else { return }
    isOutputLarge = isOutputLarge || conversation.pendingByteCount > Self.keptByteCount
    var byteCount = 0
    var isTaken = true
    while isTaken, byteCount < Self.turnByteCountMax, conversation.pendingByteCount > 0 {
      var progress = ConnectedSocket.Progress.wouldBlock
      conversation.sendPending { pending in
        progress = socket.write(pending.extracting(first: Self.turnByteCountMax))
        if case .bytes(let count) = progress { return count } else { return 0 }
      }
      switch progress {
      case .bytes(let count): byteCount += count
      case .wouldBlock, .end: isTaken = false
      case .failed(let words):
        writeFailure = words
        unreadSince = Moment.now.instant
        return
      }
    }
    socket.waitForOutput(conversation.pendingByteCount > 0)
    giveBackOutput()
  }

  private func giveBackOutput() {
    guard isOutputLarge, conversation.pendingByteCount == 0 else { return }
    isOutputLarge = false
    conversation.withIdleOutput { $0.giveBack() }
  }

  // MARK: Ending

  /// Closes the connection and tells the owner.
  private func finish(_ end: WebSocketEnd) {
    disconnect()
    tellClosed(end)
  }

  /// Closes the connection; the owner, who is calling, is told later.
  private func hangUp(_ end: WebSocketEnd, now: Instant) {
    disconnect()
    stage = .over(end, since: now)
  }

  private func tellClosed(_ end: WebSocketEnd) {
    stage = .idle
    let owner = unsafe self.owner
    unsafe self.owner = nil
    owner?.webSocketClosed(end)
  }

  private func disconnect() {
    if case .connected(let socket) = stage { socket.stop() }
    multi.remove(easy)
    conversation.abandon()
    unreadSince = nil
    writeFailure = nil
    giveBackOutput()
    if message.count > Self.keptByteCount { message.giveBack() }
  }
}

extension WebSocketConnection: MultiHandleOwner {
  /// The connection stands, or there is none.
  func transferFinished(_ result: CURLcode) {
    guard result == CURLE_OK else { return finish(.notConnected(words(for: result, of: easy))) }
    guard let address = WebSocketAddress(terminatedURL: terminatedURL) else {
      return finish(.notConnected(InlineText("The URL cannot be requested")))
    }
    let socket: ConnectedSocket
    do throws(Errno) {
      let descriptor = unsafe ccurl_active_socket(easy.handle)
      socket = try ConnectedSocket(descriptor, of: easy, loop: loop, owner: self)
    } catch {
      var reason = ByteBuffer(capacity: InlineText.byteCountMax)
      reason.append(error)
      return finish(.notConnected(InlineText(reason.bytes)))
    }
    stage = .connected(socket)
    conversation.connected(
      to: address, key: randomBytes(), userAgent: userAgent, now: Moment.now.instant)
    flush()
  }
}

extension WebSocketConnection: ConnectedSocketOwner {
  func socketReady(_ readiness: Readiness) {
    if readiness.contains(.output) { flush() }
    // Also with an error: reading finds out which.
    if readiness != .output { receive() }
  }
}

extension ByteBuffer {
  fileprivate mutating func giveBack() {
    removeAll(keepingMemoryOf: WebSocketConnection.keptByteCount)
  }
}

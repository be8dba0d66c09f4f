public import Bytes
import CCurl
public import HomeAssistant
public import LinuxIO

/// Receiver of the events of a WebSocket. Every `open` ends with one `webSocketClosed`; none of
/// these functions is called from inside a call to the connection.
public protocol WebSocketOwner: AnyObject {
  /// Reports that messages may be sent.
  func webSocketOpened()
  /// Reports that a message is still arriving, every second after its first part.
  func webSocketReceiving()
  /// Reports a whole message, in `connection.message` until this returns.
  func webSocketReceived(_ kind: WebSocketMessageKind)
  /// Reports the end of the WebSocket, which may be opened again.
  func webSocketClosed(_ end: WebSocketEnd)
}

/// Connection for one WebSocket at a time, which libcurl opens (name look-up, proxy, TLS), driven
/// by the event loop.
///
/// Its buffers are allocated once and use memory only as far as they are filled. This code
/// allocates nothing for a message.
@safe public final class WebSocketConnection {
  /// Timeout for name look-up, proxy, TCP and TLS together; the handshake has its own.
  public static let connectTimeout: Duration = .seconds(10)
  /// Maximum number of bytes read, and written, in one turn of the loop; others need theirs.
  static let turnByteCountMax = 64 * 1024
  /// Minimum time between two reports of a message that is still arriving.
  static let progressInterval: Duration = .seconds(1)
  /// Memory that a buffer keeps after a longer message.
  static let keptByteCount = 64 * 1024

  private enum Stage {
    case idle
    case connecting
    case connected(ConnectedSocket)
    /// The connection is closed; the owner does not know it yet.
    case over(WebSocketEnd, since: Instant)
  }

  private let loop: EventLoop
  private let multi: MultiHandle
  private let easy: EasyHandle
  private let userAgent: [UInt8]
  private unowned(unsafe) var owner: (any WebSocketOwner)?
  private var terminatedURL: [UInt8] = []
  private var stage = Stage.idle
  // Not private: tests check the memory that its buffer keeps.
  var conversation: WebSocketConversation
  /// Time since which there may be more to read than the kernel knows of.
  private var unreadSince: Instant?
  /// Time from which the next part of the current message is reported.
  private var progressDueAt: Instant?
  /// Error after which nothing can be written. Unread data may explain more.
  private var writeFailure: InlineText?
  /// Whether more waits, or waited, to be sent than the buffer keeps memory for.
  private var isOutputLarge = false

  /// The message that was received last, or is being received.
  public var message: ByteBuffer

  /// Creates a connection; nil if libcurl cannot start.
  ///
  /// - Parameters:
  ///   - loop: event loop that drives the connection.
  ///   - settings: settings of proxy and TLS.
  ///   - sentByteCountMax: maximum size of a sent message.
  ///   - receivedByteCountMax: maximum size of a received message.
  ///   - userAgent: name of this program for the server's log, at most 256 bytes; may be empty.
  public init?(
    loop: EventLoop, settings: TransportSettings,
    sentByteCountMax: Int = WebSocketConversation.messageByteCountMax,
    receivedByteCountMax: Int = WebSocketConversation.messageByteCountMax, userAgent: [UInt8]
  ) {
    guard let multi = MultiHandle(loop: loop),
      let easy = EasyHandle(settings, connectTimeout: Self.connectTimeout)
    else { return nil }
    self.loop = loop
    self.multi = multi
    self.easy = easy
    self.userAgent = userAgent
    conversation = WebSocketConversation(sentMessageByteCountMax: sentByteCountMax)
    message = ByteBuffer(capacity: receivedByteCountMax)
    easy.set(CURLOPT_CONNECT_ONLY, 1)
    // Through a proxy, too, the connection is used by this object alone.
    easy.set(CURLOPT_HTTPPROXYTUNNEL, 1)
  }

  deinit {
    if case .connected(let socket) = stage { socket.stop() }
    multi.remove(easy)
    multi.stopWatching()
  }

  // MARK: Requests of the owner

  /// Connects to an `http:` or `https:` URL and opens a WebSocket there.
  ///
  /// - Precondition: the owner has got the end of the last one; no NUL in `url`.
  public func open(_ url: [UInt8], telling owner: any WebSocketOwner) {
    guard case .idle = stage else { preconditionFailure("one WebSocket at a time") }
    unsafe self.owner = owner
    terminatedURL = url + [0]
    stage = .connecting
    easy.set(CURLOPT_URL, terminated: terminatedURL)
    multi.add(easy, telling: self)
  }

  /// Sends a message; a text must be valid UTF-8.
  ///
  /// - Returns: false, with nothing sent, if the WebSocket is not open, or if the message does not
  ///   fit behind the waiting ones.
  public func send(_ kind: WebSocketMessageKind, _ bytes: Span<UInt8>) -> Bool {
    guard conversation.send(kind, bytes, mask: randomBytes()) else { return false }
    flush()
    return true
  }

  /// Closes the WebSocket with a code that may be sent, such as `WebSocketCloseCode.goingAway`. The
  /// owner gets the end later: after the server's close, or five seconds.
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

  /// Closes the connection at once without a report, for an owner that goes away.
  public func abandon() {
    disconnect()
    stage = .idle
    unsafe owner = nil
  }

  // MARK: Time

  /// Time at which `deadlineReached` is due, or nil.
  public var deadline: Instant? {
    if case .over(_, let since) = stage { return since }
    let next = earliest(multi.deadline, conversation.deadline)
    return earliest(next, unreadSince)
  }

  /// Handles a deadline that has passed.
  public func deadlineReached(now: Instant) {
    multi.deadlineReached(now: now)
    if let unreadSince, now >= unreadSince { receive() }
    if let action = conversation.deadlineReached(now: now) { act(on: action) }
    if case .over(let end, _) = stage { tellClosed(end) }
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
        if conversation.isReceivingMessage { partReceived(now: Moment.now.instant) }
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

  /// Reports the current message if a second has passed since its first part or the last report.
  private func partReceived(now: Instant) {
    guard let due = progressDueAt else { return progressDueAt = now + Self.progressInterval }
    guard now >= due else { return }
    progressDueAt = now + Self.progressInterval
    unsafe owner?.webSocketReceiving()
  }

  private func act(on action: WebSocketAction) {
    switch action {
    case .tellOpened: unsafe owner?.webSocketOpened()
    case .deliver(let kind):
      progressDueAt = nil
      unsafe owner?.webSocketReceived(kind)
      if message.count > Self.keptByteCount { message.giveBack() }
    case .reply:
      conversation.reply(mask: randomBytes(), now: Moment.now.instant)
      flush()
    case .hangUp(let end): finish(end)
    }
  }

  // MARK: Sending

  /// Writes as much as the connection accepts now, within the limit of a turn.
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

  /// Closes the connection and informs the owner.
  private func finish(_ end: WebSocketEnd) {
    disconnect()
    tellClosed(end)
  }

  /// Closes the connection; informs the owner later, because the owner is the caller.
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
    progressDueAt = nil
    writeFailure = nil
    giveBackOutput()
    if message.count > Self.keptByteCount { message.giveBack() }
  }
}

extension WebSocketConnection: MultiHandleOwner {
  /// Handles the result of opening the connection.
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
      let reason = [UInt8](byteCountMax: InlineText.byteCountMax) { $0.append(error) }
      return finish(.notConnected(InlineText(reason.span)))
    }
    stage = .connected(socket)
    conversation.connected(
      to: address, key: randomBytes(), userAgent: userAgent, now: Moment.now.instant)
    flush()
  }
}

extension WebSocketConnection {
  func socketReady(_ readiness: Readiness) {
    if readiness.contains(.output) { flush() }
    // Also after an error: reading finds its cause.
    if readiness != .output { receive() }
  }
}

extension ByteBuffer {
  fileprivate mutating func giveBack() {
    removeAll(keepingMemoryOf: WebSocketConnection.keptByteCount)
  }
}

/// Connection that a CONNECT_ONLY transfer has opened, including TLS and proxies.
///
/// The loop keeps this object alive while it watches it, but not its owner, who calls `stop`.
@safe final class ConnectedSocket {
  enum Progress {
    case bytes(Int)
    /// Nothing can be read or written now.
    case wouldBlock
    /// The peer closed the connection.
    case end
    case failed(InlineText)
  }

  private let loop: EventLoop
  private let easy: EasyHandle
  private unowned(unsafe) var owner: WebSocketConnection?
  private var watch: Watch?
  private var readiness = Readiness.input

  init(
    _ descriptor: Int32, of easy: EasyHandle, loop: EventLoop, owner: WebSocketConnection
  ) throws(Errno) {
    self.loop = loop
    self.easy = easy
    unsafe self.owner = owner
    watch = try loop.watch(descriptor, for: readiness, telling: self)
  }

  /// Ends the watch. Must be called before the connection is closed.
  func stop() {
    unsafe owner = nil
    if let watch = watch.take() { loop.stop(watch) }
  }

  /// Reads once into the free part of `buffer`, which must not be full. TLS may hold bytes that the
  /// kernel does not know, so only `wouldBlock` means that nothing is left.
  func read(into buffer: inout ByteBuffer) -> Progress {
    precondition(buffer.freeCapacity > 0, "a full buffer would look like the end")
    var result = CURLE_OK
    var count = 0
    buffer.fill { free in
      unsafe free.withUnsafeMutableBytes { free in
        unsafe result = curl_easy_recv(easy.handle, free.baseAddress, free.count, &count)
      }
      return result == CURLE_OK ? count : 0
    }
    return result == CURLE_OK && count == 0 ? .end : Self.progress(result, count)
  }

  func write(_ bytes: Span<UInt8>) -> Progress {
    var result = CURLE_OK
    var count = 0
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe result = curl_easy_send(easy.handle, bytes.baseAddress, bytes.count, &count)
    }
    return Self.progress(result, count)
  }

  private static func progress(_ result: CURLcode, _ count: Int) -> Progress {
    switch result {
    case CURLE_OK: .bytes(count)
    case CURLE_AGAIN: .wouldBlock
    default: .failed(words(for: result))
    }
  }

  /// Sets whether the owner is also called when more can be written.
  func waitForOutput(_ isWaiting: Bool) {
    let wanted: Readiness = isWaiting ? [.input, .output] : .input
    guard wanted != readiness, let watch else { return }
    // The descriptor is registered, so only a lack of memory can fail, and the next call tries
    // again.
    guard (try? loop.change(watch, to: wanted)) != nil else { return }
    readiness = wanted
  }
}

extension ConnectedSocket: Watcher {
  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    unsafe owner?.socketReady(readiness)
  }
}

import CMicroHTTPD

/// The events of the page for one listener, as a browser's `EventSource` reads them. It keeps no
/// queue: a listener that is slow skips what lies between, and is told how things are then.
final class EventStream {
  /// How often a listener hears that the home is there.
  static let beat = Duration.seconds(5)
  /// Between two events: a page that changes more often cannot be read.
  static let pause = Duration.milliseconds(250)
  /// What libmicrohttpd calls MHD_CONTENT_READER_END_OF_STREAM; Swift does not see the macro.
  static let end = -1

  private let page: Page
  private let stopSignal: StopSignal
  /// Of the connection. A listener has nothing to say, so anything on it is the end.
  private let descriptor: Int32
  private let bell = Bell()
  private let isAdmitted: Bool
  private var pending: ArraySlice<UInt8>
  /// What the listener was told up to; nil before it was told anything.
  private var revision: Int?

  init(page: Page, stopSignal: StopSignal, descriptor: Int32) {
    (self.page, self.stopSignal, self.descriptor) = (page, stopSignal, descriptor)
    isAdmitted = page.join(bell)
    pending = Self.retry[...]
  }

  deinit { page.leave(bell) }

  // MARK: Framing

  /// After how many milliseconds a browser that lost the connection tries again.
  static let retry = Array("retry: 1000\n\n".utf8)

  /// One event. JSON has no line ends outside of its texts and escapes those inside.
  static func event(_ name: String, _ content: JSON) -> [UInt8] {
    Array("event: \(name)\ndata: \(content.text)\n\n".utf8)
  }

  // MARK: Reading

  /// Fills the buffer with what comes next, and waits for it: the byte count, or `end`.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    if pending.isEmpty {
      guard let next = next() else { return Self.end }
      pending = next[...]
    }
    let piece = pending.prefix(buffer.count)
    unsafe buffer.copyBytes(from: piece)
    pending = pending.dropFirst(piece.count)
    return piece.count
  }

  /// Nil when the listener or the server is gone.
  private func next() -> [UInt8]? {
    guard isAdmitted else { return refuse() }
    if revision != nil, !rest(atMost: Self.pause, heedsBell: false) { return nil }
    if page.news(since: revision, now: .now()) == nil,
      !rest(atMost: Self.beat, heedsBell: true)
    {
      return nil
    }
    bell.silence()
    let now = Moment.now()
    guard let news = page.news(since: revision, now: now) else {
      return Self.event("beat", ["now": now.json])
    }
    revision = news.revision
    return Self.event("state", news.content)
  }

  /// Tells why, once, and ends; the browser tries again.
  private func refuse() -> [UInt8]? {
    guard revision == nil else { return nil }
    revision = 0
    return Self.event("full", ["listeners": .count(Page.listenersMax)])
  }

  /// Waits until the time is up or, where it is heeded, the bell rings. False when listener or
  /// server is gone.
  private func rest(atMost limit: Duration, heedsBell: Bool) -> Bool {
    var entries = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stopSignal.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: heedsBell ? bell.descriptor : -1, events: Int16(POLLIN), revents: 0),
    ]
    _ = unsafe poll(&entries, 3, StopSignal.milliseconds(limit))
    return entries[0].revents == 0 && entries[1].revents == 0
  }
}

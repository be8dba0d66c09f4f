import Bytes

/// What a feed keeps up to date.
protocol CacheFeedReader: AnyObject {
  /// The request was answered.
  func populated(with answer: JSON) throws(JSONDecodingError) -> CacheEffect
  /// An event came from the subscription at `index`.
  func received(_ event: Span<UInt8>, from index: Int) -> CacheEffect
  /// What events said goes for nothing: the answer that comes is newer.
  func dropEvents()
  /// The next event is the first of a new subscription.
  func subscriptionStarted()
  /// What was kept up to date is not, from now on.
  func feedStopped()
}

/// The traffic of a cache: a request that says all, and subscriptions that say what changes.
///
/// Subscriptions go out before the request, so no change falls between its answer and them. On
/// each new connection the client subscribes again, and then the request goes out again, once.
/// A request that is refused or not answered is repeated, with growing waits, as long as there is
/// a connection.
final class CacheFeed {
  enum Phase {
    case stopped
    /// The answer to the request is awaited.
    case populating
    /// The request failed, and waits for its repetition.
    case behind
    case current
  }

  private let client: Client
  private let request: RawRequest?
  private let subscriptions: [RawSubscription]
  /// From an event that makes the value outdated to the request: there may be more such events.
  private let settlingTime: Duration

  private(set) var phase = Phase.stopped
  /// Why there was no answer, or none that could be read, the last time.
  private var requestFailure: RequestError?
  private var reader: (any CacheFeedReader)?
  private var observation: Observation?
  private var subscriptionIDs: [RequestID] = []
  /// Why Home Assistant refused each subscription on this connection.
  private var refusals: [RequestError?] = []
  private var requestID: RequestID?
  /// The answer that is awaited may be outdated when it comes.
  private var isOutdated = false
  private var repetition: (number: UInt64, at: Instant)?
  private var backOff: BackOff

  private var isObserved = false
  private var forgetting: UInt64?
  var retention: CacheRetention { didSet { observersChanged() } }

  init(
    _ client: Client, request: RawRequest?, subscriptions: [RawSubscription],
    settlingTime: Duration = .zero, retention: CacheRetention
  ) {
    self.client = client
    self.request = request
    self.subscriptions = subscriptions
    self.settlingTime = settlingTime
    self.retention = retention
    backOff = BackOff(first: .seconds(5), longest: .seconds(300), seed: client.seed)
  }

  /// Why it is not up to date; nil where nothing failed.
  var failure: RequestError? {
    if let requestFailure { return requestFailure }
    for refusal in refusals { if let refusal { return refusal } }
    return nil
  }

  // MARK: Observers

  /// The cache has an observer. It starts, if it does not run.
  func observed(by reader: any CacheFeedReader) {
    isObserved = true
    observersChanged()
    if phase == .stopped { start(reader) }
  }

  /// The cache has lost its last observer.
  func unobserved() {
    isObserved = false
    observersChanged()
  }

  private func observersChanged() {
    cancelForgetting()
    guard !isObserved, phase != .stopped, case .forgotten(let delay) = retention else { return }
    guard delay > .zero else { return stop() }
    forgetting = client.wake(at: client.driver.now + delay) { [self] in
      forgetting = nil
      stop()
    }
  }

  private func cancelForgetting() {
    if let forgetting { client.cancelWake(forgetting) }
    forgetting = nil
  }

  private func start(_ reader: any CacheFeedReader) {
    self.reader = reader
    phase = .current
    refusals = subscriptions.map { _ in nil }
    observation = client.observe { [self] _ in connectionChanged() }
    for (index, subscription) in subscriptions.enumerated() {
      let subscription = client.subscribe(
        subscription.command, subscription.payload,
        onStart: { [self] in started(index, $0) }, onEvent: { [self] in received($0, from: index) })
      subscriptionIDs.append(subscription.detach())
    }
    if request != nil { ask() }
  }

  /// Ends all traffic.
  func stop() {
    guard phase != .stopped else { return }
    phase = .stopped
    requestFailure = nil
    refusals = []
    isOutdated = false
    observation = nil
    cancelRepetition()
    cancelForgetting()
    if let requestID { client.cancel(requestID) }
    requestID = nil
    for id in subscriptionIDs { client.cancel(id) }
    subscriptionIDs = []
    let reader = reader
    self.reader = nil
    reader?.feedStopped()
  }

  // MARK: The connection

  /// Looks at how the client stands: an observer that was told before may have ended the connection
  /// that this one is told of.
  private func connectionChanged() {
    guard case .ready = client.state else { return }
    for index in refusals.indices { refusals[index] = nil }
    guard request != nil else { return }
    guard phase == .populating else { return ask() }
    // The request that waits goes out by itself, behind the subscriptions.
    isOutdated = false
    reader?.dropEvents()
  }

  private func started(_ index: Int, _ result: Result<NoContent, RequestError>) {
    switch result {
    case .success:
      let wasRefused = refusals[index] != nil
      refusals[index] = nil
      reader?.subscriptionStarted()
      // What changed before was not told.
      if wasRefused, request != nil { outdated() }
    case .failure(let error): refusals[index] = error
    }
  }

  private func received(_ event: Span<UInt8>, from index: Int) {
    guard let reader else { return }
    switch reader.received(event, from: index) {
    case .outdated: outdated()
    case .changed, .unchanged: if request == nil { succeeded() }
    }
  }

  // MARK: The request

  private func outdated() {
    // An observer may have ended the connection; on the next one it asks anyway.
    guard case .ready = client.state else { return }
    switch phase {
    case .stopped: break
    case .populating: isOutdated = true
    case .behind, .current:
      guard request != nil else { return ask(after: backOff.failed()) }
      if settlingTime > .zero { ask(after: settlingTime) } else { ask() }
    }
  }

  private func ask(after delay: Duration) {
    let at = client.driver.now + delay
    if let repetition, repetition.at <= at { return }
    cancelRepetition()
    let number = client.wake(at: at) { [self] in
      repetition = nil
      // Without a connection it waits for one, and does not make one.
      if case .ready = client.state { ask() }
    }
    repetition = (number, at)
  }

  private func cancelRepetition() {
    if let repetition { client.cancelWake(repetition.number) }
    repetition = nil
  }

  /// Asks for all there is. Where there is no request for it, new subscriptions say it.
  private func ask() {
    cancelRepetition()
    guard let request else {
      for id in subscriptionIDs { client.resubscribe(id) }
      return
    }
    phase = .populating
    isOutdated = false
    let id = client.send(request) { [self] in answered($0) }
    // One that is too long is answered at once.
    if phase == .populating { requestID = id }
  }

  private func answered(_ result: Result<JSON, RequestError>) {
    guard let reader else { return }
    let wasOutdated = isOutdated
    requestID = nil
    switch result {
    case .success(let answer):
      phase = .current
      do throws(JSONDecodingError) {
        let effect = try reader.populated(with: answer)
        // Who was told may have stopped it and started it again.
        guard phase == .current else { return }
        succeeded()
        if wasOutdated || effect == .outdated { outdated() }
      } catch {
        failed(.decoding(error))
      }
    case .failure(let error): failed(error)
    }
  }

  private func succeeded() {
    requestFailure = nil
    backOff.succeeded()
  }

  private func failed(_ error: RequestError) {
    phase = .behind
    requestFailure = error
    reader?.dropEvents()
    ask(after: backOff.failed())
  }
}

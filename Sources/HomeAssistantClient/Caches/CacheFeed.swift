import Bytes
import HomeAssistant

/// Receiver of the answers and events of a feed.
protocol CacheFeedReader: AnyObject {
  /// Applies the answer to the request.
  func populated(with answer: JSON) throws(JSONDecodingError) -> CacheEffect
  /// Applies an event of the subscription at `index`.
  func received(_ event: Span<UInt8>, from index: Int) -> CacheEffect
  /// Drops the stored events: the next answer is newer.
  func dropEvents()
  /// Notes that the next event is the first of a new subscription.
  func subscriptionStarted()
  /// Drops the value: the feed no longer updates it.
  func feedStopped()
}

/// Traffic of a cache: a request for the whole value, and subscriptions to its changes.
///
/// Subscriptions go out before the request, so no change falls between its answer and them. On each
/// new connection the client subscribes again, and then sends the request again, once. A request
/// that is refused or not answered is repeated, with growing waits, as long as there is a
/// connection.
final class CacheFeed {
  enum Phase {
    case stopped
    /// Waits for the answer to the request.
    case populating
    /// Waits to repeat a failed request.
    case behind
    case current
  }

  private let client: Client
  private let request: RawRequest?
  private let subscriptions: [RawSubscription]
  /// Delay from an event that makes the value outdated to the request: more such events may follow.
  private let settlingTime: Duration

  private(set) var phase = Phase.stopped
  /// Error of the last request: no answer, or one that does not decode.
  private var requestFailure: RequestError?
  private var reader: (any CacheFeedReader)?
  private var observation: Observation?
  private var subscriptionIDs: [RequestID] = []
  /// Refusal of each subscription on this connection.
  private var refusals: [RequestError?] = []
  private var requestID: RequestID?
  /// Whether the awaited answer may be outdated when it comes.
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

  /// Reason that the value is not up to date; nil if nothing failed.
  var failure: RequestError? {
    if let requestFailure { return requestFailure }
    for refusal in refusals { if let refusal { return refusal } }
    return nil
  }

  // MARK: Observers

  /// Notes that the cache has an observer, and starts the traffic if it is stopped.
  func observed(by reader: any CacheFeedReader) {
    isObserved = true
    observersChanged()
    if phase == .stopped { start(reader) }
  }

  func unobserved() {
    isObserved = false
    observersChanged()
  }

  private func observersChanged() {
    cancelForgetting()
    guard !isObserved, phase != .stopped, case .forgotten(let delay) = retention else { return }
    guard delay > .zero else { return stop() }
    forgetting = client.wake(at: client.now + delay) { [self] in
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

  /// Reads the state of the client: an earlier observer of the new state may have ended the
  /// connection.
  private func connectionChanged() {
    guard case .ready = client.state else { return }
    for index in refusals.indices { refusals[index] = nil }
    guard request != nil else { return }
    guard phase == .populating else { return ask() }
    // The client sends the waiting request after the subscriptions.
    isOutdated = false
    reader?.dropEvents()
  }

  private func started(_ index: Int, _ result: Result<NoContent, RequestError>) {
    switch result {
    case .success:
      let wasRefused = refusals[index] != nil
      refusals[index] = nil
      reader?.subscriptionStarted()
      // Changes before the subscription were not reported.
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
    // An observer may have ended the connection; the next one repeats the request.
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
    let at = client.now + delay
    if let repetition, repetition.at <= at { return }
    cancelRepetition()
    let number = client.wake(at: at) { [self] in
      repetition = nil
      // The feed waits for a connection, and does not open one.
      if case .ready = client.state { ask() }
    }
    repetition = (number, at)
  }

  private func cancelRepetition() {
    if let repetition { client.cancelWake(repetition.number) }
    repetition = nil
  }

  /// Requests the whole value, or subscribes again if there is no request.
  private func ask() {
    cancelRepetition()
    guard let request else {
      for id in subscriptionIDs { client.resubscribe(id) }
      return
    }
    phase = .populating
    isOutdated = false
    let id = client.send(request) { [self] in answered($0) }
    // A request that is too long fails within `send`.
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

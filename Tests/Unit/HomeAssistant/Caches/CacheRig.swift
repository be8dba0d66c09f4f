import Bytes
import HomeAssistantTesting

@testable import HomeAssistant
@testable import HomeAssistantClient

/// A cache of words over a scripted server, and a note of what it told.
///
/// The server knows `words`, which says them all, and three subscriptions: `added` says one more,
/// `swapped` says all, `moved` says that they are others now.
final class CacheRig {
  let rig: ClientRig
  var driver: ScriptedDriver { rig.driver }
  private(set) var told: [[Text]] = []
  private var kept: [Token] = []

  init(isReady: Bool = true) { rig = ClientRig(isReady: isReady) }

  /// Ends the observations before the client that they observe.
  deinit { kept = [] }

  /// One that is ready, and its cache.
  static func withCache() -> (CacheRig, Cache<[Text]>) {
    let rig = CacheRig()
    return (rig, rig.makeCache())
  }

  /// One that is ready, and its cache, which it observes.
  static func observing() -> (CacheRig, Cache<[Text]>) {
    let (rig, cache) = withCache()
    rig.keepObserving(cache)
    return (rig, cache)
  }

  func makeCache(
    settlingTime: Duration = .zero, retention: CacheRetention = .kept
  ) -> Cache<[Text]> {
    Cache(
      rig.client, populatedBy: CachePopulation(GetWords()),
      updatedBy: [Self.added, Self.swapped, Self.moved], settlingTime: settlingTime,
      retention: retention)
  }

  /// Without a request.
  func makeFollower(_ words: [Text]? = nil) -> Cache<[Text]> {
    Cache(rig.client, words, updatedBy: [Self.added, Self.swapped, Self.moved])
  }

  static var added: CacheUpdate<[Text]> {
    CacheUpdate(Subscribe<Text>("added")) { words, word in
      if words.contains(word) { return .unchanged }
      words.append(word)
      return .changed
    }
  }
  static var swapped: CacheUpdate<[Text]> {
    CacheUpdate(Subscribe<[Text]>("swapped"), replacing: { $0.isEmpty ? nil : $0 })
  }
  static var moved: CacheUpdate<[Text]> { .outdating(Subscribe<JSON>("moved")) }

  func observe(_ cache: Cache<[Text]>) -> Observation {
    cache.observe { [unowned self] in told.append($0) }
  }

  /// Observes for as long as the rig lives.
  func keepObserving(_ cache: Cache<[Text]>) { keep(observe(cache)) }

  func keep(_ observation: consuming Observation) { kept.append(Token(observation)) }

  /// Confirms the subscriptions that were not confirmed yet, and answers the request.
  func serve(_ words: [Text]) {
    for type in ["added", "swapped", "moved"] as [Text] { confirm(type) }
    answer(words)
  }

  func confirm(_ type: Text) {
    if let id = driver.messageID(ofType: type) { driver.answer(id) }
  }

  func answer(_ words: [Text]) {
    guard let id = driver.messageID(ofType: "words") else { return }
    driver.answer(id, with: .array(words.map { .text($0) }))
  }

  func tell(_ event: JSON, of type: Text) {
    driver.tell(event, of: driver.messageID(ofType: type))
  }

  /// What went out, but for what belongs to the connection; then it is forgotten.
  var sent: [String] {
    let types = driver.messageTypes.filter { $0 != "auth" }
    driver.removeDeeds()
    return types
  }
}

struct GetWords: Request {
  typealias Response = [Text]
  let command: Text = "words"
}

struct Subscribe<Event: JSONDecodable>: SubscriptionRequest {
  let command: Text
  init(_ command: Text) { self.command = command }
}

/// An observation where a bare one cannot be kept: in a tuple, in an array.
final class Token {
  private var observation: Observation?
  init(_ observation: consuming Observation) { self.observation = consume observation }
  func end() { observation = nil }
}

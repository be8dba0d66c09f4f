import Bytes
public import HomeAssistant

/// Request for the whole value of a cache, and the transformation of its answer.
public struct CachePopulation<Value> {
  let request: RawRequest
  /// Makes a value from an answer and the value before.
  let decode: (JSON, Value?) throws(JSONDecodingError) -> Value

  /// Makes the value from an answer and the value before, if there is one. The `retry` of the
  /// request is ignored: the cache asks until there is an answer.
  public init<R: Request>(
    _ request: R, _ transform: @escaping (_ answer: R.Response, _ old: Value?) -> Value
  ) {
    self.request = RawRequest(request.command, request.payload, retry: .always)
    decode = { (json, old) throws(JSONDecodingError) in
      transform(try R.Response(json: json), old)
    }
  }

  /// Stores the answer as the value.
  public init<R: Request>(_ request: R) where R.Response == Value {
    self.init(request) { answer, _ in answer }
  }
}

/// Effect of an event on a cache.
public enum CacheEffect: Equatable, Sendable {
  /// The value is as before, and observers are not called.
  case unchanged
  /// Every observer is called with the new value.
  case changed
  /// The value is outdated, and is requested again.
  case outdated
}

/// Subscription to the changes of a cache's value.
///
/// An event that does not decode counts as `CacheEffect.outdated`.
public struct CacheUpdate<Value> {
  typealias Step = (inout Value?) -> CacheEffect

  let subscription: RawSubscription
  /// Returns the effect of an event on the value; nil if the event does not decode.
  let decode: (Span<UInt8>) -> Step?

  private init<S: SubscriptionRequest>(
    to subscription: S, _ decode: @escaping (Span<UInt8>) -> Step?
  ) {
    self.subscription = RawSubscription(subscription.command, subscription.payload)
    self.decode = decode
  }

  /// Changes the value in place, once there is one. The value may contain the event already, if the
  /// event and the answer were on their way at the same time.
  public init<S: SubscriptionRequest>(
    _ subscription: S,
    reducing reduce: @escaping (_ value: inout Value, _ event: S.Event) -> CacheEffect
  ) {
    self.init(to: subscription) { bytes in
      guard let event = Self.event(bytes, of: S.self) else { return nil }
      return { optional in
        // Taking the value out avoids a copy of it.
        guard var value = optional.take() else { return .unchanged }
        let effect = reduce(&value, event)
        optional = value
        return effect
      }
    }
  }

  /// Replaces the value with one made from each event; nil leaves it unchanged.
  public init<S: SubscriptionRequest>(
    _ subscription: S, replacing replace: @escaping (_ event: S.Event) -> Value?
  ) {
    self.init(to: subscription) { bytes in
      guard let event = Self.event(bytes, of: S.self) else { return nil }
      return { value in
        guard let new = replace(event) else { return .unchanged }
        value = new
        return .changed
      }
    }
  }

  /// Requests the whole value again after any event.
  public static func outdating<S: SubscriptionRequest>(_ subscription: S) -> CacheUpdate {
    CacheUpdate(to: subscription) { _ in { _ in .outdated } }
  }

  private static func event<S: SubscriptionRequest>(
    _ bytes: Span<UInt8>, of: S.Type
  ) -> S.Event? {
    do throws(JSONDecodingError) { return try S.Event(decoding: bytes) } catch { return nil }
  }
}

/// Fate of a cache without observers.
public enum CacheRetention: Equatable, Sendable {
  /// The value stays up to date: the next observer gets it at once.
  case kept
  /// After this time its subscriptions end and its value is forgotten.
  case forgotten(after: Duration)
}

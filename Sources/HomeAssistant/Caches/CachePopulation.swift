import Bytes

/// The request that says all that a cache keeps, and what is made of its answer.
public struct CachePopulation<Value> {
  let request: RawRequest
  /// Makes a value of an answer and of the value before.
  let decode: (JSON, Value?) throws(JSONDecodingError) -> Value

  /// - Parameters:
  ///   - request: how patient it is does not count: the cache asks until there is an answer.
  ///   - transform: makes the value of an answer and of the value before, if there is one.
  public init<R: Request>(
    _ request: R, _ transform: @escaping (_ answer: R.Response, _ old: Value?) -> Value
  ) {
    self.request = RawRequest(request.command, request.payload, retry: .always)
    decode = { (json, old) throws(JSONDecodingError) in
      transform(try R.Response(json: json), old)
    }
  }

  /// The answer is what is kept.
  public init<R: Request>(_ request: R) where R.Response == Value {
    self.init(request) { answer, _ in answer }
  }
}

/// What an event comes to.
public enum CacheEffect: Equatable, Sendable {
  /// Nothing is other than before, and observers are not told.
  case unchanged
  /// Every observer is told the new value.
  case changed
  /// The value is not what it should be: ask for all of it again.
  case outdated
}

/// A subscription that says how the value of a cache changes.
///
/// An event that does not decode says as much as `CacheEffect.outdated`.
public struct CacheUpdate<Value> {
  typealias Step = (inout Value?) -> CacheEffect

  let subscription: RawSubscription
  /// What an event does to the value; nil where it does not decode.
  let decode: (Span<UInt8>) -> Step?

  private init<S: SubscriptionRequest>(
    to subscription: S, _ decode: @escaping (Span<UInt8>) -> Step?
  ) {
    self.subscription = RawSubscription(subscription.command, subscription.payload)
    self.decode = decode
  }

  /// Changes the value in place.
  ///
  /// - Parameters:
  ///   - subscription: where the events come from.
  ///   - reduce: applies an event to the value. It may be called with an event that the value
  ///     contains already: one that was on its way at the same time as the answer. It is not called
  ///     where there is no value yet.
  public init<S: SubscriptionRequest>(
    _ subscription: S,
    reducing reduce: @escaping (_ value: inout Value, _ event: S.Event) -> CacheEffect
  ) {
    self.init(to: subscription) { bytes in
      guard let event = Self.event(bytes, of: S.self) else { return nil }
      return { optional in
        // Taken out, there is no second one that would have to be copied.
        guard var value = optional.take() else { return .unchanged }
        let effect = reduce(&value, event)
        optional = value
        return effect
      }
    }
  }

  /// Makes a whole value of each event; nil is of no concern.
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

  /// Any event means that all is to be asked for again, whatever it says.
  public static func outdating<S: SubscriptionRequest>(_ subscription: S) -> CacheUpdate {
    CacheUpdate(to: subscription) { _ in { _ in .outdated } }
  }

  private static func event<S: SubscriptionRequest>(
    _ bytes: Span<UInt8>, of: S.Type
  ) -> S.Event? {
    do throws(JSONDecodingError) { return try S.Event(decoding: bytes) } catch { return nil }
  }
}

/// What becomes of a cache without observers.
public enum CacheRetention: Equatable, Sendable {
  /// It is kept up to date all the same: the next observer has a value at once.
  case kept
  /// After this time its subscriptions end and its value is forgotten.
  case forgotten(after: Duration)
}

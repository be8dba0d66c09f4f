public import Bytes

extension Client {
  /// Sends a command over the WebSocket, now or as soon as there is a connection, and calls
  /// `completion` once with the result.
  @discardableResult
  public func send<R: Request>(
    _ request: R, _ completion: @escaping (Result<R.Response, RequestError>) -> Void
  ) -> RequestID {
    let members = Self.members(request.command, request.payload)
    guard members.count <= Session.membersByteCountMax else {
      completion(.failure(.tooLarge))
      return session.table.makeID()
    }
    let id = session.request(members: members, retry: request.retry, now: driver.now)
    let valueCountMax = session.policy.answerValueCountMax
    handlers[id] = Handler(
      finished: { completion($0.decoded(in: $1, valueCountMax: valueCountMax)) }, event: nil)
    act()
    return id
  }

  /// Subscribes on this connection and on every later one.
  ///
  /// - Parameters:
  ///   - subscription: subscription to send.
  ///   - onStart: receives Home Assistant's verdict on each connection. A refused subscription is
  ///     retried when Home Assistant has loaded something new. For one that runs once, a failure is
  ///     the end.
  ///   - onEvent: receives every event, or the reason that it could not be decoded.
  /// - Returns: the subscription, which ends when this value is released.
  public func subscribe<S: SubscriptionRequest>(
    _ subscription: S, onStart: @escaping (Result<NoContent, RequestError>) -> Void = { _ in },
    onEvent: @escaping (Result<S.Event, RequestError>) -> Void
  ) -> Subscription {
    subscribe(
      subscription.command, subscription.payload, isResubscribed: subscription.isResubscribed,
      onStart: onStart
    ) { event in onEvent(Self.decode(event)) }
  }

  /// Subscribes, and delivers each event as raw JSON.
  public func subscribe(
    _ command: Text, _ payload: JSONObject, isResubscribed: Bool = true,
    onStart: @escaping (Result<NoContent, RequestError>) -> Void,
    onEvent: @escaping (Span<UInt8>) -> Void
  ) -> Subscription {
    let members = Self.members(command, payload)
    guard members.count <= Session.membersByteCountMax else {
      onStart(.failure(.tooLarge))
      return Subscription(client: self, id: session.table.makeID())
    }
    let id = session.subscribe(
      members: members, isResubscribed: isResubscribed, now: driver.now)
    handlers[id] = Handler(
      finished: { result, message in onStart(result.decoded(in: message)) }, event: onEvent)
    act()
    return Subscription(client: self, id: id)
  }

  /// Ends a request: its completion is no longer called. A message that was already sent may still
  /// have an effect.
  public func cancel(_ id: RequestID) {
    if calls.removeValue(forKey: id) != nil { return driver.cancelHTTP(id) }
    handlers[id] = nil
    session.cancel(id)
    act()
  }

  package func resubscribe(_ id: RequestID) {
    session.resubscribe(id)
    act()
  }

  /// Sends a binary message, such as a piece of sound. Returns false if there is no connection.
  @discardableResult
  public func sendBinary(_ bytes: Span<UInt8>) -> Bool {
    guard case .ready = state else { return false }
    driver.send(.binary, bytes)
    return true
  }

  /// Returns `"type":"…"` and the members of the payload, without its `id` and `type`.
  private static func members(_ command: Text, _ payload: JSONObject) -> [UInt8] {
    var object: JSONObject = ["type": .text(command)]
    for member in payload.members where member.key != "id" && member.key != "type" {
      object[member.key] = member.value
    }
    let text = JSON.object(object).serialized()
    return [UInt8](text[1..<text.count - 1])
  }

  static func decode<Value: JSONDecodable>(
    _ bytes: Span<UInt8>, valueCountMax: Int = JSON.valueCountMax
  ) -> Result<Value, RequestError> {
    do throws(JSONError) {
      return decode(try JSON(parsing: bytes, valueCountMax: valueCountMax))
    } catch {
      return .failure(.decoding(.malformed(error)))
    }
  }

  static func decode<Value: JSONDecodable>(_ json: JSON) -> Result<Value, RequestError> {
    do throws(JSONDecodingError) {
      return .success(try Value(json: json))
    } catch {
      return .failure(.decoding(error))
    }
  }
}

extension Result<Range<Int>?, RequestError> {
  fileprivate func decoded<Value: JSONDecodable>(
    in message: Span<UInt8>, valueCountMax: Int = JSON.valueCountMax
  ) -> Result<Value, RequestError> {
    switch self {
    case .success(let place?):
      Client.decode(message.extracting(place), valueCountMax: valueCountMax)
    case .success(nil): Client.decode(JSON.null)
    case .failure(let error): .failure(error)
    }
  }
}

extension RequestError {
  /// Maximum number of values in an `error` object; real ones have less than ten.
  private static let valueCountMax = 64

  /// Reads an `error` object. Other members, such as the parts of a translation, are ignored.
  init(_ error: Span<UInt8>) {
    let json = (try? JSON(parsing: error, valueCountMax: Self.valueCountMax)) ?? .null
    self = .server(
      code: json.get("code", orOnFailure: "unknown_error"),
      message: json.get("message", orOnFailure: ""))
  }
}

/// Receiver of the answers to messages that are sent without a handler.
public protocol DirectMessageOwner: AnyObject {
  /// Receives the JSON of the result, which is valid until this method returns.
  func directMessageAnswered(_ result: Span<UInt8>)
  /// Receives the reason that there is no answer, or the refusal.
  func directMessageFailed(_ error: RequestError)
}

extension Client {
  /// Sends a command that is written directly into the send buffer, without an allocation, for a
  /// program that sends all day. Only one message at a time is allowed; it is never repeated.
  ///
  /// The caller keeps `owner`, which receives the result once, alive until then. `writeMembers`
  /// appends `,"type":"…"` and the other members beside the `id`. Returns false if there is no
  /// connection, or the message is too long.
  public func sendDirectMessage(
    telling owner: any DirectMessageOwner, _ writeMembers: (inout ByteBuffer) -> Void
  ) -> Bool {
    precondition(directMessage == nil, "one direct message at a time")
    guard let id = session.beginDirectMessage(now: driver.now, writeMembers) else { return false }
    directMessage = id
    unsafe directOwner = owner
    session.withOutput { driver.send(.text, $0) }
    return true
  }

  /// Forgets the direct message; its owner calls this before it is released.
  public func cancelDirectMessage() {
    guard let id = directMessage else { return }
    directMessage = nil
    unsafe directOwner = nil
    session.cancel(id)
  }
}

public import Bytes

/// Channel of notifications for a registered device, over the WebSocket.
///
/// Home Assistant closes the channel silently if a notification is not confirmed within 10 seconds,
/// or if another program opens a channel for this device. So each notification is confirmed before
/// it is delivered; after a refused confirmation, and at regular intervals, even after a refusal,
/// the channel is reopened. After a reconnection the client reopens it.
public final class PushChannel {
  /// Interval at which the channel is reopened, and the longest time that it can be closed
  /// unnoticed.
  public static let renewalInterval: Duration = .seconds(600)

  /// Maximum size of a notification in bytes. Larger ones are confirmed and reported as unreadable,
  /// as are those with more than `notificationValueCountMax` values: a value takes many times the
  /// memory of its text.
  public static let notificationByteCountMax = 64 * 1024
  static let notificationValueCountMax = 4096

  /// Answer of Home Assistant to the subscription.
  public enum Change: Equatable, Sendable {
    /// Home Assistant accepted the subscription: notifications arrive.
    case opened
    /// Home Assistant does not know the device, or the device belongs to another user.
    case refused(RequestError)
  }

  /// Receiver of notifications, for as long as the channel lives: the answer to a confirmation may
  /// come after the end of the subscription that brought its notification, or of the channel.
  private final class Listener {
    var onNotification: ((Result<PushNotification, RequestError>) -> Void)?
  }

  private let client: Client
  private var webhookID: Text
  private let onChange: (Change) -> Void
  private let listener = Listener()
  private var subscription: Subscription?
  private var observation: Observation?
  /// Whether the open or pending channel uses confirmations.
  private var isConfirmed = false
  private var isRefusalTold = false
  private var renewAt: Instant?

  /// Opens the channel as soon as the client is connected, until this object is released.
  ///
  /// - Parameters:
  ///   - client: client of the user who registered the device.
  ///   - webhookID: webhook of the device's registration; a secret.
  ///   - onChange: receives the answer each time the channel is opened; of repeated refusals only
  ///     the first, and none of a Home Assistant that is starting.
  ///   - onNotification: receives every notification after its confirmation, or the reason that it
  ///     is unreadable.
  public init(
    client: Client, webhookID: [UInt8], onChange: @escaping (Change) -> Void,
    onNotification: @escaping (Result<PushNotification, RequestError>) -> Void
  ) {
    self.client = client
    self.webhookID = Text(webhookID)
    self.onChange = onChange
    listener.onNotification = onNotification
    observation = client.observe { [unowned(unsafe) self] in unsafe stateChanged($0) }
    stateChanged(client.state)
  }

  deinit { listener.onNotification = nil }

  /// Switches to another registration. Earlier notifications that wait for the answer to their
  /// confirmation are still delivered: Home Assistant may have accepted it, and then never sends
  /// them again.
  public func reopen(for webhookID: [UInt8]) {
    self.webhookID = Text(webhookID)
    isRefusalTold = false
    renewAt = nil
    // A subscription that waits for a connection is dropped.
    guard case .ready(let version) = client.state else { return subscription = nil }
    subscribe(isConfirmed: version.supports(.pushConfirmation))
  }

  /// Instant at which to call `deadlineReached`, or nil.
  public var deadline: Instant? { renewAt }

  /// Reopens the channel if `deadline` has come.
  public func deadlineReached(now: Instant) {
    guard let renewAt, now >= renewAt else { return }
    self.renewAt = nil
    subscription?.resubscribe()
  }

  private func stateChanged(_ state: ConnectionState) {
    guard case .ready(let version) = state else { return renewAt = nil }
    let isConfirmed = version.supports(.pushConfirmation)
    // The client repeats an existing subscription.
    guard subscription == nil || isConfirmed != self.isConfirmed else { return }
    subscribe(isConfirmed: isConfirmed)
  }

  private func subscribe(isConfirmed: Bool) {
    self.isConfirmed = isConfirmed
    let request: TypedSubscription<PushNotification> = .pushNotifications(
      webhookID: webhookID, isConfirmed: isConfirmed)
    subscription = client.subscribe(
      request.command, request.payload,
      onStart: { [unowned(unsafe) self] in unsafe started($0) },
      onEvent: { [unowned(unsafe) self] in unsafe received($0) })
  }

  private func started(_ result: Result<NoContent, RequestError>) {
    renewAt = client.now + Self.renewalInterval
    switch result {
    case .success:
      isRefusalTold = false
      onChange(.opened)
    case .failure(.server(code: "unknown_command", message: _)):
      // Home Assistant is starting: the client repeats the subscription.
      break
    case .failure(let error):
      guard !isRefusalTold else { return }
      isRefusalTold = true
      onChange(.refused(error))
    }
  }

  private func received(_ text: Span<UInt8>) {
    let event = Self.notification(in: text)
    // An unreadable notification has arrived too.
    guard let confirmID = Self.confirmID(in: text), let id = subscription?.id else {
      listener.onNotification?(event)
      return
    }
    // The client sends nothing from inside an event handler: the rest follows after the answer.
    client.send(.confirmPush(webhookID: webhookID, confirmID: confirmID)) {
      [unowned(unsafe) client, listener] result in
      guard let onNotification = listener.onNotification else { return }
      // A subscription that has ended stays ended.
      if case .failure(.server(code: "not_found", _)) = result { unsafe client.resubscribe(id) }
      onNotification(event.map { $0.confirmed(result) })
    }
  }

  static func notification(
    in text: Span<UInt8>
  ) -> Result<PushNotification, RequestError> {
    do throws(JSONError) {
      guard text.count <= notificationByteCountMax else { throw .tooLarge }
      return Client.decode(try JSON(parsing: text, valueCountMax: notificationValueCountMax))
    } catch {
      return .failure(.decoding(.malformed(error)))
    }
  }

  /// Returns the identifier for the confirmation. No other part of the text is stored, which may be
  /// long.
  private static func confirmID(in text: Span<UInt8>) -> Text? {
    var reader = JSONReader(text)
    do throws(JSONError) {
      try reader.openObject()
      while let key = try reader.nextKey() {
        if key.elementsEqual("hass_confirm_id"), try reader.nextKind() == .string {
          return Text(try reader.text())
        }
        try reader.skipValue()
      }
    } catch {}
    return nil
  }
}

extension SubscriptionRequest where Self == TypedSubscription<PushNotification> {
  /// Subscription to the notifications for a registered device, by its webhook, a secret. The token
  /// must be of the user who registered it.
  ///
  /// If `isConfirmed`, Home Assistant sends a notification that is not confirmed within 10 seconds
  /// elsewhere, and closes the channel silently: confirm each notification first with
  /// `confirmPush`, and subscribe again after a refused confirmation.
  public static func pushNotifications(webhookID: Text, isConfirmed: Bool) -> Self {
    var payload: JSONObject = ["webhook_id": .text(webhookID)]
    if isConfirmed { payload["support_confirm"] = true }
    return TypedSubscription("mobile_app/push_notification_channel", payload)
  }
}

extension Request where Self == TypedRequest<NoContent> {
  /// Confirmation that the notification with this `PushNotification.confirmID` has arrived. Refused
  /// as `not_found` if the channel is closed. It is never repeated: another connection has another
  /// channel.
  public static func confirmPush(webhookID: Text, confirmID: Text) -> Self {
    TypedRequest(
      "mobile_app/push_notification_confirm",
      ["webhook_id": .text(webhookID), "confirm_id": .text(confirmID)], retry: .never)
  }
}

/// State of the confirmation of a notification.
public enum PushConfirmation: Equatable, Sendable {
  /// Home Assistant accepted it.
  case taken
  /// The channel does not use confirmations.
  case notAsked
  /// Home Assistant refused it, or its answer was lost: it may have reported the notification to
  /// its sender as lost, or have sent it another way.
  case failed
}

/// Time for which a notification waited at a push relay.
public enum PushWait: Equatable, Sendable {
  /// No wait: the notification came over the local channel.
  case none
  /// Wait since the arrival at the relay.
  case since(Instant)
  /// Wait of a length that the relay does not say.
  case unknown

  /// Creates the wait of a notification from `arrived`, its arrival at the relay, to `sent`, the
  /// answer with it: both by the relay's clock, because that of the board may not be set yet.
  init(from arrived: WallTime?, to sent: WallTime?, now: Instant) {
    if let arrived, let sent {
      self = .since(now + .nanoseconds(-max(0, (sent - arrived).nanoseconds)))
    } else {
      self = .unknown
    }
  }
}

extension JSON {
  private static let numberByteCountMax = 64

  /// A text, or a number as its digits; nil for other values, and for a number with too many.
  public var writtenText: Text? {
    switch self {
    case .text(let text): return text
    case .number(let number):
      var digits = ByteBuffer(capacity: Self.numberByteCountMax)
      digits.appendJSON(number)
      return digits.isOverflowed ? nil : Text(digits.bytes)
    default: return nil
    }
  }
}

/// Notification for this device, from the local channel or a push relay.
public struct PushNotification: JSONDecodable, Equatable, Sendable {
  /// Message; nil for a command without one, such as `clear_notification`.
  public let message: Text?
  /// Title above the message.
  public let title: Text?
  /// Unchanged data of the sender.
  public let data: JSONObject
  /// Identifier for the confirmation; nil if the channel does not use confirmations.
  public let confirmID: Text?
  /// State of the confirmation.
  public internal(set) var confirmation = PushConfirmation.notAsked
  /// Time for which it waited at a push relay.
  public internal(set) var wait = PushWait.none

  public init(json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    message = members["message"]?.writtenText
    title = members["title"]?.writtenText
    // Home Assistant sends only objects, others send what they like to a relay.
    data = (try? members["data"]?.object()) ?? [:]
    confirmID = try members.getIfPresent("hass_confirm_id")
  }

  /// Returns the notification with the state of its confirmation.
  func confirmed(_ result: Result<NoContent, RequestError>) -> PushNotification {
    var notification = self
    notification.confirmation = if case .success = result { .taken } else { .failed }
    return notification
  }
}

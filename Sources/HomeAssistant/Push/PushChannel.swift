public import Bytes

/// The notifications for a registered device, over the WebSocket.
///
/// Home Assistant closes the channel without a word where one notification is not confirmed within
/// 10 seconds, or where another program opens one for the same device. So each is confirmed before
/// anything is done about it, a confirmation that is refused opens the channel again at once, and
/// it is opened again from time to time in any case, after a refusal too. After a reconnection the
/// client does that.
public final class PushChannel {
  /// How long a channel may be closed at most before it is opened again.
  public static let renewalInterval: Duration = .seconds(600)

  /// The longest notification that is read, and the values in it. What is more is confirmed and
  /// reported as unreadable: a value takes many times the memory of its text.
  public static let notificationByteCountMax = 64 * 1024
  static let notificationValueCountMax = 4096

  /// How Home Assistant took the channel.
  public enum Change: Equatable, Sendable {
    /// Home Assistant took the subscription: notifications come.
    case opened
    /// It does not know the device, or the device is another user's.
    case refused(RequestError)
  }

  /// Who is told of notifications, for as long as the channel lives: a confirmation may be answered
  /// when the subscription that brought its notification, or the channel itself, is no more.
  private final class Listener {
    var onNotification: ((Result<PushNotification, RequestError>) -> Void)?
  }

  private let client: Client
  private var webhookID: Text
  private let onChange: (Change) -> Void
  private let listener = Listener()
  private var subscription: Subscription?
  private var observation: Observation?
  /// Whether the channel that is open or wanted asks for confirmations.
  private var isConfirmed = false
  private var isRefusalTold = false
  private var renewAt: Instant?

  /// Opens the channel as soon as the client is connected, and closes it where this object ends.
  ///
  /// - Parameters:
  ///   - client: of the user who registered the device.
  ///   - webhookID: of the device's registration; a secret.
  ///   - onChange: is told how Home Assistant took the channel, each time it is opened; a refusal
  ///     only once until then.
  ///   - onNotification: is told every notification, which is confirmed by then, or why it cannot
  ///     be read.
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

  /// Takes the notifications for this device instead. Those that came before, and whose
  /// confirmation is under way, are told all the same: Home Assistant may have taken it, and then
  /// never sends them again.
  ///
  /// - Parameter webhookID: of the device's registration; a secret.
  public func reopen(for webhookID: [UInt8]) {
    self.webhookID = Text(webhookID)
    isRefusalTold = false
    renewAt = nil
    // What waits for a connection is not wanted any more.
    guard case .ready(let version) = client.state else { return subscription = nil }
    subscribe(isConfirmed: version.supports(.pushConfirmation))
  }

  /// When `deadlineReached` is due, or nil.
  public var deadline: Instant? { renewAt }

  /// `deadline` has come.
  public func deadlineReached(now: Instant) {
    guard let renewAt, now >= renewAt else { return }
    self.renewAt = nil
    subscription?.resubscribe()
  }

  private func stateChanged(_ state: ConnectionState) {
    guard case .ready(let version) = state else { return renewAt = nil }
    let isConfirmed = version.supports(.pushConfirmation)
    // The client repeats the subscription that it has.
    guard subscription == nil || isConfirmed != self.isConfirmed else { return }
    subscribe(isConfirmed: isConfirmed)
  }

  private func subscribe(isConfirmed: Bool) {
    self.isConfirmed = isConfirmed
    let request = SubscribePush(webhookID: webhookID, isConfirmed: isConfirmed)
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
    case .failure(let error):
      guard !isRefusalTold else { return }
      isRefusalTold = true
      onChange(.refused(error))
    }
  }

  private func received(_ text: Span<UInt8>) {
    let event = Self.notification(in: text)
    // What cannot be read has arrived all the same.
    guard let confirmID = Self.confirmID(in: text), let id = subscription?.id else {
      listener.onNotification?(event)
      return
    }
    // From inside an event nothing is sent at once: what is to be done waits for the answer.
    client.send(ConfirmPush(webhookID: webhookID, confirmID: confirmID)) {
      [unowned(unsafe) client, listener] result in
      guard let onNotification = listener.onNotification else { return }
      // A subscription that is over stays so.
      if case .failure(.server(code: "not_found", _)) = result { unsafe client.resubscribe(id) }
      onNotification(event.map { $0.confirmed(result) })
    }
  }

  private static func notification(
    in text: Span<UInt8>
  ) -> Result<PushNotification, RequestError> {
    do throws(JSONError) {
      guard text.count <= notificationByteCountMax else { throw .tooLarge }
      return Client.decode(try JSON(parsing: text, valueCountMax: notificationValueCountMax))
    } catch {
      return .failure(.decoding(.malformed(error)))
    }
  }

  /// Nothing else of the text is kept, however long it is.
  private static func confirmID(in text: Span<UInt8>) -> Text? {
    var reader = JSONReader(text)
    do throws(JSONError) {
      try reader.openObject()
      while let key = try reader.nextKey() {
        if key.elementsEqual("hass_confirm_id"), try reader.nextKind() == .string {
          return try reader.ownedText()
        }
        try reader.skipValue()
      }
    } catch {}
    return nil
  }
}

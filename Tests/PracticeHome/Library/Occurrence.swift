/// What happened around the messages of devices: logins, WebSockets, notifications.
public enum Occurrence: Sendable, Equatable {
  /// Why a channel for notifications ended.
  public enum End: String, Sendable {
    case left
    case unconfirmed
    case accident
  }

  case loggedIn
  /// An access token was handed out, for a code or for a refresh token.
  case tokenGranted(isRefresh: Bool)
  case tokenRevoked
  // WebSockets, by number
  case socketOpened(Int)
  case socketAdmitted(Int)
  case socketSilent(Int)
  case socketClosed(Int, byHome: Bool)
  /// A command succeeded.
  case commanded(String)
  // Notifications
  case channelOpened(confirms: Bool)
  case channelClosed(End)
  case notified(JSONObject)
  case notificationConfirmed
  /// It would have been posted to the address the device named; that is not played.
  case notificationPosted
  case notificationUndelivered
  /// Hours of a statistic were imported; of so many there were figures before.
  case statisticsImported(id: String, hours: [StatisticHour], replacedCount: Int)
  // What a person does in the user interface
  case entitySwitched(String, isDisabled: Bool)
  case registrationDeleted
  case accident(Accident)

  /// What a program calls it.
  var name: String {
    switch self {
    case .loggedIn: "logged_in"
    case .tokenGranted: "token_granted"
    case .tokenRevoked: "token_revoked"
    case .socketOpened: "socket_opened"
    case .socketAdmitted: "socket_admitted"
    case .socketSilent: "socket_silent"
    case .socketClosed: "socket_closed"
    case .commanded: "command"
    case .channelOpened: "channel_opened"
    case .channelClosed: "channel_closed"
    case .notified: "notified"
    case .notificationConfirmed: "notification_confirmed"
    case .notificationPosted: "notification_posted"
    case .notificationUndelivered: "notification_undelivered"
    case .statisticsImported: "statistics_imported"
    case .entitySwitched: "entity_switched"
    case .registrationDeleted: "registration_deleted"
    case .accident: "accident"
    }
  }

  /// What a program wants to know besides.
  var content: JSONObject {
    switch self {
    case .tokenGranted(let isRefresh): ["refresh": .bool(isRefresh)]
    case .socketOpened(let id), .socketAdmitted(let id), .socketSilent(let id):
      ["socket": .count(id)]
    case .socketClosed(let id, let byHome): ["socket": .count(id), "by_home": .bool(byHome)]
    case .commanded(let type): ["type": .string(type)]
    case .channelOpened(let confirms): ["confirms": .bool(confirms)]
    case .channelClosed(let end): ["reason": .string(end.rawValue)]
    case .notified(let content): ["notification": .object(content)]
    case .statisticsImported(let id, let hours, let replacedCount):
      [
        "statistic_id": .string(id), "hours": .array(hours.map(\.json)),
        "replaced": .count(replacedCount),
      ]
    case .entitySwitched(let id, let isDisabled):
      ["entity_id": .string(id), "disabled": .bool(isDisabled)]
    case .accident(let accident): ["accident": .string(accident.rawValue)]
    default: [:]
    }
  }

  /// What a person is told; nil for what would only be noise.
  var text: String? {
    switch self {
    case .loggedIn: "a user logged in"
    case .tokenGranted(isRefresh: true): "an access token was made for a refresh token"
    case .tokenGranted(isRefresh: false): "tokens were made for a login"
    case .tokenRevoked: "a refresh token was revoked"
    case .socketAdmitted(let id): "WebSocket \(id) is open"
    case .socketSilent(let id): "WebSocket \(id) does not answer pings"
    case .socketClosed(let id, let byHome):
      "WebSocket \(id) was closed by the \(byHome ? "home" : "client")"
    case .channelOpened(let confirms):
      "listens for notifications" + (confirms ? ", and will confirm them" : "")
    case .channelClosed(.left): "listens for notifications no more"
    case .channelClosed(.unconfirmed):
      "did not confirm a notification in time: it gets no more, and is not told"
    case .channelClosed(.accident): "was dropped: it gets no notifications, and is not told"
    case .notified(let content): "notified: \(content["message"]?.string ?? "")"
    case .notificationConfirmed: "confirmed a notification"
    case .notificationPosted:
      "the notification would be posted to the address it named, which is not played here"
    case .notificationUndelivered: "does not listen: a notification was not delivered"
    case .statisticsImported(let id, let hours, let replacedCount):
      Self.text(id, hours, replacedCount)
    case .entitySwitched(let id, let isDisabled):
      "\(id) was \(isDisabled ? "disabled" : "enabled")"
    case .registrationDeleted: "the registration was deleted"
    case .accident(let accident): "it happened: \(accident.rawValue)"
    case .socketOpened, .commanded: nil
    }
  }

  private static func text(
    _ id: String, _ hours: [StatisticHour], _ replacedCount: Int
  ) -> String {
    let count = "\(hours.count) \(hours.count == 1 ? "hour" : "hours")"
    let begin = hours.map(\.start).min().map { " from \($0.isoformatToSecond) on" } ?? ""
    return "statistics of \(id) imported: \(count)\(begin), \(replacedCount) of them replaced"
  }
}

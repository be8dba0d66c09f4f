import Bytes

/// Timeouts and limits of a session.
public struct SessionPolicy: Sendable {
  /// Time from the start of an attempt to the open socket.
  public var connectTimeout: Duration = .seconds(10)
  /// Time from the open socket to Home Assistant's verdict; Home Assistant waits 10 seconds for the
  /// token. Each login without a verdict doubles it, to at most eight times its value: Home
  /// Assistant counts a rejected token even if its verdict is lost, and may ban the address.
  public var authenticationTimeout: Duration = .seconds(10)
  /// Time from sending a request to its answer, and the longest time that a request that is never
  /// repeated waits to be sent. It starts again while a long message arrives, behind which the
  /// answer may be.
  public var answerTimeout: Duration = .seconds(60)
  /// Waits before the first, second, … attempt to reconnect; the last one repeats. After a ban each
  /// is longer by `AccessTokens.longestRefusalDelay`.
  public var reconnectWaits: [Duration] = [
    .zero, .seconds(5), .seconds(10), .seconds(10), .seconds(15),
  ]
  /// Minimum waits after the first, second, … consecutive login without a verdict; the last one
  /// repeats.
  public var unansweredLoginWaits: [Duration] = [
    .zero, .seconds(60), .seconds(600), .seconds(3600),
  ]
  /// Duration of a connection after which the waits start from the first again, unlike after one
  /// that Home Assistant accepts and drops at once.
  public var stableAfter: Duration = .seconds(30)
  /// Time from the start, and from each answered ping, to the next ping.
  public var pingInterval: Duration = .seconds(60)
  /// Time without an answer to a ping, or any other sign of life, after which the connection is
  /// dead.
  public var pongTimeout: Duration = .seconds(30)
  /// Lateness of a ping that shows that the machine slept: the connection is dead, and the ping is
  /// not sent.
  public var sleepAfter: Duration = .seconds(300)
  /// Time from the report of a loaded component to the retry of refused subscriptions.
  public var resubscribeDelay: Duration = .seconds(5)
  /// Whether Home Assistant may put several messages into one frame.
  public var coalescesMessages = true
  /// Maximum number of values in an answer. Larger answers are not decoded.
  public var answerValueCountMax = JSON.valueCountMax
  /// Whether the first request opens the connection. A scheduled reconnection is not brought
  /// forward.
  public var connectsAutomatically = true

  /// Creates the policy of a program with mains power and a good network.
  public init() {}

  /// Policy of a program without an operator: if Home Assistant stays unreachable, the attempts
  /// slow down to one every 5 minutes.
  public static var unattended: SessionPolicy {
    var policy = SessionPolicy()
    policy.reconnectWaits = [.zero, .seconds(5), .seconds(20), .seconds(80), .seconds(300)]
    return policy
  }

  /// Waits for `reconnectWaits` on battery power, since each attempt wakes the radio: the attempts
  /// slow down to one an hour.
  public static var batteryReconnectWaits: [Duration] {
    unattended.reconnectWaits + [.seconds(900), .seconds(3600)]
  }
}

/// Time limit for repeating a request whose connection was lost before the answer.
///
/// Home Assistant may have done the request although its answer was lost, so a request that must
/// not take effect twice uses `never`.
public enum Retry: Equatable, Sendable {
  /// Sent once.
  case never
  /// Repeated within this time from its creation.
  case within(Duration)
  /// Repeated without a time limit, even with another credential.
  case always
}

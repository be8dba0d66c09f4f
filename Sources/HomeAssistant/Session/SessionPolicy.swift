import Bytes

/// How patient a session is.
public struct SessionPolicy: Sendable {
  /// From the wish to connect to the open socket.
  public var connectTimeout: Duration = .seconds(10)
  /// From the open socket to Home Assistant's verdict; it waits 10 seconds for the token itself.
  /// After each login that got no verdict it is twice as long, up to eight times: Home Assistant
  /// counts a rejected token whether or not its verdict is heard, and may ban the address.
  public var authenticationTimeout: Duration = .seconds(10)
  /// From sending a request to its answer, and the longest that one which is never repeated waits
  /// to be sent.
  public var answerTimeout: Duration = .seconds(60)
  /// Waits before the first, second, … attempt to connect again; the last one repeats. After a
  /// ban each is `AccessTokens.longestRefusalDelay` longer.
  public var reconnectWaits: [Duration] = [
    .zero, .seconds(5), .seconds(10), .seconds(10), .seconds(15),
  ]
  /// The least wait after the first, second, … login in a row that got no verdict; the last one
  /// repeats.
  public var unansweredLoginWaits: [Duration] = [
    .zero, .seconds(60), .seconds(600), .seconds(3600),
  ]
  /// A connection that lasted this long starts the waits from the first again. One that Home
  /// Assistant accepts and drops at once does not.
  public var stableAfter: Duration = .seconds(30)
  /// From the beginning, and from each answered ping, to the next ping.
  public var pingInterval: Duration = .seconds(60)
  /// From a ping to its answer. After that the connection is dead.
  public var pongTimeout: Duration = .seconds(30)
  /// A ping that comes this much too late is not sent: the machine slept, the connection is dead.
  public var sleepAfter: Duration = .seconds(300)
  /// From Home Assistant's word that it loaded something to the repetition of what it refused.
  public var resubscribeDelay: Duration = .seconds(5)
  /// Whether Home Assistant may put several messages into one frame.
  public var coalescesMessages = true
  /// The most values that an answer may have in it. What is more cannot be read.
  public var answerValueCountMax = JSON.valueCountMax
  /// Whether the first request opens the connection. One that is waited for is never hurried.
  public var connectsAutomatically = true

  /// The policy of a program with mains and a good network.
  public init() {}

  /// The policy of a program without an operator: where Home Assistant stays away it knocks every
  /// 5 minutes in the end.
  public static var unattended: SessionPolicy {
    var policy = SessionPolicy()
    policy.reconnectWaits = [.zero, .seconds(5), .seconds(20), .seconds(80), .seconds(300)]
    return policy
  }

  /// The `reconnectWaits` of a program that lives on a battery, whose radio each attempt wakes: in
  /// the end it knocks once an hour.
  public static var batteryReconnectWaits: [Duration] {
    unattended.reconnectWaits + [.seconds(900), .seconds(3600)]
  }
}

/// For how long a request is sent again where its connection was lost before the answer came.
///
/// Home Assistant may have done what was asked and only the answer was lost, so what must not
/// happen twice says `never`.
public enum Retry: Equatable, Sendable {
  /// It is sent once.
  case never
  /// Counted from when the request was made.
  case within(Duration)
  /// For as long as it takes, another credential included.
  case always
}

import Bytes
public import HomeAssistant
public import Sensing

// What an `Uplink` is made with, what it wants, and what it tells.

extension Uplink {
  /// What of the configuration it goes by.
  public struct Settings: Sendable {
    /// The networks that are home, and the address of Home Assistant in them.
    public struct Home: Sendable {
      public let networks: HomeNetworks
      public let url: [UInt8]

      public init(networks: HomeNetworks, url: [UInt8]) {
        self.networks = networks
        self.url = url
      }
    }

    /// How the WebSocket is used.
    public struct WebSocket: Sendable {
      /// Whether messages go over it rather than over HTTP while it is open.
      public let carriesMessages: Bool
      /// Whether notifications come over it.
      public let takesNotifications: Bool

      public init(carriesMessages: Bool, takesNotifications: Bool) {
        self.carriesMessages = carriesMessages
        self.takesNotifications = takesNotifications
      }
    }

    /// The address of Home Assistant.
    public var url: [UInt8]
    /// Nil where the configuration does not say which networks are home.
    public var home: Home?
    /// Nil where there is no WebSocket.
    public var webSocket: WebSocket?
    /// Whether a registration without a key is one.
    public var isPlainAllowed = false
    /// Whether an address without TLS may be used away from home.
    public var isPlainAllowedAway = false
    /// After how long without a sign that Home Assistant knows the device it is registered anew;
    /// nil where a person does that.
    public var registersAgainAfter: Duration?
    /// Whether the token is in a file that the configuration names.
    public var readsTokenFile: Bool
    /// From one cycle to the next.
    public var every: Duration
    /// From one upload to the next, where it takes what several cycles brought; nil where each
    /// cycle ends with one.
    public var uploadEvery: Duration?
    /// How long a run that ends by itself may take, which has one cycle; nil where it runs until it
    /// is stopped.
    public var onceTimeout: Duration?
    /// What the board does differently while its supply is low, in the order in which a later level
    /// counts more.
    public var powerLevels: [PowerLevel] = []
    /// Which commands Home Assistant may give.
    public var commands: CommandKinds = []
    /// Which fixes are points of the track; nil where every one is.
    public var track: TrackFilter.Settings?

    public init(url: [UInt8], every: Duration, readsTokenFile: Bool) {
      self.url = url
      self.every = every
      self.readsTokenFile = readsTokenFile
    }
  }

  /// What earlier runs and pairing left.
  public struct Memory {
    public var registration: Registration?
    /// Whether Home Assistant said that it has no key for it.
    public var isKeyless = false
    /// What the tokens for the WebSocket come from, and those for a registration where no file is
    /// named.
    public var credential: Credential?
    /// The hours that wait for Home Assistant's statistics; nil where they are not wanted there.
    public var waitingHours: WaitingHours?

    public init(registration: Registration?) { self.registration = registration }
  }

  /// A request over HTTP. At most one of each channel is under way.
  public enum Call {
    /// A message to the webhook, which `writeMessage` writes.
    case message(over: Route)
    case registration(token: [UInt8])
    indirect case token(AuthCall)

    public var channel: Channel { if case .message = self { .webhook } else { .login } }
  }

  public enum Channel: Sendable {
    /// To the webhook: it ends with `messageAnswered` or `messageFailed`.
    case webhook
    /// To where a token is shown: it ends with `loginAnswered` or `loginFailed`.
    case login
  }

  /// What must outlive a restart beside the spool.
  public enum StateWrite {
    indirect case registration(Registration)
    /// A credential that was rejected: for good, where `isServerKnown`.
    case rejection(fingerprint: [UInt8])
    /// A credential that was accepted, whatever was kept of it.
    case acceptance(fingerprint: [UInt8])
    /// Home Assistant has no key to give for this registration.
    indirect case keyless(Registration)
    /// Nothing: whether something could be written.
    case probe
  }

  /// What the driver does, at once and in this order. It decides nothing.
  ///
  /// What is rare and large is in a box, so that what each cycle wants is small.
  public enum Action {
    /// On the disk; what became of it is told to the `spool`.
    case disk(Spool.Action)
    /// Ask every source.
    case sample
    /// Tell every source that it is asked like this from now on.
    case setPace(SamplingPace)
    /// Do what a command wants, and tell `performed`.
    indirect case perform(BoardOrder, for: CommandCall)
    /// Reboot the board. Nothing more is told of it.
    case reboot
    /// Tell `clockStateRead`.
    case readClockState
    /// Tell `stateWritten` or `stateFailed`.
    case write(StateWrite)
    /// Tell `rejectedTokensRead`.
    case readRejectedTokens
    /// Tell `tokenFileRead`.
    case readTokenFile
    /// Write `waitingHours`, and tell `hoursKept`.
    case keepHours
    case send(Call)
    /// End the request, of which nothing more is told.
    case cancel(Channel)
    /// Send nothing more over the connection of the last message, if it stands: it leads through a
    /// network that the board has left.
    case leaveConnection
    /// Send the message over the WebSocket: it ends with `messageAnswered` or `messageFailed`, or
    /// with `postRefused` where the WebSocket cannot take it.
    case post
    /// Ask over the WebSocket, and tell `asked`.
    indirect case ask(RawRequest)
    /// Connect the WebSocket, or end its connection: no token may be sent from here.
    case setWebSocketAllowed(Bool)
    /// A refused access token is replaced once: connect the WebSocket again.
    case connectWebSocket
    /// The network is another one, or there is a sign that Home Assistant is within reach. Where
    /// the WebSocket waits to connect, it does it now; where it is open, it shows that it stands.
    case checkWebSocket
    /// The board lives on its battery from now on, or does not.
    case setWebSocketOnBattery(Bool)
    indirect case giveTokenToWebSocket(TokenResult)
    /// Take the notifications of this registration, and of none before it but those that came
    /// already.
    indirect case openPushChannel(Registration)
    case tell(Event)
  }

  /// What there is to tell people.
  public enum Event {
    case delivery(DeliveryEvent)
    case registered(isPlain: Bool)
    indirect case notRegistered(Enrollment.Problem)
    /// The state directory cannot be used, which is told by itself.
    case registrationPostponed
    case stateFailed(words: [UInt8])
    indirect case presence(HomeNetworks.Presence, NetworkPlace)
    /// Another level of the power policy holds, or none does any more; `power` tells which. From
    /// one cycle, or where the run ends by itself, from one report to the next.
    case powerLevel(every: Duration)
    indirect case statistics(StatisticsImport.Event)
    /// The hours for the statistics are in memory only.
    case hoursNotKept(DiskFailure)
    indirect case webSocket(ConnectionState)
    /// A notification that is for people.
    indirect case notified(PushNotification)
    indirect case command(CommandResult)
  }
}

extension Uplink.Settings {
  /// Whether a token that is rejected at the address of the configuration is so for good: TLS
  /// proves who answers there. Over plain HTTP each machine on the way can say it; and a board that
  /// comes and goes may log in as a user who may not from outside.
  public var isServerKnown: Bool { home == nil && url.span.starts(with: "https://") }

  /// From one cycle and from one upload to the next, while the power policy has this effect. A run
  /// that ends by itself has one cycle, and none at its end: what is read then could not go.
  func intervals(for power: PowerEffect) -> CyclePlan.Intervals {
    onceTimeout.map { CyclePlan.Intervals(every: $0 * 2) } ?? usualIntervals(for: power)
  }

  /// The same, whether the run ends by itself or not.
  func usualIntervals(for power: PowerEffect) -> CyclePlan.Intervals {
    CyclePlan.Intervals(
      every: power.every ?? every, uploadEvery: power.uploadEvery ?? uploadEvery)
  }
}

import Bytes
public import HomeAssistant
public import Sensing

// What an `Uplink` is made with, what it wants, and what it tells.

extension Uplink {
  /// What of the configuration it goes by.
  public struct Settings: Sendable {
    /// Home Assistant, as the section `home_assistant` of the configuration has it.
    public struct Server: Sendable {
      /// `url`: http or https, a host, and optionally a port and a path; at most 512 bytes; without
      /// a slash at the end. Required.
      public var url: [UInt8]
      /// `home_network`: how to know home, and the address there. Default: nil, the board is
      /// wherever it is.
      public var home: Home?
      /// `encryption: preferred`: a server that gives no key is sent messages in plain, and asked
      /// for a key once a day. Default: `required`, nothing is sent in plain.
      public var isPlainAllowed = false
      /// `plain_http_away`: whether an address without TLS may be used away from home. Default:
      /// false.
      public var isPlainAllowedAway = false
      /// `register_again`: where Home Assistant has not known this device for so long, it is
      /// registered anew, which makes its entities anew; 30 s to 24 h. Default, and with `off`:
      /// nil, never: a person has to do it.
      public var registersAgainAfter: Duration?

      public init(url: [UInt8]) { self.url = url }
    }

    /// `home_network: { ssids, bssids, gateways, url }`.
    public struct Home: Sendable {
      /// `ssids`: names of wireless networks, 1 to 32 bytes. `bssids`: their access points, where
      /// the name alone is not enough. `gateways`: hardware addresses of gateways at the end of a
      /// cable. At least one of the three lists, each of 1 to 16 items.
      public let networks: HomeNetworks
      /// `url`: the address of Home Assistant there. Default: that of `home_assistant`.
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

    public var server: Server
    /// Nil where there is no WebSocket.
    public var webSocket: WebSocket?
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

    public init(_ server: Server, every: Duration, readsTokenFile: Bool) {
      self.server = server
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

extension Uplink.Settings.Server {
  /// Whether a token that is rejected at the address of the configuration is so for good: TLS
  /// proves who answers there. Over plain HTTP each machine on the way can say it; and a board that
  /// comes and goes may log in as a user who may not from outside.
  var isKnown: Bool { home == nil && url.span.starts(with: "https://") }
}

extension Uplink.Settings {
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

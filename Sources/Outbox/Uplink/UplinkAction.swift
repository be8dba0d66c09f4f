import Bytes
public import HomeAssistant
public import Sensing

// Settings, actions and events of an `Uplink`.

extension Uplink {
  public struct Settings: Sendable {
    /// Settings of the server, from `home_assistant` of the configuration.
    public struct Server: Sendable {
      /// `url`: http or https, a host, and optionally a port and a path; at most 512 bytes; without
      /// a slash at the end. Required.
      public var url: [UInt8]
      /// `home_network`: identification of the home network, and the address there. Default: nil,
      /// home is not detected.
      public var home: Home?
      /// `encryption: preferred`: sends plain messages to a server without a key, and asks it for a
      /// key once a day. Default: `required`, nothing is sent in plain.
      public var isPlainAllowed = false
      /// `plain_http_away`: whether an address without TLS may be used away from home. Default:
      /// false.
      public var isPlainAllowedAway = false
      /// `register_again`: time after which a device that Home Assistant does not know is
      /// registered again, which creates new entities; 30 s to 24 h. Default, and with `off`: nil,
      /// never: a person has to do it.
      public var registersAgainAfter: Duration?

      public init(url: [UInt8]) { self.url = url }
    }

    /// `home_network: { ssids, bssids, gateways, url }`.
    public struct Home: Sendable {
      /// `ssids`: names of wireless networks, 1 to 32 bytes. `bssids`: their access points, if the
      /// name alone is not enough. `gateways`: hardware addresses of gateways of wired networks. At
      /// least one of the three lists, each of 1 to 16 items.
      public let networks: HomeNetworks
      /// `url`: address in the home network. Default: that of `home_assistant.url`.
      public let url: [UInt8]

      public init(networks: HomeNetworks, url: [UInt8]) {
        self.networks = networks
        self.url = url
      }
    }

    public struct WebSocket: Sendable {
      /// Whether messages use it instead of HTTP while it is open.
      public let carriesMessages: Bool
      public let takesNotifications: Bool

      public init(carriesMessages: Bool, takesNotifications: Bool) {
        self.carriesMessages = carriesMessages
        self.takesNotifications = takesNotifications
      }
    }

    public var server: Server
    /// Nil if there is no WebSocket.
    public var webSocket: WebSocket?
    /// Whether the token is in a file that the configuration names.
    public var readsTokenFile: Bool
    /// Interval of cycles.
    public var every: Duration
    /// Interval of uploads with the readings of several cycles; nil if each cycle ends with an
    /// upload.
    public var uploadEvery: Duration?
    /// Maximum duration of a limited run, which has one cycle; nil if the agent runs until it is
    /// stopped.
    public var onceTimeout: Duration?
    /// `push.relay`: address of the push relay; nil without one.
    public var pushURL: [UInt8]?
    /// Effects of a low supply; a later level has priority.
    public var powerLevels: [PowerLevel] = []
    /// Commands that Home Assistant may give.
    public var commands: CommandKinds = []
    /// Filter of the track; nil if every fix is a point of it.
    public var track: TrackFilter.Settings?

    public init(_ server: Server, every: Duration, readsTokenFile: Bool) {
      self.server = server
      self.every = every
      self.readsTokenFile = readsTokenFile
    }
  }

  /// Data of earlier runs and of the pairing.
  public struct Memory {
    public var registration: Registration?
    /// Whether Home Assistant offered no key for the registration.
    public var isKeyless = false
    /// Source of the tokens for the WebSocket, and for a registration if no file is named.
    public var credential: Credential?
    /// Hours to import into Home Assistant's statistics; nil if the import is off.
    public var waitingHours: WaitingHours?

    /// Key pair for the push relay; nil without one.
    public var pushKeys: PushKeys?
    /// Commands that came before.
    public var commandIDs = CommandIDs()

    public init(registration: Registration?) { self.registration = registration }
  }

  /// HTTP request. At most one of each channel is in progress.
  public enum Call {
    /// A message to the webhook, which `writeMessage` writes.
    case message(over: Route)
    case registration(token: [UInt8])
    indirect case token(AuthCall)
    /// A request to the push relay, which `writeFetch` writes.
    case fetch

    public var channel: Channel {
      switch self {
      case .message: .webhook
      case .registration, .token: .login
      case .fetch: .push
      }
    }
  }

  public enum Channel: Sendable {
    /// Messages to the webhook; end with `messageAnswered` or `messageFailed`.
    case webhook
    /// Requests with a token; end with `loginAnswered` or `loginFailed`.
    case login
    /// Requests to the push relay; end with `fetchAnswered` or `fetchFailed`.
    case push
  }

  /// Data other than the spool that must survive a restart.
  public enum StateWrite {
    indirect case registration(Registration)
    /// A rejected credential, and whether the rejection is final.
    case rejection(fingerprint: [UInt8], isForGood: Bool)
    /// An accepted credential, whose stored rejection is deleted.
    case acceptance(fingerprint: [UInt8])
    /// Home Assistant offers no key for this registration.
    indirect case keyless(Registration)
  }

  /// Action for the driver, which performs them at once, in order and without decisions.
  ///
  /// Rare and large cases are indirect, so that the frequent ones are small.
  public enum Action {
    /// Use the disk, and report the result to the `spool`.
    case disk(Spool.Action)
    /// Read every source.
    case sample
    /// Inform every source of the interval.
    case setPace(SamplingPace)
    /// Carry out a command, and report `performed`.
    indirect case perform(BoardOrder, for: CommandCall)
    /// Reboot the board, without a report.
    case reboot
    /// Report `clockStateRead`.
    case readClockState
    /// Write the data, and report `stateWritten` or `stateFailed`.
    case write(StateWrite)
    /// Report `rejectedTokensRead`.
    case readRejectedTokens
    /// Report `tokenFileRead`.
    case readTokenFile
    /// Write `waitingHours`, and report `hoursKept`.
    case keepHours
    /// Write `commandIDs`, and report `commandIDsKept`.
    case keepCommandIDs
    /// Make the call. If `ifWritable`, its result must be stored: first check whether the state
    /// directory can be written, and report `stateWritten`, or else only `callNotMade`.
    case send(Call, ifWritable: Bool)
    /// End the request, without a report.
    case cancel(Channel)
    /// Stop using the connection of the last message, because it belongs to a network that the
    /// board has left.
    case leaveConnection
    /// Send the message over the WebSocket. It ends with `messageAnswered` or `messageFailed`, or
    /// with `postRefused` if the WebSocket cannot send it. `ifWritable` is that of `send`.
    case post(ifWritable: Bool)
    /// Send the request over the WebSocket, and report `asked`.
    indirect case ask(RawRequest)
    /// Connect the WebSocket, or close it because no token may be sent in this network.
    case setWebSocketAllowed(Bool)
    /// Connect the WebSocket again, because a rejected access token is replaced once.
    case connectWebSocket
    /// Check the WebSocket, because the network changed or Home Assistant seems to be reachable. A
    /// waiting WebSocket connects now; an open one is tested.
    case checkWebSocket
    /// Adapt the WebSocket to battery or mains power.
    case setWebSocketOnBattery(Bool)
    indirect case giveTokenToWebSocket(TokenResult)
    /// Receive the notifications of this registration, and no further ones of an earlier one.
    indirect case openPushChannel(Registration)
    case tell(Event)
  }

  /// Event to report to people.
  public enum Event {
    case delivery(DeliveryEvent)
    case registered(isPlain: Bool)
    indirect case notRegistered(Enrollment.Problem)
    case stateFailed(words: [UInt8])
    indirect case presence(HomeNetworks.Presence, NetworkPlace)
    /// The power level changed; `power` has the new one. `every` is the interval of cycles, or of
    /// reports for limited runs.
    case powerLevel(every: Duration)
    indirect case statistics(StatisticsImport.Event)
    /// The hours for the statistics are only in memory.
    case hoursNotKept(DiskFailure)
    indirect case webSocket(ConnectionState)
    /// A notification for people.
    indirect case notified(PushNotification)
    indirect case command(CommandResult)
    indirect case push(PushFetcher.Event)
  }
}

extension Uplink.Settings.Server {
  /// Whether a verdict on a credential at the address of the configuration is final: TLS proves who
  /// answers there. Over plain HTTP each machine on the way can say it; and a board that comes and
  /// goes may log in as a user who may not from outside.
  public var isKnown: Bool { home == nil && url.span.starts(with: "https://") }
}

extension Uplink.Settings {
  /// From one cycle and from one upload to the next, while the power policy has this effect. A run
  /// that ends by itself has one cycle, and none at its end: what is read then could not go.
  func intervals(for power: PowerEffect) -> CyclePlan.Intervals {
    onceTimeout.map { CyclePlan.Intervals(every: $0 * 2) } ?? usualIntervals(for: power)
  }

  /// Returns the intervals of a continuous run.
  func usualIntervals(for power: PowerEffect) -> CyclePlan.Intervals {
    CyclePlan.Intervals(
      every: power.every ?? every, uploadEvery: power.uploadEvery ?? uploadEvery)
  }
}

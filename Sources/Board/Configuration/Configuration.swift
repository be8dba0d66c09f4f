import Bytes
public import Drivers
public import Outbox
public import Sensing
public import Transport
public import YAML

/// What the agent shall do: the content of its configuration file, `/etc/homeward/homeward.yaml`.
///
/// Each property says which key it comes from, its range, and what holds when the key is absent.
/// Texts are UTF-8. Lengths of time are written as a number and a unit (`ms`, `s`, `min`, `h` or
/// `d`). A key is added by a property here and a line in `Configuration+Sections.swift`.
public struct Configuration: Sendable {
  /// `every`: how long a cycle takes, from one reading of all sensors to the next; 5 s to 24 h.
  /// Default: 60 s.
  public var every: Duration
  /// `upload: { every: … }`: from one upload to the next, which takes what several cycles brought;
  /// more than `every`, to 24 h. Default: nil, each cycle ends with one.
  public var uploadEvery: Duration?
  /// `state_directory`: where the agent keeps what must survive a power cut; an absolute path of
  /// at most 1024 bytes. Default: `/var/lib/homeward`.
  public var stateDirectory: [UInt8]
  /// `home_assistant`: whom to report to. Required.
  public var homeAssistant: HomeAssistantSettings
  /// `notifications`: how Home Assistant's notifications reach this board. Default: not at all.
  public var notifications: NotificationSettings
  /// `durability`: what may be lost when the power goes: `reading` (nothing: every reading is
  /// written before the next one is looked at), `batch` (what was read since the last upload, of
  /// some 15 min at most) or `memory` (all that Home Assistant does not have). Default: `batch`.
  public var durability: Durability
  /// `history`: what was not delivered in its time. Default: all of it is sent as soon as possible.
  public var history: HistorySettings
  /// `device: { name: … }`: what Home Assistant calls the device; 1 to 64 characters.
  /// Default: nil, the host's name.
  public var deviceName: [UInt8]?
  /// `location`: where fixes come from. Default, and with `location: off`: nil, from nowhere.
  public var location: GPSDSettings?
  /// `battery`: which batteries are reported. Default: `auto`.
  public var battery: BatterySettings
  /// `system`: `auto` (all), `off`, or a list of `cpu_temperature`, `load`, `memory`, `uptime` and
  /// `disk`. Default: `auto`.
  public var system: SystemSettings
  /// `host`: where the kernel's file systems are mounted.
  public var host: HostPaths
  /// `sensors`: what is connected to the board, at most 64; no two with the same address, or with
  /// names that differ in the case of ASCII letters only. Default: none.
  public var sensors: [any ConfiguredSensor]
  /// `outputs`: GPIO lines that the agent switches, at most 16; with addresses and names of their
  /// own. Default: none.
  public var outputs: [OutputSettings] = []
  /// `power`: what is different while the supply is low, at most 16 levels; of those that hold, the
  /// last one that has a key decides it. Default: nothing is.
  public var power: [PowerLevel] = []
  /// `commands`: what Home Assistant may ask of this board with notifications. Default: nothing.
  public var commands: CommandKinds = []
  /// What the file says that is right, and perhaps not meant or without an effect.
  public var warnings: [ConfigurationProblem] = []
}

extension Configuration {
  /// `home_assistant`: the server.
  public struct HomeAssistantSettings: Sendable {
    /// The other keys, which `Uplink` goes by.
    public var server: Uplink.Settings.Server
    /// `token_file`: the absolute path of a file with a long-lived access token, with which the
    /// agent registers and opens the WebSocket. Default: nil, what `homeward pair` kept is used.
    public var tokenFile: [UInt8]?
    /// `transport`: how messages go to the webhook: `http`, or `websocket`, which falls back on
    /// HTTP while there is no connection. Default: `http`.
    public var transport: MessageTransport
    /// `tls: { ca_file, public_key, certificate_file, key_file }`: who the server has to be, and
    /// what it is shown. Default: the system's authorities.
    public var tls: TransportSettings

    public var url: [UInt8] { server.url }

    /// How the server at an address is reached. `tls` holds for the addresses of the configuration;
    /// another server is judged by the system's authorities.
    public func transport(to address: [UInt8]) -> TransportSettings {
      address == url || address == server.home?.url ? tls : .system
    }

    /// What the network is judged by; nil where none is known to be home.
    public var networkGoal: NetworkGoal? {
      server.home.map { NetworkGoal(url: $0.url, in: $0.networks) }
    }
  }

  public enum MessageTransport: Equatable, Sendable {
    case http
    case webSocket
  }

  /// `notifications`: `off`, `websocket`, or both ways in a section.
  public struct NotificationSettings: Equatable, Sendable {
    /// `websocket`: over an open WebSocket. Default in a section: true.
    public var isWebSocketWanted: Bool
    /// `push_url` and `push_token_file`: a server that Home Assistant posts them to. Default: nil.
    public var push: PushSettings?

    /// What holds where nothing is said of notifications: commands come with them.
    public static func standard(with commands: CommandKinds) -> NotificationSettings {
      NotificationSettings(isWebSocketWanted: !commands.isEmpty)
    }
  }

  public struct PushSettings: Equatable, Sendable {
    /// http or https; at most 512 bytes.
    public var url: [UInt8]
    /// The absolute path of a file with the token by which that server knows Home Assistant.
    public var tokenFile: [UInt8]
  }

  /// `history`: what was not delivered in its time.
  public struct HistorySettings: Equatable, Sendable {
    /// `disk_megabytes`: what it may take of the disk; 4 to 4096 MiB. Default: 64.
    public var diskMegabytes: Int
    /// `bytes_per_minute`: what it may take of the link to Home Assistant; 1024 to 1 000 000 000.
    /// Default, and with `unlimited`: nil, all of it.
    public var bytesPerMinute: Int?
    /// `statistics`: whether the hours of an outage are imported into Home Assistant's long-term
    /// statistics, which takes a token of an administrator. Default: false.
    public var isForStatistics = false

    public static var standard: HistorySettings {
      HistorySettings(diskMegabytes: 64)
    }
  }

  /// `host`: where the kernel's file systems are mounted, which in a container may be elsewhere,
  /// and where the board files are.
  /// Absolute paths of at most 1024 bytes.
  public struct HostPaths: Equatable, Sendable {
    /// `proc`. Default: `/proc`.
    public var proc: [UInt8]
    /// `sys`. Default: `/sys`.
    public var sys: [UInt8]
    /// `boards`: where the board files are that came with the program; those of a person are in
    /// `/etc/homeward/boards`. Default: `/usr/share/homeward/boards`.
    public var boards = [UInt8](BoardFiles.packagedFolder)

    public static var standard: HostPaths {
      HostPaths(proc: [UInt8]("/proc"), sys: [UInt8]("/sys"))
    }
  }
}

extension Duration {
  /// What `every` is where it is not said.
  static var standardEvery: Duration { .seconds(60) }
}

extension Configuration {
  public static let everyRange: ClosedRange<Duration> = .seconds(5) ... .seconds(24 * 3600)
  static let registerAgainRange: ClosedRange<Duration> = .seconds(30) ... .seconds(24 * 3600)
  static let diskMegabytesRange = 4...4096
  static let bytesPerMinuteRange = 1024...1_000_000_000
  static let homeNetworksMax = 16
  static let urlBytesMax = 512
}

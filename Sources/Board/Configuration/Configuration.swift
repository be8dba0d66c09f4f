import Bytes
public import Drivers
import LinuxIO
public import Outbox
public import Sensing
public import Transport
public import YAML

/// The settings of the agent: the content of its configuration file, `/etc/homeward/homeward.yaml`.
///
/// Each property names its key, range and default. Texts are UTF-8. Durations are written as a
/// number and a unit (`ms`, `s`, `min`, `h` or `d`). A key is added by a property here and a line
/// in `Configuration+Sections.swift`.
public struct Configuration: Sendable {
  /// `every`: time between two cycles, in which all sensors are read; 5 s to 24 h. Default: 60 s.
  public var every: Duration
  /// `upload: { every: … }`: time between two uploads of the readings of several cycles; more than
  /// `every`, up to 24 h. Default: nil, each cycle ends with an upload.
  public var uploadEvery: Duration?
  /// `state_directory`: directory for data that must survive a power cut; an absolute path of at
  /// most 1024 bytes. Default: `/var/lib/homeward`.
  public var stateDirectory: [UInt8]
  /// `home_assistant`: server to report to. Required.
  public var homeAssistant: HomeAssistantSettings
  /// `notifications: websocket`: whether Home Assistant's notifications come over an open
  /// WebSocket. Default: if there are `commands`.
  public var takesNotifications: Bool
  /// `push`: relay from which notifications are fetched with each upload. Default: nil.
  public var push: PushSettings?
  /// `durability`: data that a power cut may lose: `reading` (none: every reading is written before
  /// the next one is processed), `batch` (the readings since the last upload, at most about 15 min)
  /// or `memory` (everything that Home Assistant does not have). Default: `batch`.
  public var durability: Durability
  /// `history`: handling of undelivered entries. Default: all are sent as soon as possible.
  public var history: HistorySettings
  /// `device: { name: … }`: device name in Home Assistant; 1 to 64 characters. Default: nil, the
  /// host's name.
  public var deviceName: [UInt8]?
  /// `location`: source of fixes. Default, and with `location: off`: nil, none.
  public var location: GPSDSettings?
  /// `battery`: batteries to report. Default: `auto`.
  public var battery: BatterySettings
  /// `system`: `auto` (all), `off`, or a list of `cpu_temperature`, `load`, `memory`, `uptime` and
  /// `disk`. Default: `auto`.
  public var system: SystemSettings
  /// `host`: mount points of the kernel's file systems.
  public var host: HostPaths
  /// `sensors`: sensors connected to the board, at most 64; with different addresses, and names
  /// that differ in more than the case of ASCII letters. Default: none.
  public var sensors: [any ConfiguredSensor]
  /// `outputs`: GPIO lines that the agent switches, at most 16; with addresses and names of their
  /// own. Default: none.
  public var outputs: [OutputSettings] = []
  /// `power`: changes while the supply is low, at most 16 levels; of those that hold, the last one
  /// with a key decides it. Default: none.
  public var power: [PowerLevel] = []
  /// `commands`: actions that Home Assistant may request with notifications. Default: none.
  public var commands: CommandKinds = []
  /// Valid settings that may not be intended, or have no effect.
  public var warnings: [ConfigurationProblem] = []
}

extension Configuration {
  /// `home_assistant`: the server.
  public struct HomeAssistantSettings: Sendable {
    /// The keys that `Uplink` needs.
    public var server: Uplink.Settings.Server
    /// `token_file`: absolute path of a file with a long-lived access token, with which the agent
    /// registers and opens the WebSocket. Default: nil, the credential from `homeward pair`.
    public var tokenFile: [UInt8]?
    /// Whether the file of the token is one that no key names.
    public var isTokenFileUnnamed = false
    /// `transport`: transport of messages to the webhook: `http`, or `websocket`, which falls back
    /// on HTTP while there is no connection. Default: `http`.
    public var transport: MessageTransport
    /// `tls: { ca_file, public_key, certificate_file, key_file }`: checks of the server's identity,
    /// and the client certificate. Default: the system's authorities.
    public var tls: TransportSettings

    public var url: [UInt8] { server.url }

    /// Returns the TLS settings for an address. `tls` applies to the configured addresses; other
    /// servers are checked with the system's authorities.
    public func transport(to address: [UInt8]) -> TransportSettings {
      address == url || address == server.home?.url ? tls : .system
    }

    /// Goal of the network monitor; nil if no home network is configured.
    public var networkGoal: NetworkGoal? {
      server.home.map { NetworkGoal(url: $0.url, in: $0.networks) }
    }
  }

  public enum MessageTransport: Equatable, Sendable {
    case http
    case webSocket
  }

  /// `push: { relay, token_file, ca_file }`: relay that keeps notifications while the board sleeps.
  public struct PushSettings: Equatable, Sendable {
    /// `relay`: http or https; at most 512 bytes; without a slash at its end.
    public var url: [UInt8]
    /// `token_file`: absolute path of a file with the board's token for the relay. Default:
    /// `relay-token` in the state directory, which `homeward pair --relay` writes.
    public var tokenFile: [UInt8]
    /// `ca_file`: PEM certificates of the authorities of the relay. Default: the system's.
    public var authorityFile: [UInt8]?

    public init(url: [UInt8], tokenFile: [UInt8], authorityFile: [UInt8]? = nil) {
      self.url = url
      self.tokenFile = tokenFile
      self.authorityFile = authorityFile
    }

    /// Check of the relay's identity.
    public var transport: TransportSettings {
      TransportSettings(authorityFile: authorityFile.map { Path($0) })
    }
  }

  /// `history`: handling of undelivered entries.
  public struct HistorySettings: Equatable, Sendable {
    /// `disk_megabytes`: maximum size on the disk; 4 to 4096 MiB. Default: 64.
    public var diskMegabytes = 64
    /// `bytes_per_minute`: maximum rate on the link to Home Assistant; 1024 to 1 000 000 000.
    /// Default, and with `unlimited`: nil, no limit.
    public var bytesPerMinute: Int?
    /// `statistics`: whether the hours of an outage are imported into Home Assistant's long-term
    /// statistics, which needs a token of an administrator. Default: false.
    public var isForStatistics = false
  }

  /// `host`: mount points of the kernel's file systems, which may differ in a container, and the
  /// folder of the board files. Absolute paths of at most 1024 bytes.
  public struct HostPaths: Equatable, Sendable {
    /// `proc`. Default: `/proc`.
    public var proc = [UInt8]("/proc")
    /// `sys`. Default: `/sys`.
    public var sys = [UInt8]("/sys")
    /// `boards`: folder of the program's board files; those of the user are in
    /// `/etc/homeward/boards`. Default: `/usr/share/homeward/boards`.
    public var boards = [UInt8](BoardFiles.packagedFolder)

    public static var standard: HostPaths { HostPaths() }
  }
}

extension Duration {
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

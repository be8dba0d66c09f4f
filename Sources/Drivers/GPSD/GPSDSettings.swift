import Bytes
import LinuxIO
public import Sensing
public import YAML

/// `location`: the gpsd to ask. `source: gpsd` is required: it is the only source.
public struct GPSDSettings: Sendable {
  /// `host`: a numeric address, or `localhost`. Default: 127.0.0.1.
  public var host: [UInt8]
  /// `port`: 1 to 65535. Default: 2947.
  public var port: UInt16
  /// `device`: the only receiver of that gpsd to believe, by its name in gpsd; 1 to 127 bytes of
  /// visible ASCII. Default: empty, the best of them.
  public var device: [UInt8] = []
  /// `moving` and `parked`: selection of the fixes to store and send. Default: nil, every one.
  public var track: TrackFilter.Settings?
  /// `diagnostics`: sensors beside the position: `true` for all that the receiver reports, or a
  /// list. Default: none.
  public var details: ReceiverDetailSet = []
  /// `anchor`: settings of the anchor watch. Default: nil, no watch.
  public var anchor: AnchorSettings?

  public func source(_ context: SourceContext) -> any Source { GPSD(self, context) }

  /// Remedies for gpsd, and for what the anchor watch needs.
  public var allRemedies: [SourceRemedies] { [remedies] + (anchor?.remedies ?? []) }

  private var remedies: SourceRemedies {
    SourceRemedies(of: InlineText("gpsd"), isNamedByPerson: false) { remedy(for: $0) }
  }

  private func remedy(for failure: SourceFailure) -> MessageText {
    switch failure {
    case .missing:
      guard isThisBoard else {
        return "start gpsd on \(bytes: host), and let it listen to the network: gpsd -G"
      }
      let isInstalled = (try? byteCount(ofFileAt: Path("/usr/sbin/gpsd"))) != nil
      return isInstalled ? "sudo systemctl start gpsd" : "sudo apt install gpsd"
    case .silent:
      return "name its receiver in /etc/default/gpsd, such as DEVICES=\"/dev/ttyACM0\", then:"
        + " sudo systemctl restart gpsd"
    case .withoutFix, .wrongDate:
      return "cgps shows what its receiver sees (sudo apt install gpsd-clients)"
    case .frozen:
      return "sudo systemctl restart gpsd; if it returns, use gpsd 3.25 or later, or check the"
        + " receiver's settings: a stationary mode holds its position"
    case .behind: return "let the receiver send less, or move it to this board: gpspipe -w shows it"
    default: return "check location.host and location.port; gpsd listens on port 2947"
    }
  }

  var isThisBoard: Bool {
    host.span.starts(with: "127.") || host.span.elementsEqual("localhost")
      || host.span.elementsEqual("::1")
  }
}

extension GPSDSettings {
  static let usualHost: StaticString = "127.0.0.1"
  static let usualPort: UInt16 = 2947
  /// `GPS_PATH_MAX` of gpsd, without the NUL.
  fileprivate static let receiverBytesMax = 127

  /// Reads `location`; nil for `off` and, reported, if it cannot be used. `isAnchorCommanded` says
  /// whether commands may set the anchor watch.
  public init?(
    _ field: ConfigurationField, notAmong taken: TakenNames, isAnchorCommanded: Bool
  ) {
    if field.isText {
      _ = field.word(of: ["off"], remedy: "write off or { source: gpsd }")
      return nil
    }
    guard let keys = field.section(example: "location: { source: gpsd }") else { return nil }
    defer { keys.reportUnknownKeys() }
    _ = keys.required("source", example: "source: gpsd")?.word(of: ["gpsd"])
    self.init(
      host: keys.optional("host")?.numericAddress() ?? [UInt8](Self.usualHost),
      port: keys.optional("port")?.port() ?? Self.usualPort,
      device: keys.optional("device")?.receiver() ?? [])
    track = Self.track(keys)
    details = keys.optional("diagnostics")?.receiverDetails() ?? []
    anchor = keys.optional("anchor").flatMap {
      AnchorSettings($0, notAmong: taken, isCommanded: isAnchorCommanded)
    }
  }

  private static let movingEveryRange: ClosedRange<Duration> = .seconds(1) ... .seconds(86_400)
  private static let parkedEveryRange: ClosedRange<Duration> = .seconds(10) ... .seconds(86_400)
  private static let distanceRange = 1...1_000_000
  private static let turnRange = 5...170

  /// Reads `moving` and `parked`; nil if there is neither.
  private static func track(_ keys: SectionReader) -> TrackFilter.Settings? {
    let moving = keys.optional("moving")?.section(
      example: "moving: { every: 10s, or_distance: 50m, or_turn: 20° }")
    let parked = keys.optional("parked")?.section(example: "parked: { every: 15min }")
    guard moving != nil || parked != nil else { return nil }
    var track = TrackFilter.Settings()
    if let moving {
      if let every = moving.optional("every")?.duration(in: movingEveryRange, example: "10s") {
        track.every = every
      }
      track.distanceMeters = moving.optional("or_distance")?
        .meters(in: distanceRange, example: "50m")
      track.turnDegrees = moving.optional("or_turn")?.degrees(in: turnRange, example: "20°")
      moving.reportUnknownKeys()
    }
    if let parked {
      if let every = parked.optional("every")?.duration(in: parkedEveryRange, example: "15min") {
        track.parkedEvery = every
      }
      parked.reportUnknownKeys()
    }
    return track
  }
}

extension ConfigurationField {
  /// Reads gpsd's name of a receiver: the path of a device, or an address.
  fileprivate func receiver() -> [UInt8]? {
    text("a receiver of gpsd", remedy: "write for example /dev/ttyACM0") {
      (1...GPSDSettings.receiverBytesMax).contains($0.count) && $0.span.isVisibleASCII
    }
  }

  fileprivate func receiverDetails() -> ReceiverDetailSet? {
    if isText { return boolean() == true ? .all : [] }
    var details: ReceiverDetailSet = []
    for index in indices(of: ReceiverDetail.keys, example: "[fix, satellites_used]") {
      if let detail = ReceiverDetail(rawValue: index) { details.insert(ReceiverDetailSet(detail)) }
    }
    return details
  }

  /// Reads the address of a computer: the agent looks up no name except `localhost`.
  fileprivate func numericAddress() -> [UInt8]? {
    text(
      "a numeric address",
      remedy: "write one such as 192.168.1.9, without a port; names are not resolved here"
    ) { (isHostName($0.span) || isIPv6Address($0.span)) && isNumericAddress($0) }
  }
}

extension GPSDSettings {
  /// Returns gpsd on this board, if it answers; else nothing. A configured gpsd is searched at its
  /// configured address.
  static func found(of configured: GPSDSettings?, loop: EventLoop) -> FoundKind {
    var kind = FoundKind("Position", key: "location", isEntry: false)
    let settings = configured ?? GPSDSettings(host: [UInt8](usualHost), port: usualPort)
    guard settings.isAnswering(loop) else { return kind }
    kind.append(
      FoundItem(
        [UInt8]("gpsd"), named: [], line: "location: { source: gpsd\(settings.place) }",
        reportedBy: configured == nil ? nil : "in the configuration"))
    return kind
  }

  /// Keys of its address, as far as they are not the usual ones.
  private var place: MessageText {
    let isUsual = host.span.elementsEqual(Self.usualHost)
    let host: MessageText = isUsual ? "" : ", host: \(yaml: self.host)"
    return port == Self.usualPort ? host : "\(host), port: \(Int(port))"
  }

  /// Time limit of the connection: on the same machine it is connected by then, or never; another
  /// machine may be behind a slow link.
  var patience: Duration { isThisBoard ? Self.turnLength : .seconds(3) }
  private static let turnLength: Duration = .milliseconds(50)

  private func isAnswering(_ loop: EventLoop) -> Bool {
    do throws(Errno) {
      guard let gpsd = try connectStream(host: host, port: port) else { return false }
      let end = Moment.now.instant + patience
      repeat {
        try loop.turn(until: Moment.now.instant + Self.turnLength)
        if try gpsd.send("?VERSION;\n") > 0 { return true }
      } while Moment.now.instant < end
      return false
    } catch {
      return false
    }
  }
}

import EnergyModel
import Foundation

/// What was measured of a profile, for a day of it.
struct EnergyFigures {
  /// For systemd, in a day.
  static let signsOfLife = 96.0

  let profile: EnergyProfile
  /// Nil where it was not counted: of a board that is off in between.
  let wakeUps: Double?
  let processorSeconds: Double
  /// On the wire: TLS, TCP and IP.
  let sentBytes: Double
  let receivedBytes: Double
  let connections: Double
  /// Computed from the moments at which something was on the wire.
  let radioSeconds: Double
  /// Of a board that is off in between: how long one run takes.
  let runSeconds: Double?

  /// An agent that stays, from the end of one upload to that of a later one.
  init(measuring profile: EnergyProfile, _ options: Options) throws {
    let site = try EnergySite(profile, options)
    defer { site.end() }
    let agent = try site.startAgent()
    for _ in 1..<profile.warmUps { try Self.upload(site, agent) }
    let before = try Self.upload(site, agent)
    let lineCount = try site.wire().lines.count
    let begin = ContinuousClock.now
    var after = before
    for _ in 0..<profile.uploads { after = try Self.upload(site, agent) }
    let seconds = Double(profile.uploads * profile.uploadEvery)
    try Self.check((ContinuousClock.now - begin) * profile.rate, is: seconds, profile)
    var wire = try site.wire()
    wire.drop(first: lineCount)
    self.init(
      profile, wire, moments: wire.lines.map(\.at), seconds: seconds,
      wakeUps: after.wakeUps - before.wakeUps,
      processorSeconds: Double(after.processorNanoseconds - before.processorNanoseconds) / 1e9,
      runSeconds: nil)
  }

  @discardableResult
  private static func upload(_ site: EnergySite, _ agent: Child) throws -> EnergyCounts {
    try site.awaitUpload(by: agent)
    progress("\(site.profile.name): an upload")
    return try site.countsAtRest(of: agent)
  }

  /// The uploads have to come when the configuration says, or these are other ones.
  private static func check(
    _ elapsed: Duration, is seconds: Double, _ profile: EnergyProfile
  ) throws {
    let late = elapsed / .seconds(1) - seconds
    // Of the clock: how exactly the end of an upload is seen.
    guard abs(late) <= 2 * Double(profile.rate) + seconds * 0.02 else {
      throw Failure(.software, "\(profile.name): the uploads took \(elapsed), not \(seconds) s")
    }
  }

  /// A board that is off between its reports: what its runs take, after the first one.
  init(measuringOnce profile: EnergyProfile, _ options: Options) throws {
    let site = try EnergySite(profile, options)
    defer { site.end() }
    for _ in 0..<profile.warmUps { _ = try site.runOnce() }
    var wire = try site.wire()
    let lineCount = wire.lines.count
    var runs: [EnergySite.Once] = []
    var moments: [Double] = []
    for number in 0..<profile.uploads {
      let before = wire.lines.count
      runs.append(try site.runOnce())
      progress("\(profile.name): a run")
      wire = try site.wire()
      // Between two runs lies the time that the board is off.
      let off = Double(number * profile.uploadEvery)
      moments += wire.lines.dropFirst(before).map { $0.at + off }
    }
    wire.drop(first: lineCount)
    self.init(
      profile, wire, moments: moments,
      seconds: Double(profile.uploads * profile.uploadEvery), wakeUps: nil,
      processorSeconds: runs.reduce(0) { $0 + $1.processorSeconds },
      runSeconds: runs.reduce(0) { $0 + $1.seconds } / Double(runs.count))
  }

  private init(
    _ profile: EnergyProfile, _ wire: WireRecord, moments: [Double], seconds: Double,
    wakeUps: Int?, processorSeconds: Double, runSeconds: Double?
  ) {
    let days = seconds / 86_400
    self.profile = profile
    self.wakeUps = wakeUps.map { Double($0) / days }
    self.processorSeconds = processorSeconds / days
    self.runSeconds = runSeconds
    let header = Assumption.headerBytes.value
    // Half of what no counter tells of a connection goes each way.
    let ends = Double(wire.connections) * Assumption.connectionSegments.value / 2
    sentBytes = (Double(wire.sentBytes) + (Double(wire.sentSegments) + ends) * header) / days
    receivedBytes =
      (Double(wire.receivedBytes) + (Double(wire.receivedSegments) + ends) * header) / days
    connections = Double(wire.connections) / days
    let tail =
      switch profile.radio {
      case .lte:
        RadioTail(
          setupSeconds: Assumption.lteSetup.value, tailSeconds: Assumption.lteTail.value)
      case .wifi: RadioTail(setupSeconds: 0, tailSeconds: Assumption.wifiTail.value)
      }
    radioSeconds =
      tail.awakeSeconds(moments: moments, windowSeconds: seconds) / days
  }

  /// For the model.
  var use: DailyUse {
    var use = DailyUse()
    use.wakeUps = wakeUps ?? 0
    use.processorSeconds = processorSeconds
    use.radioSeconds = radioSeconds
    use.receiverSeconds = profile.receiverSeconds
    use.starts = runSeconds.map {
      DailyUse.Starts(
        perDay: profile.uploadsPerDay, runSeconds: $0, hasReceiver: profile.hasReceiver)
    }
    return use
  }
}

/// What went over the wire, as `tls-link` has written it down.
struct WireRecord {
  struct Line {
    enum Kind: String { case open, data, close }

    /// In seconds of the agent's clock.
    let at: Double
    let sentBytes: Int
    let receivedBytes: Int
    let sentSegments: Int
    let receivedSegments: Int
    let kind: Kind
  }

  private(set) var lines: [Line] = []

  init(reading file: URL) throws {
    let text = try String(contentsOf: file, encoding: .utf8)
    // Without an end, the last line is being written.
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let words = line.split(separator: " ")
      let numbers = words.dropFirst(2).prefix(4).compactMap { Int($0) }
      guard words.count == 7, numbers.count == 4, let at = Double(words[0]),
        let kind = Line.Kind(rawValue: String(words[6]))
      else { throw Failure(.software, "\(file.path) holds \"\(line)\"") }
      lines.append(
        Line(
          at: at, sentBytes: numbers[0], receivedBytes: numbers[1], sentSegments: numbers[2],
          receivedSegments: numbers[3], kind: kind))
    }
  }

  /// Drops what came before the line of this number.
  mutating func drop(first count: Int) { lines.removeFirst(count) }

  var connections: Int { lines.count { $0.kind == .open } }
  /// Of TLS and what is in it.
  var sentBytes: Int { lines.reduce(0) { $0 + $1.sentBytes } }
  var receivedBytes: Int { lines.reduce(0) { $0 + $1.receivedBytes } }
  var sentSegments: Int { lines.reduce(0) { $0 + $1.sentSegments } }
  var receivedSegments: Int { lines.reduce(0) { $0 + $1.receivedSegments } }
}

import Bytes
import LinuxIO
import YAML

extension GPSDSettings {
  /// gpsd on this board, where it answers; else nothing. What the configuration names is at the
  /// place that it names.
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

  /// The keys that say where it is, as far as they are not the usual ones.
  private var place: MessageText {
    let isUsual = host.span.elementsEqual(Self.usualHost)
    let host: MessageText = isUsual ? "" : ", host: \(yaml: self.host)"
    return port == Self.usualPort ? host : "\(host), port: \(Int(port))"
  }

  /// How long it may take until it is connected: on the same machine it is by then, or never will
  /// be; another one may be behind a slow link.
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

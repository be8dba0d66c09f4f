import Bytes
import LinuxIO
import YAML

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

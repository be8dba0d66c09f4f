import Bytes
import LinuxIO

extension GPSDSettings {
  /// gpsd on this board, where it answers; else nothing. What the configuration names is at the
  /// place that it names.
  static func found(of configured: GPSDSettings?, loop: EventLoop) -> FoundKind {
    var kind = FoundKind("Position", key: "location", isEntry: false)
    let settings = configured ?? GPSDSettings(host: [UInt8]("127.0.0.1"), port: 2947)
    guard settings.isAnswering(loop) else { return kind }
    kind.append(
      FoundItem(
        [UInt8]("gpsd"), named: [], line: "location: { source: gpsd }",
        reportedBy: configured == nil ? nil : "in the configuration"))
    return kind
  }

  private func isAnswering(_ loop: EventLoop) -> Bool {
    do throws(Errno) {
      guard let gpsd = try connectStream(host: host, port: port) else { return false }
      // On the same machine it is connected by then, or never will be.
      try loop.turn(until: Moment.now.instant + .milliseconds(50))
      return try gpsd.send("?VERSION;\n") > 0
    } catch {
      return false
    }
  }
}

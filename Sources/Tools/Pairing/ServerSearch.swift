import Board
import Bytes
import HomeAssistant
import LinuxIO

/// Search for Home Assistant in the local network, for two seconds.
final class ServerSearch {
  private let loop: EventLoop
  private let socket: MulticastSocket
  private var discovery = Discovery()
  private var datagram = ByteBuffer(capacity: DNSMessage.byteCountMax)

  private init(loop: EventLoop) throws(Errno) {
    self.loop = loop
    socket = try MulticastSocket()
  }

  /// Returns the instances; none if the network cannot be searched, which is reported.
  static func run(loop: EventLoop, dialog: Dialog) throws(CommandFailure) -> [FoundInstance] {
    do throws(Errno) {
      return try ServerSearch(loop: loop).run()
    } catch {
      dialog.say("the local network cannot be searched: \(error)")
      return []
    }
  }

  private func run() throws(Errno) -> [FoundInstance] {
    let watch = try loop.watch(socket.number, for: .input, telling: self)
    defer { loop.stop(watch) }
    var action: Discovery.Action? = discovery.begin(now: Moment.now.instant)
    while action != .end {
      if case .send(let query)? = action {
        try socket.send(query.span, to: Discovery.group, port: Discovery.port)
      }
      try loop.turn(until: discovery.deadline)
      action = discovery.deadlineReached(now: Moment.now.instant)
    }
    return discovery.instances
  }
}

extension ServerSearch: Watcher {
  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    // An error of the socket, such as a port without a listener, is not an answer.
    guard let isThere = try? socket.receive(into: &datagram), isThere else { return }
    let bytes = [UInt8](datagram.bytes)
    discovery.datagramReceived(bytes.span)
  }
}

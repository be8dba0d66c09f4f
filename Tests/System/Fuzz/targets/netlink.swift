import Bytes

@testable import Sensing

/// Anything that a kernel may say in answers and announcements, in any order: nothing of it is a
/// trap, and whatever it was, the truth is found afterwards.
///
/// The input is a list of datagrams: a byte for the socket, two for the length (the lower one
/// first), and the bytes.
func fuzz(_ input: Span<UInt8>) {
  var now = Instant(nanoseconds: 1_000_000_000)
  var monitor = NetworkMonitor(name: InlineText("network"))
  monitor.begin()
  perform(&monitor, now: now)
  var place = 0
  while input.count - place >= 3 {
    let count = min(Int(input[place + 1]) | Int(input[place + 2]) << 8, input.count - place - 3)
    let datagram = input.extracting(place + 3..<place + 3 + count)
    readAll(datagram)
    if monitor.isClosed { reachDeadline(&monitor, now: &now) }
    monitor.received(datagram, on: input[place] & 1 == 0 ? .route : .generic, now: now)
    perform(&monitor, now: now)
    place += 3 + count
  }
  findTheTruth(&monitor, now: &now)
}

private let routePort: UInt32 = 1
private let genericPort: UInt32 = 2

/// What a driver does. Returns on which socket a question was sent.
@discardableResult
private func perform(_ monitor: inout NetworkMonitor, now: Instant) -> NetlinkProtocol? {
  var asked: NetlinkProtocol?
  while let action = monitor.nextAction() {
    switch action {
    case .open: monitor.opened(routePort: routePort, genericPort: genericPort, now: now)
    case .send(let netlink):
      asked = netlink
      let request = monitor.request.bytes
      expect("a question is whole", request.count >= Netlink.messageHeaderByteCount)
      expect(
        "a question says how long it is",
        Int(request.nativeInteger(UInt32.self, at: 0)) == request.count)
    case .join(_, let group), .leave(_, let group): expect("a group has a number", group != 0)
    case .speak(_, let interface): expect("an interface has a number", interface != 0)
    case .close: asked = nil
    case .tellPlace, .tellFailure, .tellRecovery: break
    }
  }
  return asked
}

private func reachDeadline(_ monitor: inout NetworkMonitor, now: inout Instant) {
  guard let deadline = monitor.deadline else {
    return expect("what is closed is opened again", false)
  }
  now = max(now, deadline)
  monitor.deadlineReached(now: now)
  perform(&monitor, now: now)
}

/// A kernel without routes, which speaks the truth.
private func findTheTruth(_ monitor: inout NetworkMonitor, now: inout Instant) {
  monitor.overrun(now: now)
  for _ in 0..<8 {
    guard let deadline = monitor.deadline else { break }
    now = max(now, deadline)
    monitor.deadlineReached(now: now)
    while let netlink = perform(&monitor, now: now) {
      let sequence = monitor.request.bytes.nativeInteger(UInt32.self, at: 8)
      var answer = ByteBuffer(capacity: 20)
      answer.append(native: UInt32(20))
      answer.append(native: Netlink.MessageType.done)
      answer.append(native: UInt16(0))
      answer.append(native: sequence)
      answer.append(native: netlink == .route ? routePort : genericPort)
      answer.append(native: Int32(0))
      monitor.received(answer.bytes, on: netlink, now: now)
    }
  }
  expect("the truth is found", monitor.place == .none)
  expect("nothing is due then", monitor.deadline == nil)
}

/// Reads each message as each kind of answer, whatever it says it is.
private func readAll(_ datagram: Span<UInt8>) {
  var messages = NetlinkMessages(datagram)
  while let message = try? messages.next() {
    var routes: [NetworkRoute] = []
    try? routes.append(message)
    _ = try? RouteHop(message)
    for case let gateway? in routes.map(\.hop.gateway) {
      expect("a gateway has an address", gateway.bytes.count == gateway.family.byteCount)
    }
    _ = try? LinkMessage(message)
    _ = try? NeighbourMessage(message)
    if let family = try? WirelessFamily(message) {
      expect("a family is none of netlink's own", family.id >= Netlink.MessageType.firstOfFamily)
    }
    if let network = try? WirelessNetwork(associatedIn: message), let ssid = network.ssid {
      expect("a name has 1 to 32 bytes", (1...SSID.byteCountMax).contains(ssid.bytes.count))
      var shown = ByteBuffer(capacity: SSID.printableByteCountMax)
      shown.append(ssid)
      expect("a name can be shown", !shown.isOverflowed)
    }
    _ = try? AssociationChange(message)
  }
}

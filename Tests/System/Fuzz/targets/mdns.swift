import Bytes

@testable import HomeAssistant

/// Any datagram: read or refused as a whole, and what a search makes of it keeps its limits.
func fuzz(_ input: Span<UInt8>) {
  guard input.count <= DNSMessage.byteCountMax else { return }
  if let message = try? DNSMessage(parsing: input) {
    expect("records have a limit", message.records.count <= DNSMessage.recordsMax)
    for record in message.records { check(record) }
  }

  let now = Instant(nanoseconds: 0)
  var discovery = Discovery()
  _ = discovery.begin(now: now)
  discovery.datagramReceived(input)
  let found = discovery.instances
  expect("instances have a limit", found.count <= Discovery.instancesMax)
  expect("an instance can be reached", found.allSatisfy { !$0.urls.isEmpty })
  discovery.datagramReceived(input)
  expect("what is heard twice is found once", discovery.instances == found)
  guard case .send(let query)? = discovery.deadlineReached(now: now + .seconds(1)) else {
    return expect("the second query is sent", false)
  }
  expect("a query goes through every network", query.count <= DNSQuery.byteCountMax)
}

private func check(_ record: DNSMessage.Record) {
  checkName(record.name)
  switch record.content {
  case .instance(let name), .host(let name, _): checkName(name)
  case .address(let bytes): expect("an address is whole", bytes.count == 4 || bytes.count == 16)
  case .attributes: break
  }
}

/// A name is labels, one after the other, and ends with the empty one.
private func checkName(_ name: DomainName) {
  expect("a name has a limit", name.wire.count <= DomainName.byteCountMax)
  var place = 0
  while place < name.wire.count - 1 {
    expect("a label has 1 to 63 bytes", (1...63).contains(name.wire[place]))
    place += 1 + Int(name.wire[place])
  }
  expect("a name ends with the empty label", place == name.wire.count - 1 && name.wire[place] == 0)
}

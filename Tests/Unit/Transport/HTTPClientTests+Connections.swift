import LinuxIO
import Testing

@testable import Transport

// Which connections are used again.

extension HTTPClientTests {
  @Test func theConnectionIsKeptForTheNextPost() throws {
    let server = try server(.whole([UInt8]("1")), .whole([UInt8]("2")), .whole([UInt8]("3")))
    for number in 1...3 {
      #expect(try post("{}", to: server) == .answered(status: 200))
      #expect(body == "\(number)")
    }
    #expect(server.connectionCount == 1)
  }

  @Test func aConnectionThatWasClosedMeanwhileIsMadeAnew() throws {
    let server = try server(.whole([UInt8]("1")), .whole([UInt8]("2")))
    _ = try post("{}", to: server)
    server.closeAllConnections()
    #expect(try post("{}", to: server) == .answered(status: 200))
    #expect(body == "2" && server.connectionCount == 2)
  }

  @Test func aConnectionThatWasLeftIsMadeAnew() throws {
    let server = try server(.whole([UInt8]("1")), .whole([UInt8]("2")), .whole([UInt8]("3")))
    client.leaveConnection()
    _ = try post("{}", to: server)
    #expect(client.isConnectionKept)
    client.leaveConnection()
    #expect(!client.isConnectionKept)
    #expect(try post("{}", to: server) == .answered(status: 200))
    #expect(body == "2" && server.connectionCount == 2)
    #expect(try post("{}", to: server) == .answered(status: 200))
    #expect(body == "3" && server.connectionCount == 2)
  }

  /// Another place was left while a message was on its way, over a connection of that place.
  @Test func aConnectionThatIsLeftDuringATransferIsNotUsedAgain() throws {
    let server = try server(.whole([UInt8]("1")), .whole([UInt8]("2")))
    write("{}")
    client.send(to: endpoint(server), telling: owner)
    client.leaveConnection()
    try turn(untilResults: 1)
    #expect(!client.isConnectionKept)
    #expect(try post("{}", to: server) == .answered(status: 200))
    #expect(body == "2" && server.connectionCount == 2)
    #expect(client.isConnectionKept)
  }

  /// The connection to another server failed since, and says nothing of the older one.
  @Test func anOlderConnectionIsNotUsedAgainEither() throws {
    let server = try server(.whole([UInt8]("1")), .whole([UInt8]("2")))
    let refusing = try ScriptedServer(loop: loop, isListening: false)
    _ = try post("{}", to: server)
    client.leaveConnection()
    _ = try post("{}", to: refusing)
    #expect(try post("{}", to: server) == .answered(status: 200))
    #expect(body == "2" && server.connectionCount == 2)
  }

  @Test func afterATransferThatWasCancelledNoConnectionIsKept() throws {
    let server = try server(.whole([UInt8]("1")))
    _ = try post("{}", to: server)
    #expect(client.isConnectionKept)
    write("{}")
    client.send(to: endpoint(server), telling: owner)
    client.cancel()
    #expect(!client.isConnectionKept)
  }

  @Test func nothingToCancelLeavesTheConnection() throws {
    let server = try server(.whole([UInt8]("1")))
    _ = try post("{}", to: server)
    client.cancel()
    #expect(client.isConnectionKept)
  }

  /// The older one goes; libcurl takes those of one millisecond for equally old.
  @Test func onlyOneConnectionIsKept() throws {
    let servers = [try server(.whole([UInt8]("1"))), try server(.whole([UInt8]("2")))]
    for server in servers { _ = try post("{}", to: server) }
    try turn { servers.reduce(0) { $0 + $1.hangUpCount } == 1 }
  }

  @Test func theNextPostMayStartWhereTheLastOneIsToldToHaveEnded() throws {
    let server = try server(.whole([UInt8]("1")), .whole([UInt8]("2")))
    write("first")
    let next = endpoint(server)
    owner.whenEnded = { [client, owner] in
      owner.whenEnded = nil
      client.request.removeAll()
      client.request.append("second")
      client.send(to: next, telling: owner)
    }
    client.send(to: endpoint(server), telling: owner)
    try turn(untilResults: 2)
    #expect(owner.results == [.answered(status: 200), .answered(status: 200)])
    #expect(server.requests.last?.suffix(6) == [UInt8]("second")[...])
  }
}

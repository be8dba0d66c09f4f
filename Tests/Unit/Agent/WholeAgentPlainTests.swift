import Bytes
import Foundation
import HomeAssistant
import PracticeHome
import Testing

extension WholeAgent {
  /// A registration that Home Assistant made without a key.
  @Suite struct PlainRegistrations {}
}

extension WholeAgent.PlainRegistrations {
  /// A board that holds such a registration, which Homeward itself never asks for.
  private func homeAndPlainBoard() throws -> (PracticeServer, Board) {
    let (home, board) = try homeAndBoard()
    let content = #"""
      {"device_id":"1","app_id":"a","app_name":"A","app_version":"1","device_name":"Boat",
      "manufacturer":"M","model":"M","os_name":"Linux","os_version":"6","supports_encryption":false}
      """#
    let request = PracticeHome.Request(
      method: "POST", path: "/api/mobile_app/registrations",
      headers: [("Authorization", "Bearer \(home.token)")], body: Array(content.utf8))
    let response = home.withHome { $0.answer(request, now: .now()) }
    var body = ByteBuffer(capacity: 4096)
    body.append(response.body)
    guard
      case .withoutEncryption(let registration) = RegistrationAnswer.read(
        AnswerHead(status: response.status), body: body)
    else { throw Unexpected(status: response.status) }
    var file = ByteBuffer(capacity: HomeAssistant.Registration.fileByteCountMax)
    registration.writeFile(into: &file)
    try board.write(Data(Array(file.bytes)), to: "state/registration.json")
    return (home, board)
  }

  private struct Unexpected: Error { let status: Int }

  @Test func whatIsNotSealedProvesNothing() async throws {
    let (home, board) = try homeAndPlainBoard()
    let ending = try await board.run("send", "get_zones")
    #expect(ending.status == 0)
    #expect(ending.output.contains(#"    "entity_id": "zone.home","#))
    #expect(ending.lines(with: "nothing proves that it was Home Assistant").count == 1)
    #expect(home.counters.sealed == 0)
  }

  @Test func aKeyIsAskedForOnceKeptAndUsed() async throws {
    let (home, board) = try homeAndPlainBoard()
    let enabled = try await board.run("send", "enable_encryption")
    #expect(enabled.status == 0)
    #expect(enabled.output == [])
    #expect(enabled.lines(with: "is sealed from now on").count == 1, "\(enabled.log)")
    let zones = try await board.run("send", "get_zones", "--json")
    #expect(zones.output.first?.contains(#""outcome":"sealed""#) == true)
    #expect(home.counters.sealed == 1)
    let again = try await board.run("send", "enable_encryption", "--json")
    #expect(again.status == 65)
    #expect(again.output == [#"{"type":"enable_encryption","outcome":"already_enabled"}"#])
  }

  /// One that cannot keep a key asks for none.
  @Test func whatGoesWithoutAKeyIsNotCountedAsSealed() async throws {
    let (home, board) = try homeAndPlainBoard()
    try board.configureServer("encryption: preferred")
    try board.blockWriting()
    let agent = try await RunningAgent.proven(on: board)
    let status = try await board.run("status", "--json").output.first ?? ""
    #expect(status.contains(#""protection":"plain""#) && status.contains(#""sealed":0,"plain":"#))
    #expect(!status.contains(#""plain":0"#))
    #expect(await agent.stop().status == 0)
    #expect(home.counters.sealed == 0)
  }

  @Test func noKeyIsAskedForWhileAnAgentIsAtWork() async throws {
    let (_, board, agent) = try await provenAgent()
    let ending = try await board.run("send", "enable_encryption")
    #expect(ending.status == 75)
    #expect(ending.lines(with: "the agent is running, and requests a key").count == 1)
    // All other messages go beside it.
    #expect(try await board.run("send", "get_config").status == 0)
    #expect(await agent.stop().status == 0)
  }

  @Test func aPlainRegistrationIsRefusedUnlessItIsAllowed() async throws {
    let (home, board) = try homeAndPlainBoard()
    let agent = try RunningAgent(on: board)
    let ending = await agent.ending()
    #expect(ending.status != 0)
    #expect(home.count { if case .readings = $0 { true } else { false } } == 0)
  }

  @Test func aPlainRegistrationThatRunRefusesIsNotWell() async throws {
    let (_, board) = try homeAndPlainBoard()
    let check = try await board.run("check")
    #expect(check.status != 0)
    #expect(check.output.contains { $0.hasPrefix("WRONG  registration") }, "\(check.output)")
    try board.configureServer("encryption: preferred")
    let allowed = try await board.run("check")
    #expect(allowed.output.contains { $0.hasPrefix("ok     registration") }, "\(allowed.output)")
  }

  /// No Home Assistant gives a key a second time.
  @Test func noKeyIsAskedForWhileItCannotBeKept() async throws {
    let (home, board) = try homeAndPlainBoard()
    try board.configureServer("encryption: preferred")
    try board.blockWriting()
    let agent = try await RunningAgent.run(on: board, until: "state_failed")
    try await agent.hasReadEverything()
    #expect(await agent.stop().status == 0)
    #expect(home.count { $0 == .encryptionEnabled } == 0)
    try board.unblockWriting()
    let restarted = try await RunningAgent.proven(on: board)
    #expect(await restarted.stop().status == 0)
    #expect(home.count { $0 == .encryptionEnabled } == 1)
  }

  @Test func aPlainRegistrationGetsItsKeyFirstAndKeepsIt() async throws {
    let (home, board) = try homeAndPlainBoard()
    try board.configureServer("encryption: preferred")
    for _ in 0..<2 {
      let agent = try await RunningAgent.proven(on: board)
      #expect(await agent.stop().status == 0)
    }
    #expect(home.count { $0 == .encryptionEnabled } == 1)
    for entry in home.journal {
      if case .readings = entry.event { #expect(entry.sealed == true) }
    }
    #expect(shownCharge(in: home) == "83")
  }
}

import Foundation
import PracticeHome
import TestRun
import Testing

extension WholeAgent {
  /// Files that are none, limits that a person set, and the cards of other boards.
  @Suite struct OddFiles {}
}

extension WholeAgent.OddFiles {
  private func makePipe(_ name: String, on board: Board) throws {
    try #require(unsafe mkfifo(board.path(name), 0o600) == 0)
  }

  @Test(arguments: [false, true])
  func aPipeAmongTheSegmentsOfTheSpoolHoldsUpNothing(isOnce: Bool) async throws {
    let (home, board) = try homeAndBoard()
    try board.makeFolder("state/spool")
    try makePipe("state/spool/0000000000000001.spool", on: board)
    if isOnce {
      #expect(try await board.run("run", "--once").status == 0)
    } else {
      let agent = try await RunningAgent.proven(on: board)
      #expect(await agent.stop().status == 0)
    }
    #expect(shownCharge(in: home) == "83")
  }

  @Test func aPipeInThePlaceOfAFileOfTheKernelHoldsUpNothing() async throws {
    let (_, board) = try homeAndBoard()
    try board.remove("sys/class/power_supply/BAT7/capacity")
    try makePipe("sys/class/power_supply/BAT7/capacity", on: board)
    let agent = try await RunningAgent.proven(on: board)
    #expect(await agent.stop().status == 0)
  }

  /// RLIMIT_FSIZE: no file may grow.
  @Test func aLimitOfTheSizeOfFilesIsLikeAFullDisk() async throws {
    let (home, board) = try homeAndBoard()
    #expect(try await board.run("run", "--once").status == 0)
    home.fault = .status(503)
    let agent = try RunningAgent(on: board, startedBy: RunningAgent.after("ulimit -f 0"))
    try await agent.isUnableToKeep(charges: [70, 71])
    home.fault = nil
    try await agent.event("proven")
    let ending = await agent.stopWithSuccess()
    #expect(!ending.lines(with: "File too large").isEmpty)
  }

  // MARK: Another board

  private func setSerial(_ serial: String, of board: Board) throws {
    try board.write("\(serial)\0", to: "sys/firmware/devicetree/base/serial-number")
  }

  private func deviceIDs(in home: PracticeServer) -> Set<String> {
    Set(home.journal.compactMap(\.deviceID))
  }

  @Test func aCardThatMovesIntoAnotherBoardIsToldUntilAPersonDecides() async throws {
    let (home, board) = try homeAndBoard()
    try setSerial("10000000aaaa", of: board)
    #expect(try await board.run("run", "--once").status == 0)
    try setSerial("10000000bbbb", of: board)
    let agent = try await RunningAgent.run(on: board, until: "other_board")
    try await agent.event("proven")
    let status = try await AskedStatus(on: board)
    #expect(status.ending.output.contains { $0.hasPrefix("WRONG  board") })
    let check = try await board.run("check")
    #expect(check.output.contains { $0.contains("with the serial number 10000000aaaa") })
    let ending = await agent.stop()
    #expect(ending.lines(with: "this one has 10000000bbbb").count == 1)
    #expect(home.counters.registrations == 1)
    #expect(deviceIDs(in: home).count == 1)

    let pairing = try await board.run("pair", "--same-device")
    #expect(pairing.status == 0, "\(pairing.log)")
    let next = try await RunningAgent.proven(on: board)
    #expect(await next.stop().lines(with: "another board").isEmpty)
    #expect(next.count(of: "other_board") == 0)
  }

  @Test func aCopiedCardThatIsPairedAgainIsADeviceOfItsOwn() async throws {
    let (home, board) = try homeAndBoard()
    try setSerial("10000000aaaa", of: board)
    #expect(try await board.run("run", "--once").status == 0)
    try setSerial("10000000bbbb", of: board)
    let pairing = try await board.run(
      "pair", "--token-file", board.path("token"), "--yes", "--json")
    #expect(pairing.status == 0)
    #expect(deviceIDs(in: home).count == 2)
    #expect(try await board.run("run", "--once").lines(with: "another board").isEmpty)
  }

  /// `product_uuid` is for root only.
  @Test func aPCIsOneDeviceForRootAndForTheService() async throws {
    let (home, board) = try homeAndBoard()
    for uuid in ["4c4c4544-0042", nil] {
      if let uuid { try board.write(uuid, to: "sys/class/dmi/id/product_uuid") }
      #expect(try await board.run("run", "--once").status == 0)
      try board.remove("state")
      if uuid != nil { try board.remove("sys/class/dmi/id/product_uuid") }
    }
    #expect(home.counters.registrations == 2)
    #expect(deviceIDs(in: home).count == 1)
  }
}

import Foundation
import TestRun
import Testing

@testable import Agent
@testable import Board
@testable import HomeAssistant

/// The agent's keeper with a state directory that keeps a registration, or cannot.
private struct KeeperRig {
  let keeper: Keeper
  private let place: URL

  init() throws {
    let folder = TestRun.newPlace()
    place = folder.appending(path: "registration.json")
    let configuration = try Configuration.least()
    keeper = Keeper(
      try StateDirectory.open([UInt8](folder.path.utf8)),
      Reporter(
        log: Log(), events: EventStream(isOn: false, waits: false),
        advice: SourceAdvice(configuration)))
  }

  /// Not even root writes a file where a folder is.
  func block() throws {
    try? FileManager.default.removeItem(at: place)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
  }

  func unblock() throws { try FileManager.default.removeItem(at: place) }

  func keep(_ webhookID: String) throws {
    let registration = Registration(webhookID: [UInt8](webhookID.utf8), protection: .plain)
    keeper.keep(try #require(registration))
  }
}

@Suite struct KeeperTests {
  /// The disk was full, had room again, and is full once more when Home Assistant tells a new
  /// address: the person who made room for the first one does not know of the second.
  @Test func aRegistrationThatCannotBeKeptIsToldThoughOneBeforeItWasToldLikewise() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let rig = try KeeperRig()
      try rig.block()
      try rig.keep("first")
      #expect(!rig.keeper.tryAgain(), "which is not told a second time")
      try rig.unblock()
      #expect(rig.keeper.tryAgain())
      try rig.block()
      try rig.keep("second")
    }
    let said = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let lines = said.split(separator: "\n").filter {
      $0.contains("the registration cannot be kept in")
    }
    #expect(lines.count == 2, "\(said)")
  }
}

extension Configuration {
  /// The least that a file says, and more on the lines below it.
  static func least(_ more: String = "") throws -> Configuration {
    try parse([UInt8]("home_assistant: { url: http://192.168.1.5:8123 }\n\(more)".utf8))
  }
}

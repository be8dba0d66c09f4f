import Bytes
import Foundation
import LinuxIO
import Outbox
import TestRun
import Testing

@testable import Board
@testable import HomeAssistant

/// The files that outlive a restart, and what may be wrong with them.
@Suite struct StateDirectoryTests {
  private let place = TestRun.newPlace()
  private let state: StateDirectory

  init() { state = StateDirectory(Path(Array(place.path.utf8))) }

  @Test func whatIsKeptIsThereAfterARestart() throws {
    #expect(state.open() == .open)
    #expect(try state.keptRegistration() == nil)
    let registration = try #require(
      Registration(webhookID: Array("abc".utf8), protection: .plain))
    try state.keep(registration)
    #expect(try state.keptRegistration()?.webhookID == registration.webhookID)
  }

  @Test func aDirectoryInWhichOthersMayWriteHoldsNoKey() throws {
    #expect(state.open() == .open)
    try #require(unsafe chmod(place.path, 0o770) == 0)
    #expect(StateDirectory(state.path).open() == .shared)
    // `homeward check` judges it without opening it.
    let words = text(state.exposureFailure?.text.bytes)
    #expect(words?.hasPrefix("other users can write to \(place.path), which") == true)
    let refused = #expect(throws: CommandFailure.self) {
      try StateDirectory.open(Array(place.path.utf8))
    }
    #expect(refused?.code == .noPermission)
  }

  @Test func twoAgentsDoNotShareADirectory() {
    #expect(state.open() == .open)
    #expect(StateDirectory(state.path).open() == .inUse)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func rootMayWorkInTheDirectoryOfAnyUser() throws {
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    try #require(unsafe chown(place.path, 65534, 65534) == 0)
    #expect(state.open() == .open)
  }

  /// Another user could change what stands there behind the back of the agent; root can anyway.
  /// What a process may do is the same for all its threads: this is a process of its own.
  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func aDirectoryOfAnotherUserIsForeignAndOneOfRootsIsNot() async {
    await #expect(processExitsWith: .success) {
      for (owner, opening) in [(0, .open), (1, .foreign)] as [(uid_t, StateDirectory.Opening)] {
        let place = TestRun.newPlace()
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        try #require(unsafe chmod(place.path, 0o755) == 0 && chown(place.path, owner, 0) == 0)
        try #require(seteuid(65534) == 0)
        let found = StateDirectory(Path(Array(place.path.utf8))).open()
        #expect(found == opening, "of user \(owner): \(found)")
        try #require(seteuid(0) == 0)
      }
    }
  }

  @Test func aDamagedRegistrationIsNotReplaced() throws {
    #expect(state.open() == .open)
    try Data("{".utf8).write(to: place.appending(path: "registration.json"))
    let refused = #expect(throws: CommandFailure.self) { try state.keptRegistration() }
    #expect(refused?.code == .dataError)
    #expect(
      text(refused?.text.bytes)?.hasPrefix("\(place.path)/registration.json is damaged") == true)
  }

  /// As the agent does it: TLS proves who rejects, unless the board moves between networks.
  @Test(arguments: [
    ("url: http://ha", false), ("url: https://ha", true),
    ("url: https://ha, home_network: { ssids: [Harbour] }", false),
  ])
  func aCommandKeepsARejectionAsTheAgentDoes(server: String, isForGood: Bool) throws {
    #expect(state.open() == .open)
    let file = place.appending(path: "token")
    try Data("eyJ.a.b\n".utf8).write(to: file)
    let configuration = try Outcome.configuration(
      "home_assistant: { \(server), token_file: \(file.path) }\n")
    let login = try Login(configuration, state)
    try login.keepRejection(in: state)
    let rejected = try state.keptRejectedTokens()
    let fingerprint = login.credential.fingerprint
    #expect(rejected.contains(fingerprint: fingerprint, now: Moment.now.instant))
    #expect((rejected.end(of: fingerprint) == nil) == isForGood)
  }

  @Test func theDiskMattersUnlessMemoryIsWanted() {
    // A file system without room for a file.
    let place = Path("/proc")
    for durability in [Durability.reading, .batch] {
      #expect(DiskFlaw.flaw(of: place, durability) != nil)
    }
    #expect(DiskFlaw.flaw(of: place, .memory) == nil)
  }

  @Test func whatCannotBeKeptSaysWhyAndWhatToDo() {
    // In a file there is no room for files.
    #expect(FileManager.default.createFile(atPath: place.path, contents: nil))
    let refused = #expect(throws: CommandFailure.self) {
      try state.keep(rejectedFingerprint: [1, 2, 3])
    }
    #expect(refused?.code == .noInput)
    #expect(text(refused?.text.bytes)?.contains("free space there") == true)
  }

  @Test(arguments: [
    ("", Enrollment.TokenFlaw.empty), (" \n", .empty), ("a b\n", .notAToken),
    ("\u{FEFF}eyJ.a.b\r\n", .hasByteOrderMark), ("eyJ.\u{FEFF}a.b\n", .notAToken),
  ])
  func aFileWithoutATokenIsToldFromOneWithAnotherText(
    content: String, flaw: Enrollment.TokenFlaw
  ) throws {
    try Data(content.utf8).write(to: place)
    guard case .failure(let found) = readToken(Array(place.path.utf8)) else {
      Issue.record("\(content) is no token")
      return
    }
    #expect("\(found)" == "\(flaw)")
  }

  @Test func spaceAroundATokenIsNotPartOfIt() throws {
    try Data("\n abc.def \n".utf8).write(to: place)
    guard case .success(let token) = readToken(Array(place.path.utf8)) else {
      Issue.record("this is a token")
      return
    }
    #expect(text(token) == "abc.def")
  }
}

import Foundation
import TestRun
import Testing

extension Contract {
  /// What Home Assistant makes of each answer of a push relay: what its log says, which is all that
  /// a person sees, and what the sender of the notification gets.
  @Suite(.enabled("the server posts to no push server", WholeAgent.postsNotifications))
  struct RelayAnswers {}
}

/// A device whose notifications Home Assistant posts to a push relay.
private struct RelayedDevice {
  /// It ends with the device, unless it hangs.
  let relay: RelayProgram
  let recipient: Recipient
  /// Secrets of the device at the relay: the one of the board, and the one of Home Assistant.
  let token: String
  let pushToken: String
  private let logStart: Int

  /// - Parameters:
  ///   - options: further options of `homeward-relay serve`.
  ///   - hasKey: whether the board has asked the relay once.
  ///   - pushToken: what Home Assistant gets in place of its secret.
  ///   - path: path of `push_url` at the relay.
  /// - Throws: if the relay does not start, or Home Assistant does not register the device.
  init(
    options: [String] = [], hasKey: Bool = true, pushToken: String? = nil, path: String = "/push"
  ) async throws {
    relay = try RelayProgram(
      Contract.WholeAgent.relayBinary(), in: Contract.WholeAgent.place(), options: options)
    let secrets = try relay.token("add", "boat", "--url", relay.url)
    token = try #require(secrets["token"])
    self.pushToken = try #require(secrets["push_token"])
    if hasKey { try await relay.fetch(with: token) }
    recipient = try await Recipient(
      appContent: [
        "push_url": .string(relay.url + path), "push_token": .string(pushToken ?? self.pushToken),
      ])
    try #require(try await recipient.isListed(true))
    logStart = Contract.WholeAgent.serverLog?.utf8.count ?? 0
  }

  /// What Home Assistant has logged since this device exists, of other devices, too.
  private var log: String {
    let log = Contract.WholeAgent.serverLog ?? ""
    return String(decoding: log.utf8.dropFirst(logStart), as: UTF8.self)
  }

  /// Expects that Home Assistant logs these words, and none of the device's secrets.
  func expectLogged(
    _ words: String, _ level: String = "ERROR", sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let line = try await Server.settled(pause: .milliseconds(100), until: { $0 != nil }) {
      log.split(separator: "\n").first { $0.contains(words) && $0.contains("mobile_app.notify") }
    }
    #expect(line?.contains(" \(level) ") == true, sourceLocation: sourceLocation)
    let secrets = [token, pushToken, recipient.device.webhookID]
    #expect(!secrets.contains { log.contains($0) }, sourceLocation: sourceLocation)
  }

  /// Sends a notification. Home Assistant says of every answer that it succeeded.
  func notify(
    _ message: String = "Ahoy", sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let answer = try await recipient.notify(message)
    #expect(answer["success"] == true, "\(answer)", sourceLocation: sourceLocation)
  }

  func waitingCount() async throws -> Int {
    let answer = try await relay.fetch(with: token) ?? ""
    return answer.components(separatedBy: #""number""#).count - 1
  }
}

// MARK: - Answers of a relay

extension Contract.RelayAnswers {
  @Test func overTheLimitOfTheDayIsAWarningWithTheCounts() async throws {
    let device = try await RelayedDevice(options: ["--notifications-a-day", "1"])
    try await device.notify()
    try await device.notify()
    try await device.expectLogged(
      "The relay takes no more notifications for this board today", "WARNING")
    let name = "Contract \(device.recipient.device.identity.suffix)"
    try await device.expectLogged(
      "rate limits for \(name): 1 sent, 1 allowed, 1 errors, resets in", "WARNING")
  }

  @Test func aRevokedTokenIsSaidWithTheWayToAnother() async throws {
    let device = try await RelayedDevice()
    _ = try device.relay.token("revoke", "boat")
    try await device.notify()
    try await device.expectLogged(
      #"it was revoked or replaced. Make one with "homeward-relay token add" or "rotate""#)
  }

  @Test func aBoardThatNeverAskedIsSaidWithTheCommandForIt() async throws {
    let device = try await RelayedDevice(hasKey: false)
    try await device.notify()
    try await device.expectLogged(#"no key to seal them to. Run "homeward pair --relay""#)
  }

  @Test func aNotificationThatIsTooLargeIsSaid() async throws {
    let device = try await RelayedDevice()
    try await device.notify(String(repeating: "m", count: 70_000))
    try await device.expectLogged("The notification is too large for the relay: send less")
  }

  @Test func aFullQueueIsSaid() async throws {
    let device = try await RelayedDevice(options: ["--waiting", "1"])
    try await device.notify()
    try await device.notify()
    try await device.expectLogged("Too many notifications wait for this board. Look whether it")
  }

  @Test func aRegistrationWithoutATokenIsSaid() async throws {
    let device = try await RelayedDevice(pushToken: "")
    try await device.notify()
    try await device.expectLogged(#"push_token is missing. Run "homeward pair --relay""#)
  }

  @Test func anAddressWithAWrongPathIsSaid() async throws {
    let device = try await RelayedDevice(path: "/relay/push")
    try await device.notify()
    try await device.expectLogged("A relay has /push")
  }

  /// Another program holds the lock of the file, as a backup that never ends.
  @Test func aStoreThatFailsIsSaidAsATroubleThatPasses() async throws {
    let device = try await RelayedDevice()
    let (input, output) = (Pipe(), Pipe())
    let holder = try ChildProcess(
      "python3",
      [
        "-c",
        """
        import sqlite3, sys
        store = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
        store.execute("BEGIN EXCLUSIVE")
        print("held", flush=True)
        sys.stdin.read()
        """, device.relay.store,
      ], input: .pipe(input), output: .pipe(output))
    #expect(output.fileHandleForReading.availableData.starts(with: Data("held".utf8)))
    try await device.notify()
    try await device.expectLogged("please try again later: the relay's store: database is locked")
    try input.fileHandleForWriting.close()
    _ = await holder.ending()
    try await device.notify("after")
    #expect(try await device.waitingCount() == 1, "the first was refused")
  }

  // MARK: No answer

  @Test func aRelayThatIsNotThereIsSaidWithItsAddress() async throws {
    let device = try await RelayedDevice()
    device.relay.end()
    try await device.notify()
    try await device.expectLogged("Error sending notification to \(device.relay.url)/push: ")
  }

  @Test func aRelayThatDoesNotAnswerIsSaidWithItsAddress() async throws {
    let device = try await RelayedDevice()
    defer { device.relay.end() }
    device.relay.hang()
    try await device.notify()
    try await device.expectLogged("Timeout sending notification to \(device.relay.url)/push")
  }
}

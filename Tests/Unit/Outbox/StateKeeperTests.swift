import Bytes
import Testing

@testable import HomeAssistant
@testable import Outbox

@Suite struct StateKeeperTests {
  private static let full = [UInt8]("the disk is full".utf8)
  private var keeper = StateKeeper()

  private func registration(_ webhookID: String) throws -> Registration {
    try #require(Registration(webhookID: [UInt8](webhookID.utf8), protection: .plain))
  }

  /// Lets the disk take everything, or nothing. Returns what was told.
  private mutating func perform(isWritable: Bool) -> Int {
    var toldCount = 0
    while let action = keeper.nextAction() {
      switch action {
      case .write where isWritable: keeper.written()
      case .write: keeper.failed(Self.full)
      default: toldCount += 1
      }
    }
    return toldCount
  }

  /// The disk was full, had room again, and is full once more when Home Assistant tells a new
  /// address: the person who made room for the first one does not know of the second.
  @Test mutating func aRegistrationThatCannotBeKeptIsToldThoughOneBeforeItWasToldLikewise() throws {
    keeper.keep(.registration(try registration("first")))
    #expect(perform(isWritable: false) == 1)
    keeper.retryDue()
    #expect(perform(isWritable: false) == 0, "which is not told a second time")
    keeper.retryDue()
    #expect(perform(isWritable: true) == 0)
    #expect(keeper.isEmpty)
    keeper.keep(.registration(try registration("second")))
    #expect(perform(isWritable: false) == 1)
  }

  @Test mutating func aRejectedCredentialIsWrittenBeforeTheRegistration() throws {
    keeper.keep(.registration(try registration("first")))
    keeper.keep(.rejection(fingerprint: [1], isForGood: true))
    guard case .write(.rejection(fingerprint: [1], isForGood: true))? = keeper.nextAction() else {
      Issue.record("the rejection comes first")
      return
    }
    keeper.written()
    guard case .write(.registration)? = keeper.nextAction() else {
      Issue.record("then the registration")
      return
    }
  }

  @Test mutating func whatCouldNotBeWrittenWaitsForTheNextCycle() throws {
    keeper.keep(.rejection(fingerprint: [1], isForGood: true))
    _ = perform(isWritable: false)
    let isQuiet = keeper.nextAction().map { _ in false } ?? true
    #expect(isQuiet && !keeper.isEmpty)
    keeper.retryDue()
    _ = perform(isWritable: true)
    #expect(keeper.isEmpty)
  }

  /// The disk had room for what a call might bring, and has none when it is to be made again.
  @Test mutating func afterACheckThatFoundRoomTheSameFailureIsToldAgain() {
    keeper.tell(Self.full)
    #expect(perform(isWritable: true) == 1)
    keeper.tell(Self.full)
    #expect(perform(isWritable: true) == 0)
    keeper.written()
    keeper.tell(Self.full)
    #expect(perform(isWritable: true) == 1)
  }

  @Test mutating func aRejectionThatIsNotOnTheDiskCountsAllTheSame() {
    keeper.keep(.rejection(fingerprint: [1], isForGood: true))
    _ = perform(isWritable: false)
    let all = keeper.completed(RejectedTokens(), now: Instant(nanoseconds: 0))
    #expect(all.contains(fingerprint: [1]))
  }
}

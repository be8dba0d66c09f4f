import Bytes
import Testing

@testable import Sensing

/// Several receivers at one gpsd.
@Suite struct ReceiversTests {
  private let gpsd = InlineText("gpsd")

  /// A TPV of `device` at that second.
  private func tpv(
    _ device: String, _ second: Int, mode: Int = 3, error: Double = 5, latitude: Double = 51
  ) -> String {
    let place = #","lat":\#(latitude),"lon":1,"alt":3,"speed":0.1,"eph":\#(error)"#
    return GPSDLines.tpv(second, device, mode: mode, place)
  }

  /// The latitudes of what each of some cycles takes, ten seconds apart, from a stream that says
  /// these lines in each.
  private func latitudes(
    _ conversation: GPSDConversation = .resting(.streaming), cycles: Int,
    _ lines: (_ cycle: Int, _ second: Int) -> String
  ) -> [Double] {
    conversation.forget()
    for cycle in 0..<cycles {
      conversation.drains(lines(cycle, cycle * 10 + 10), after: .seconds(10))
    }
    return conversation.fixes.map(\.latitude)
  }

  @Test func beforeTheFirstFixNothingIsComplete() {
    let receivers = Receivers()
    #expect(!receivers.hasFix && !receivers.isComplete)
  }

  @Test func aDeviceWithoutAFixNeverHidesAGoodOne() {
    // A depth sounder.
    let latitudes = latitudes(cycles: 20) { _, second in
      tpv("/dev/a", second, latitude: 51)
        + #"{"class":"TPV","device":"/dev/b","mode":0}"# + "\n"
        + #"{"class":"TPV","device":"/dev/c","mode":1,"time":"2027-05-01T12:00:00.000Z"}"# + "\n"
    }
    #expect(latitudes == Array(repeating: 51, count: 20))
  }

  @Test func aFixBeforeATunnelIsTakenWithItsAge() throws {
    let conversation = GPSDConversation.resting(.streaming)
    _ = latitudes(conversation, cycles: 3) { _, second in tpv("/dev/a", second) }
    let fixes = latitudes(conversation, cycles: 1) { _, _ in
      tpv("/dev/a", 36) + #"{"class":"TPV","device":"/dev/a","mode":1}"# + "\n"
    }
    #expect(fixes == [51])
    let age = try conversation.now - #require(conversation.fixes.first).notBefore
    #expect(age >= .seconds(3) && age <= .seconds(5))
  }

  @Test(arguments: [(3, 4, 2, 900), (3, 4, 3, 900), (3, 900, 2, 4)])
  func theBetterFixIsTakenWhicheverComesLast(
    mode: Int, error: Double, otherMode: Int, otherError: Double
  ) {
    for isFirst in [true, false] {
      let latitudes = latitudes(cycles: 5) { _, second in
        let good = tpv("/dev/a", second, mode: mode, error: error, latitude: 51)
        let bad = tpv("/dev/b", second, mode: otherMode, error: otherError, latitude: 20)
        return isFirst ? good + bad : bad + good
      }
      #expect(latitudes == [51, 51, 51, 51, 51])
    }
  }

  @Test func theChoiceStaysWhileTheOtherIsNotBetterByFarForAWhile() {
    let near = latitudes(cycles: 12) { cycle, second in
      tpv("/dev/a", second, error: cycle == 0 ? 4 : 6, latitude: 51)
        + tpv("/dev/b", second, error: 5, latitude: 20)
    }
    #expect(near == Array(repeating: 51, count: 12))
    let moment = latitudes(cycles: 12) { cycle, second in
      tpv("/dev/a", second, mode: cycle % 3 == 0 ? 3 : 2, latitude: 51)
        + tpv("/dev/b", second, error: 6, latitude: 20)
    }
    #expect(moment == Array(repeating: 51, count: 12))
    let forGood = latitudes(cycles: 6) { cycle, second in
      tpv("/dev/a", second, error: cycle == 0 ? 4 : 60, latitude: 51)
        + tpv("/dev/b", second, error: 5, latitude: 20)
    }
    #expect(forGood == [51, 51, 51, 20, 20, 20])
  }

  @Test func aReceiverThatIsGoneIsReplacedAtOnceAndNamed() {
    let conversation = GPSDConversation.resting(.streaming)
    let latitudes = latitudes(conversation, cycles: 6) { cycle, second in
      (cycle < 3 ? tpv("/dev/a", second, error: 4, latitude: 51) : "")
        + tpv("/dev/b", second, error: 50, latitude: 20)
    }
    #expect(latitudes == [51, 51, 51, 20, 20, 20])
    #expect(conversation.news == [.chose(InlineText("/dev/a")), .chose(InlineText("/dev/b"))])
  }

  @Test func theReceiverOfTheConfigurationIsTheOnlyOne() {
    let conversation = GPSDConversation.awaitingFix(.streaming, device: "/dev/b")
    conversation.takes(tpv("/dev/b", 0, latitude: 20))
    let fixes = latitudes(conversation, cycles: 3) { _, second in
      tpv("/dev/b", second, mode: 2, error: 50, latitude: 20) + tpv("/dev/a", second)
    }
    #expect(fixes == [20, 20, 20])
    #expect(conversation.news.isEmpty)
  }

  @Test func aReceiverOfTheConfigurationThatIsNotThereIsSaidToBeThat() {
    let conversation = GPSDConversation.awaitingFix(.streaming, device: "/dev/nowhere")
    conversation.takes(tpv("/dev/a", 0))
    conversation.deadlineReached(after: GPSDConversation.fixTimeout)
    let fixes = latitudes(conversation, cycles: 4) { _, second in tpv("/dev/a", second) }
    #expect(fixes.isEmpty)
    guard case .failed(.withoutFix(gpsd, _)) = conversation.news.first else {
      Issue.record("nothing was said")
      return
    }
  }

  /// Names of USB devices rise with each time that they are plugged in.
  @Test func aYearOfPluggingInFillsNothing() {
    let latitudes = latitudes(cycles: 100) { cycle, second in
      tpv("/dev/ttyUSB\(cycle)", second, latitude: Double(cycle) / 2)
    }
    #expect(latitudes == (0..<100).map { Double($0) / 2 })
  }

  /// On demand, the one that speaks first is not the one that is taken.
  @Test func aCycleWaitsAMomentForTheOtherReceiver() {
    let conversation = GPSDConversation.resting(.onDemand)
    conversation.forget()
    for cycle in 0..<4 {
      conversation.wait(.seconds(900))
      let second = (cycle + 1) * 900
      conversation.cycleDue()
      #expect(conversation.drained() == .askForReports)
      let first = conversation.takes(tpv("/dev/b", second, error: 50, latitude: 20))
      if cycle > 0 { #expect(first == nil) }
      conversation.wait(.milliseconds(300))
      conversation.takes(tpv("/dev/ttyUSB0", second, error: 4, latitude: 51))
      conversation.deadlineReached(after: GPSDSession.othersTimeout)
      #expect(!conversation.isGathering)
    }
    #expect(conversation.fixes.map(\.latitude).dropFirst() == [51, 51, 51])
  }
}

import Bytes
import Sensing
import Testing

@Suite struct VEDirectSessionTests {
  private static let charger = VEDirectBlocks.charger
  private static let monitor = VEDirectBlocks.monitor
  private static let history = VEDirectBlocks.monitorHistory

  // MARK: Wake-ups

  @Test func onceKnownAChargerCostsTwoWakeUpsACycleAndAMonitorFour() {
    let charger = VEDirectCable.learned(Self.charger)
    let before = charger.wakeUpCount
    charger.askAgain(Self.charger)
    #expect(charger.told.count == 2)
    #expect(charger.wakeUpCount - before == 2)

    let monitor = VEDirectCable.asked(Self.monitor, Self.history, Self.monitor)
    #expect(monitor.told.count == 1)
    let beforeMonitor = monitor.wakeUpCount
    monitor.askAgain(Self.history, Self.monitor)
    #expect(monitor.told.count == 2)
    #expect(monitor.wakeUpCount - beforeMonitor == 4)
  }

  @Test func betweenCyclesThePortIsClosed() {
    let cable = VEDirectCable.learned(Self.charger)
    #expect(!cable.isPortOpen)
    cable.say(Self.charger)
    #expect(cable.told.count == 1)
    #expect(cable.deadline == nil)
  }

  @Test func whatIsNotWantedIsNotWaitedFor() {
    let cable = VEDirectCable.asked(Self.monitor, Self.history, Self.monitor, wanted: "voltage")
    cable.askAgain(Self.monitor)
    #expect(cable.told.count == 2)
    #expect(cable.number("voltage") == 13.26)
    #expect(cable.told.last?["current"] == .nothing)
  }

  @Test func aDeviceThatHasNothingOfWhatIsWantedIsSaid() {
    let cable = VEDirectCable.asked(
      Self.monitor, Self.history, Self.monitor, wanted: "panel_voltage")
    #expect(cable.failures.count == 1)
    guard case .unsupported = cable.failures.first else {
      Issue.record("another failure")
      return
    }
    #expect(!cable.isPortOpen)
  }

  // MARK: What is old, late or damaged

  @Test func whatAnAdapterKeptSinceTheLastCycleIsNotBelieved() {
    let cable = VEDirectCable.askedAgain(Self.charger)
    let old = VEDirectBlocks.bytes(Self.charger.replacing("V 14010", with: "V 11000"))
    cable.say(old, after: .milliseconds(10))
    #expect(cable.told.count == 1)
    cable.say(Self.charger)
    #expect(cable.told.count == 2)
    #expect(cable.number("voltage") == 14.01)
  }

  @Test func aCycleThatBeginsInTheMiddleOfABlockTakesTheNextOne() {
    let cable = VEDirectCable.askedAgain(Self.charger)
    let block = VEDirectBlocks.bytes(Self.charger)
    cable.say([UInt8](block.dropFirst(40)), after: .milliseconds(5))
    cable.say([UInt8](block.dropFirst(90)), after: .milliseconds(1))
    #expect(cable.told.count == 1)
    cable.say(block)
    #expect(cable.told.count == 2)
  }

  @Test func aDamagedBlockCostsASecondAndNoValue() {
    let cable = VEDirectCable.askedAgain(Self.charger)
    var broken = VEDirectBlocks.bytes(Self.charger)
    broken[20] ^= 0x04
    cable.say(broken)
    #expect(cable.isGathering)
    cable.say(Self.charger)
    #expect(cable.told.count == 2)
    #expect(cable.failures.isEmpty)
  }

  /// HEX traffic stops the text for seconds: the cycle does not wait for ever, and what comes later
  /// is taken.
  @Test func valuesThatComeTooLateForTheCycleAreTakenAllTheSame() {
    let cable = VEDirectCable.askedAgain(Self.charger)
    cable.pass(VEDirectSession.gatherTime)
    #expect(!cable.isGathering, "the cycle goes on")
    #expect(cable.shortfall == .silent(InlineText("cable")))
    cable.ask()
    cable.say([UInt8](":7F0ED009600DB\n".utf8))
    cable.say(Self.charger)
    #expect(cable.told.count == 2)
    #expect(cable.shortfall == nil)
    #expect(cable.failures.isEmpty)
  }

  @Test func aSilentDeviceIsSaidAfterTenSecondsAndIsNotWaitedForAgain() {
    let cable = VEDirectCable.askedAgain(Self.charger)
    #expect(cable.isGathering)
    cable.pass(VEDirectSession.silenceTime - .milliseconds(1))
    #expect(cable.failures.isEmpty)
    cable.pass(.milliseconds(1))
    #expect(cable.failures == [.silent(InlineText("cable"))])
    #expect(!cable.isPortOpen)
    cable.ask()
    #expect(!cable.isGathering)
    cable.say(Self.charger)
    #expect(cable.told.count == 2)
    cable.ask()
    #expect(cable.isGathering, "it works again")
  }

  @Test func aDeviceThatSpeaksSomethingElseIsNotCalledSilent() {
    let cable = VEDirectCable.asked()
    for _ in 0..<12 { cable.say([UInt8]("$GPGGA,120000,5231.0,N\r\n".utf8)) }
    #expect(
      cable.failures == [
        .malformed(InlineText("cable"), found: InlineText("bytes without a VE.Direct block"))
      ])
  }

  /// A block whose sum is wrong by so much.
  private static func block(_ lines: String, off difference: UInt8) -> [UInt8] {
    var bytes = VEDirectBlocks.bytes(lines)
    bytes[bytes.count - 1] &+= difference
    return bytes
  }

  /// A Phoenix Smart Charger IP43.
  @Test func aDeviceWhoseSumsAreAlwaysWrongByTheSameIsBelieved() {
    let cable = VEDirectCable.asked()
    for volts in 0..<10 {
      cable.say(Self.block("PID 0xA340\nSER# HQ1924\nV 1362\(volts)", off: 7))
    }
    #expect(cable.failures.isEmpty)
    #expect(cable.number("voltage") == 13.63)
    cable.askAgain()
    for _ in 0..<2 { cable.say(Self.block("PID 0xA340\nSER# HQ1924\nV 14000", off: 7)) }
    #expect(cable.number("voltage") == 14)
    cable.askAgain()
    cable.say(Self.block("PID 0xA340\nSER# HQ1924\nV 99000", off: 8))
    cable.say(Self.block("PID 0xA340\nSER# HQ1924\nV 14010", off: 7))
    #expect(cable.number("voltage") == 14.01, "what is off by something else is noise")
  }

  @Test func blocksWhoseSumsAreWrongAnyhowAreNeverBelievedAndSaidToBeThat() {
    let cable = VEDirectCable()
    for cycle in 0..<4 {
      cable.ask()
      for number in 0..<12 {
        let difference = UInt8(cycle * 12 + number) / 7 + 1
        cable.say(Self.block("PID 0xA340\nV 13620", off: difference))
      }
      cable.pass(.seconds(60))
    }
    #expect(cable.told.isEmpty)
    let failure = SourceFailure.malformed(
      InlineText("cable"), found: InlineText("VE.Direct blocks with wrong checksums"))
    #expect(cable.failures == [failure, failure, failure, failure])
  }

  @Test func aWrongSumNowAndThenIsNoHabit() {
    let cable = VEDirectCable.learned(Self.charger)
    for _ in 0..<3 * VEDirectReader.sameSumsMin {
      cable.askAgain()
      cable.say(Self.block(Self.charger.replacing("V 14010", with: "V 1"), off: 1))
      cable.say(Self.charger)
      cable.say(Self.block(Self.charger.replacing("V 14010", with: "V 1"), off: 2))
      #expect(cable.number("voltage") == 14.01)
    }
  }

  @Test func aBlockThatDoesNotComeMakesItsValuesStale() {
    let cable = VEDirectCable.asked(Self.monitor, Self.history, Self.monitor)
    cable.askAgain(Self.monitor, Self.monitor, Self.monitor, Self.monitor)
    cable.pass(.seconds(2))
    #expect(cable.told.count == 2)
    #expect(cable.number("voltage") == 13.26)
    #expect(cable.told.last?["charged_energy"] == .stale)
    // It is found out that it does not say them any more, and then not waited for.
    cable.askAgain(Self.monitor, Self.monitor)
    #expect(cable.told.count == 3)
    cable.askAgain(Self.monitor)
    #expect(cable.told.count == 4)
    // And when they come again, they count.
    cable.askAgain(Self.history, Self.monitor)
    #expect(cable.number("charged_energy") == 58.33)
  }

  @Test func inShortCyclesAMissedBlockLeavesItsValuesForTenSeconds() {
    let cable = VEDirectCable.asked(Self.history, Self.monitor, Self.history, Self.monitor)
    cable.ask()
    for _ in 0..<4 { cable.say(Self.monitor) }
    cable.pass(.milliseconds(1))
    #expect(cable.told.count == 2)
    #expect(cable.told.last?["charged_energy"] == .nothing)
  }

  @Test func aPortThatFailsIsClosedAndOpenedAnew() {
    let cable = VEDirectCable.learned(Self.charger)
    cable.ask()
    cable.fail(.missing(InlineText("cable")))
    #expect(cable.failures == [.missing(InlineText("cable"))])
    #expect(!cable.isPortOpen)
    #expect(cable.deadline == nil)
    cable.ask()
    #expect(cable.isPortOpen)
    #expect(!cable.isGathering)
  }
}

import Bytes
import KernelHeaders
import Sensing
import Testing

/// What the kernel refuses, drops, cuts off or takes back.
@Suite struct NetworkMonitorTroubleTests {
  private static let scan: UInt16 = 32
  private static let routes = UInt16(RTM_GETROUTE)
  private static let links = UInt16(RTM_GETLINK)

  private let kernel = FakeKernel()
  private let home: NetworkPlace

  init() throws {
    kernel.links = [
      FakeKernel.Link(index: eth, name: "eth0"),
      FakeKernel.Link(
        index: wlan, name: "wlan0",
        stations: [FakeKernel.Station("Harbour", bssid: [2, 0, 0, 0, 0, 1], isAssociated: true)]),
    ]
    kernel.routes = [KernelMessage.Route(interface: wlan, gateway: [192, 168, 1, 1])]
    home = try wireless("Harbour", [2, 0, 0, 0, 0, 1])
  }

  @Test(arguments: [routes, scan])
  func aListThatChangedWhileItWasMadeIsAskedForAgain(type: UInt16) {
    kernel.interruptions = [type: 2]
    kernel.begin()
    #expect(kernel.places.isEmpty, "half a list is not believed")
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.places.isEmpty)
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.places == [home])
    #expect(kernel.reports.isEmpty)
  }

  @Test func whatTheKernelHadToDropIsAskedForAgain() {
    kernel.begin()
    kernel.routes = []
    kernel.overrun()
    #expect(kernel.places == [home])
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.places == [home, .none])
    #expect(kernel.reports.isEmpty)
    #expect(kernel.openCount == 1)
  }

  /// A default route over the cable, as the answer to a question.
  private func routeOverTheCable(sequence: UInt32, port: UInt32) -> [UInt8] {
    KernelMessage.message(
      RTM_NEWROUTE, flags: Int(NLM_F_MULTI), sequence: sequence, port: port,
      KernelMessage.Route(interface: eth, gateway: [10, 0, 0, 1]).payload)
  }

  @Test func theAnswersToQuestionsThatWereGivenUpAreNotBelieved() {
    kernel.begin()
    kernel.announceLink(wlan)
    kernel.announceWhenAsked(.route, routeOverTheCable(sequence: 1, port: FakeKernel.routePort))
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.places == [home])
    #expect(kernel.deadline == nil, "nor taken for an announcement")
  }

  @Test func theAnswersToOthersAreNotBelieved() {
    // Another program's question, with a number that is in use here as well.
    kernel.announceWhenAsked(.route, routeOverTheCable(sequence: 1, port: 99))
    kernel.begin()
    #expect(kernel.places == [home])
  }

  @Test(arguments: [EPERM, EACCES])
  func aKernelThatForbidsItIsAFailureWithARemedy(error: Int32) {
    kernel.refusals = [Self.routes: error]
    kernel.begin()
    #expect(kernel.reports.count == 1)
    #expect(kernel.reports.first == "notPermitted")
    #expect(kernel.place == .unknown)
    #expect(!kernel.isOpen)
  }

  @Test func aFailureIsToldOnceAndTriedAgainEverMoreRarely() throws {
    kernel.refusals = [Self.links: EINVAL]
    kernel.begin()
    #expect(kernel.deadline == kernel.now + Supervision.firstDelay)
    kernel.wait(.seconds(600))
    #expect(kernel.reports.count == 1)
    #expect((10...20).contains(kernel.openCount), "not at every moment")
    kernel.refusals = [:]
    kernel.wait(Supervision.longestDelay)
    #expect(kernel.reports.last == "recovered")
    #expect(kernel.places == [home])
    #expect(kernel.deadline == nil)
  }

  @Test func nothingIsKnownWhileTheSocketsFail() {
    kernel.begin()
    kernel.fail(.failed(InlineText("network"), errno: EIO))
    #expect(kernel.places == [home, .unknown])
    #expect(!kernel.isOpen)
    // Nothing that is still on its way is taken in.
    kernel.announceLink(wlan)
    kernel.wait(Supervision.firstDelay)
    #expect(kernel.places == [home, .unknown, home])
    #expect(kernel.reports.count == 2)
    #expect(kernel.groups.contains("generic \(FakeKernel.mlme)"), "it is in its groups again")
  }

  /// Fails three times, which is reported as coming and going, and works then.
  private func comeAndGo() {
    kernel.begin()
    for _ in 0..<3 {
      kernel.fail(.failed(InlineText("network"), errno: EIO))
      kernel.wait(Supervision.firstDelay)
    }
    #expect(kernel.reports.count == 5)
    #expect(kernel.reports.last == "intermittent")
    #expect(kernel.place == home)
  }

  @Test func whatCameAndWentWorksAgainAfterASteadyHour() {
    comeAndGo()
    kernel.wait(Supervision.steadyTime - Supervision.firstDelay - .seconds(1))
    #expect(kernel.reports.count == 5)
    #expect(kernel.deadline == kernel.now + .seconds(1))
    kernel.wait(.seconds(1))
    #expect(kernel.reports.dropFirst(5) == ["recovered"])
    #expect(kernel.deadline == nil)
  }

  @Test func whatCameAndWentWorksAgainWithTheRoundThatTheHourEndsIn() {
    comeAndGo()
    kernel.wait(Supervision.steadyTime - Supervision.firstDelay - .milliseconds(100))
    kernel.announceLink(wlan)
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.reports.dropFirst(5) == ["recovered"])
    #expect(kernel.deadline == nil)
  }

  /// The pauses of a gateway that is spoken to are none of the other deadline's.
  @Test func aSteadyHourEndsBesideAGatewayThatIsSilent() throws {
    kernel.routes = [KernelMessage.Route(interface: eth, gateway: [10, 0, 0, 1])]
    kernel.begin(to: NetworkGoal(address: nil, gateways: [try address([2, 0, 0, 0, 0, 9])]))
    for _ in 0..<3 {
      kernel.fail(.failed(InlineText("network"), errno: EIO))
      kernel.wait(Supervision.firstDelay)
    }
    kernel.wait(Supervision.steadyTime - Supervision.firstDelay - .seconds(1))
    let count = kernel.spokenTo.count
    kernel.wait(.seconds(1))
    #expect(kernel.reports.dropFirst(5) == ["recovered"])
    #expect(kernel.spokenTo.count == count)
  }

  @Test func aKernelThatDoesNotAnswerIsAFailure() {
    kernel.begin()
    kernel.isMute = true
    kernel.announceLink(wlan)
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.reports.isEmpty)
    kernel.isMute = false
    kernel.wait(NetworkMonitor.answersTimeout)
    #expect(kernel.reports.count == 1)
    #expect(kernel.reports.first == "silent")
    kernel.wait(Supervision.firstDelay)
    #expect(kernel.place == home)
  }

  @Test func aDatagramThatIsTooLongIsAFailure() {
    kernel.begin()
    kernel.truncate()
    #expect(kernel.reports.first == "malformed")
    kernel.wait(Supervision.firstDelay)
    #expect(kernel.place == home)
  }

  @Test func bytesThatAreNoMessageAreAFailure() {
    kernel.begin()
    kernel.announce(.route, [1, 2, 3])
    #expect(kernel.reports.count == 1)
    kernel.wait(Supervision.firstDelay)
    kernel.announce(.route, KernelMessage.integer(UInt32(15)) + [UInt8](repeating: 0, count: 12))
    #expect(kernel.reports.first == "malformed")
    #expect(kernel.reports.last == "malformed")
  }

  @Test func anInterfaceThatGoesBetweenTwoQuestionsIsNoFailure() {
    kernel.refusals = [Self.links: ENODEV]
    kernel.begin()
    #expect(kernel.reports.isEmpty)
    #expect(kernel.place == .unknown)
    kernel.refusals = [:]
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.places == [home])
  }

  @Test func aRadioWhoseModuleIsLoadedAnewIsFoundUnderItsNewNumber() {
    kernel.begin()
    kernel.wireless = 40
    kernel.announceLink(wlan)
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.reports.isEmpty)
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.asked.last == 40)
    #expect(kernel.places == [home])
    #expect(kernel.deadline == nil)
  }

  @Test func aRadioThatIsPluggedInLaterIsFound() throws {
    kernel.wireless = nil
    kernel.routes = [KernelMessage.Route(interface: eth, gateway: [192, 168, 1, 1])]
    kernel.begin()
    #expect(kernel.place == (try wired(nil)))
    kernel.wireless = 32
    kernel.add(KernelMessage.Route(interface: wlan, gateway: [192, 168, 1, 1]))
    kernel.routes.removeFirst()
    kernel.wait(NetworkMonitor.quietTime)
    #expect(kernel.place == home)
  }

  @Test func aCableIsToldFromARadioHoweverTheKernelSaysSo() throws {
    for endsWithErrors in [true, false] {
      for error in [ENODEV, EOPNOTSUPP] {
        let kernel = FakeKernel()
        kernel.endsWithErrors = endsWithErrors
        kernel.links = self.kernel.links
        kernel.routes = [KernelMessage.Route(interface: eth, gateway: [10, 0, 0, 1])]
        kernel.neighbours = [
          FakeKernel.Neighbour(
            interface: eth, address: [10, 0, 0, 1], hardware: [2, 0, 0, 0, 0, 9])
        ]
        kernel.refusals = [Self.scan: error]
        kernel.begin()
        #expect(kernel.place == (try wired([2, 0, 0, 0, 0, 9])))
      }
    }
  }

  /// Everything that the kernel says of this round, one byte cut off or changed at a time.
  @Test func noDamageToAnAnswerIsEverATrapOrADeadEnd() {
    for damage in Damage.all {
      let kernel = FakeKernel()
      kernel.links = self.kernel.links
      kernel.routes = self.kernel.routes
      kernel.damage = damage.harm
      kernel.begin()
      kernel.damage = nil
      kernel.wait(.seconds(20))
      kernel.announceLink(wlan)
      kernel.wait(.seconds(1))
      #expect(kernel.place == home, "\(damage)")
      #expect(kernel.deadline == nil, "\(damage)")
    }
  }

  private struct Damage: CustomStringConvertible {
    let datagram: Int
    let isCut: Bool
    let offset: Int

    static let all: [Damage] = (0..<8).flatMap { datagram in
      [true, false].flatMap { isCut in
        stride(from: 0, to: 160, by: 1).map {
          Damage(datagram: datagram, isCut: isCut, offset: $0)
        }
      }
    }

    func harm(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
      guard number == datagram, offset < bytes.count else { return bytes }
      if isCut { return [UInt8](bytes[..<offset]) }
      var bytes = bytes
      bytes[offset] ^= 0xFF
      return bytes
    }

    var description: String { "datagram \(datagram), byte \(offset), cut: \(isCut)" }
  }
}

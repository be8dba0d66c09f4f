import Bytes
import ModelDisk
import Outbox
import Sensing

@testable import HomeAssistant
@testable import PracticeHome

/// The power is gone, or the process; what was being done is not finished.
struct PowerLoss: Error {}

/// Everything around the agent, in virtual time: it hands out what happens in the order of time,
/// and the same for the same seed.
final class World {
  /// What happens to the agent's machine.
  enum Happening {
    case started
    /// The power goes so many steps of the agent later.
    case powerGoes(steps: Int)
    /// The process is killed so many steps later; the machine goes on.
    case killed(steps: Int)
    case clockSet(wrongBy: Duration)
    case presence(HomeNetworks.Presence)
    case socket(Int, SocketHappening)
    case arrivedOverSocket(Int, [UInt8])
    /// Time has passed in Home Assistant, whether it is asked something or not.
    case homeDue(isStranger: Bool)
    case sensed(Int)
    case weather(Weather, Link)
    case disk(ModelDisk.Condition)
    case home(ModelHome.Trouble)
    /// A person writes the token that is good now, or one that is not.
    case tokenWritten(isGood: Bool)
    /// A person looks after it all: every fault ends.
    case repaired
    case arrived(Call, answered: Bool, copies: Int, returningAfter: Duration)
    case ended(Call, CallEnd)
  }

  private struct Planned {
    let at: Instant
    let number: Int
    let happening: Happening
  }

  /// Of the world: 2026, and the same for everybody but the board.
  static let epochSeconds: Int64 = 1_795_000_000
  private static let wakesAtOnceMax = 10_000
  static let actionsAtOnceMax = 10_000

  let seed: UInt64
  let plan: DayPlan
  let disk: ModelDisk
  let home: ModelHome
  let stranger: ModelHome
  let ledger: Ledger
  var board: Board
  var network: Network
  private var replays: Replays
  private var callCount = 0
  /// The calls that came to the board's own Home Assistant, and the one whose end is told now.
  private var arrivedCalls: Set<Int> = []
  private var endedCall: Int?
  var openCalls: [Int: Link] = [:]
  private var random: SplitMix64
  private var planned: [Planned] = []
  private var plannedCount = 0

  private(set) var now = Instant(nanoseconds: 0)
  private var bootedAt = Instant(nanoseconds: 0)
  private(set) var kernelStartCount = 0
  /// What the wall clock of the board is wrong by.
  private var wallError = Duration.zero
  /// Whether the kernel says that its clock was set by another one.
  private(set) var isClockSynchronized = false
  private(set) var agent: SimulatedAgent?
  private(set) var lifeCount = 0
  /// Until the power or the process goes.
  private var stepsLeft: Int?
  private var isPowerLoss = false
  private(set) var presence = HomeNetworks.Presence.unknown
  var sockets: Sockets
  private var wakesAtOnce = 0
  /// Whether Home Assistant may not know the board any more, or not its key.
  private var isPairingBroken = false

  let isTold: Bool

  init(seed: UInt64, isTold: Bool) {
    self.seed = seed
    self.isTold = isTold
    var random = SplitMix64(seed: seed)
    plan = DayPlan(&random)
    disk = ModelDisk(seed: random.next())
    home = ModelHome(seed: random.next())
    stranger = ModelHome(seed: random.next())
    network = Network(seed: random.next())
    sockets = Sockets(seed: seed)
    replays = Replays(seed: seed)
    board = Board(
      sensorCount: plan.sensorCount, fixesPerHundred: plan.fixesPerHundred, seed: random.next())
    ledger = Ledger(plan, disk)
    self.random = random
    home.setKeys(areGiven: plan.givesKeysAtOnce)
    home.setCloud(plan)
    installLogin()
    happens(.started, at: now)
  }

  // MARK: Time

  /// The machine's own clock, which begins anew with the machine.
  var instant: Instant { Instant(nanoseconds: 1_000_000_000) + (now - bootedAt) }
  /// What the machine takes the time to be.
  var wallTime: WallTime { trueTime - (.zero - wallError) }
  var trueTime: WallTime {
    WallTime(nanoseconds: Self.epochSeconds * 1_000_000_000 + now.nanoseconds)
  }

  func instant(of moment: Moment) -> Instant {
    Instant(nanoseconds: moment.microseconds * 1000 - Self.epochSeconds * 1_000_000_000)
  }

  func happens(_ happening: Happening, at moment: Instant) {
    plannedCount += 1
    let new = Planned(at: max(moment, now), number: plannedCount, happening: happening)
    // The next one stands last.
    let place = planned.lastIndex { $0.at > new.at }.map { $0 + 1 } ?? 0
    planned.insert(new, at: place)
  }

  func happens(_ happening: Happening, after delay: Duration) {
    happens(happening, at: now + delay)
  }

  func run(until end: Instant) {
    while true {
      let wake = agent.map { bootedAt + ($0.deadline - Instant(nanoseconds: 1_000_000_000)) }
      let next = planned.last?.at
      guard let moment = earliest(wake, next), moment <= end else { break }
      wakesAtOnce = moment <= now ? wakesAtOnce + 1 : 0
      if wakesAtOnce > Self.wakesAtOnceMax { ledger.complain("the agent does not sleep", at: now) }
      if ledger.isBroken { return }
      now = max(now, moment)
      if let next, next <= now {
        let planned = planned.removeLast()
        live { try perform(planned.happening) }
      } else {
        live { try agent?.wake() }
      }
      ledger.look(at: agent, now: now)
    }
    now = max(now, end)
  }

  /// Nothing of it is looked at any more.
  func end() { agent = nil }

  // MARK: The agent's life

  /// The power or the process may go between any two steps.
  func step() throws {
    guard let left = stepsLeft else { return }
    stepsLeft = left - 1
    if left <= 0 { throw PowerLoss() }
  }

  private func live(_ action: () throws -> Void) {
    do { try action() } catch is PowerLoss { lost() } catch {
      // The agent ends when it cannot read what it keeps; it is started again by and by.
      tell("it ended: \(error)")
      agentLost(isPowerLoss: false)
      happens(.started, after: .seconds(30))
    }
  }

  private func lost() {
    tell(isPowerLoss ? "THE POWER GOES" : "KILLED")
    stepsLeft = nil
    agentLost(isPowerLoss: isPowerLoss)
    if isPowerLoss {
      disk.cutPower()
      happens(.started, after: .seconds(Int64(20 + random.next() % 3600)))
    } else {
      happens(.started, after: .seconds(5))
    }
  }

  private func start() throws {
    guard agent == nil else { return }
    lifeCount += 1
    if lifeCount == 1 || isPowerLoss {
      bootedAt = now
      kernelStartCount += 1
      isClockSynchronized = false
      if !plan.hasClock { wallError = WallTime(nanoseconds: 0) - trueTime }
      happens(.clockSet(wrongBy: .zero), after: .seconds(Int64(5 + random.next() % 1800)))
    }
    isPowerLoss = false
    if random.next() % 4 == 0 { board.shuffle() }
    tell("starts")
    ledger.witness.agentStarts(at: now)
    let agent = try SimulatedAgent(in: self, life: lifeCount)
    self.agent = agent
    ledger.hours.reachChanged(false, at: trueTime)
    measuringTurned()
    try agent.wake()
    try agent.placeChanged(place)
  }

  private func perform(_ happening: Happening) throws {
    switch happening {
    case .started: try start()
    case .powerGoes(let steps): arm(steps, isPowerLoss: true)
    case .killed(let steps): arm(steps, isPowerLoss: false)
    case .clockSet(let error):
      tell("the clock is wrong by \(error)")
      wallError = error
      isClockSynchronized = error == .zero
      measuringTurned()
    case .presence(let new):
      presence = new
      ledger.mayComeAgain()
      try agent?.placeChanged(place)
      checkCallsUnderWay()
    case .socket(let number, let happening): try socketHappened(number, happening)
    case .arrivedOverSocket(let number, let text):
      guard let socket = sockets[number], let session = socket.session else { return }
      house(socket.isStranger).received(text, on: session, at: trueTime)
      deliverMail(isStranger: socket.isStranger)
    case .homeDue(let isStranger):
      sockets.isHomeDuePlanned[isStranger ? 1 : 0] = false
      house(isStranger).advance(at: trueTime)
      deliverMail(isStranger: isStranger)
    case .sensed(let place):
      board.change(place)
      try agent?.sensed(place)
    case .weather(let weather, let link):
      tell("\(link) is \(weather)")
      network.set(weather, on: link)
    case .disk(let condition):
      tell("the disk is \(condition)")
      disk.condition = condition
      ledger.diskChanged(condition, at: now)
    case .home(let trouble):
      tell("\(trouble)")
      isPairingBroken = isPairingBroken || [.registrationDeleted, .keysChanged].contains(trouble)
      home.suffer(trouble, at: trueTime)
      deliverMail(isStranger: false)
    case .tokenWritten(let isGood):
      let token = isGood ? home.token : [UInt8]("wrong-\(random.next())".utf8)
      if plan.login == .file { disk.install(token, as: StateFiles.token) }
    case .repaired: repair()
    case .arrived(let call, let isAnswered, let copies, let delay):
      arrived(call, copies: copies, isAnswered: isAnswered, returningAfter: delay)
    case .ended(let call, let end):
      endedCall = call.number
      defer {
        arrivedCalls.remove(call.number)
        endedCall = nil
      }
      guard call.life == lifeCount else { return }
      try agent?.ended(call, end)
      if case .answered(let reply) = end, reply.status == 401, let token = call.letter.token {
        ledger.rejected(token, at: now)
      }
    }
  }

  private func arm(_ steps: Int, isPowerLoss: Bool) {
    guard agent != nil else { return }
    (stepsLeft, self.isPowerLoss) = (steps, isPowerLoss)
  }

  private func repair() {
    tell("REPAIRED")
    for link in Link.allCases { network.set(.fair, on: link) }
    disk.condition = .healthy
    stepsLeft = nil
    (wallError, isClockSynchronized) = (.zero, true)
    measuringTurned()
    ledger.repaired(at: now)
    guard isPairingBroken || !isRegistered else { return }
    // It is told that its token is no good, or will not do much longer.
    home.suffer(.tokenReplaced, at: trueTime)
    deliverMail(isStranger: false)
    installLogin()
    // Where the agent may not do it by itself, its owner pairs it again; and what pairing left is
    // read at the start.
    if plan.registersAgainAfter == nil || plan.login == .pairing { pairAgain() }
  }

  /// Whether there is a registration, and Home Assistant and the board agree on whether it has a
  /// key: one that is asked for afterwards may be lost on its way, or an old one may come.
  private var isRegistered: Bool {
    guard let file = disk.bytes(of: StateFiles.registration),
      let registration = try? Registration(file: file.span)
    else { return false }
    return registration.isPlain != home.hasKey
  }

  private func pairAgain() {
    disk.install(nil, as: StateFiles.registration)
    restart()
  }

  private func restart() {
    agentLost(isPowerLoss: false)
    happens(.started, after: .seconds(5))
  }

  private func agentLost(isPowerLoss: Bool) {
    ledger.lost(agent, at: now, isPowerLoss: isPowerLoss)
    unkeptHoursLost()
    agent = nil
    measuringTurned()
  }

  // MARK: What is sensed

  /// At the end of the day nothing goes on.
  private var isCalm: Bool { now >= Instant(nanoseconds: 0) + plan.calm }

  func fix() -> Fix? { isCalm ? nil : board.fix(now: instant, time: trueTime) }

  /// Between two cycles everything has gone on.
  func advance() { if !isCalm { board.advance() } }

  // MARK: The network

  func connection(over link: Link) -> Connection {
    Connection(link: link, networkChanges: network.changeCount, restarts: home.restartCount)
  }

  /// Whether the answer that the agent looks at now is Home Assistant's to what it asked.
  var isAnswerGenuine: Bool {
    sockets.isAnswerOfHome || (endedCall.map { arrivedCalls.contains($0) } ?? false)
  }

  /// Returns the number of the call.
  func send(_ letter: Letter, over link: Link, from life: Int) -> Int {
    callCount += 1
    let call = Call(number: callCount, life: life, link: link, letter: letter)
    ledger.sent(call.letter, at: now)
    if isBare(link) { ledger.complain("a secret goes over \(link) away from home", at: now) }
    if letter.isReadableMessage, agent?.uplink.registration?.isPlain == false {
      ledger.complain("a readable message where there is a key", at: now)
    }
    openCalls[call.number] = link
    defer { openCalls = openCalls.filter { $0.key > callCount - 8 } }
    switch network.fate(on: call.link) {
    case .ends(let end, let delay): happens(.ended(call, end), after: delay)
    case .isReplayed(let delay):
      // Who hands out registrations is shown a token, and gets none.
      let reply = letter.token == nil ? replays.answer(to: letter) : Reply(status: 502, body: [])
      happens(.ended(call, .answered(reply)), after: delay)
    case .arrives(let copies, let delay, let isAnswered, let returning):
      happens(
        .arrived(call, answered: isAnswered, copies: copies, returningAfter: returning - delay),
        after: delay)
    }
    return call.number
  }

  private func arrived(
    _ call: Call, copies: Int, isAnswered: Bool, returningAfter delay: Duration
  ) {
    let house = network[call.link] == .stranger ? stranger : home
    home.records.isLate =
      call.life != lifeCount || agent?.callsUnderWay.contains(call.number) != true
    defer { home.records.isLate = false }
    var end = CallEnd.failed
    for copy in 0..<copies {
      if copy > 0 { ledger.mayComeAgain() }
      if let reply = house.answer(call.letter, at: trueTime) {
        end = .answered(reply)
        if house === home {
          arrivedCalls.insert(call.number)
          replays.keep(reply, to: call.letter)
        }
      }
    }
    deliverMail(isStranger: house === stranger)
    if case .answered(let reply) = end {
      tell("\(reply.status) \(String(decoding: reply.body.prefix(40), as: UTF8.self))")
    }
    happens(.ended(call, isAnswered ? end : .failed), after: delay)
  }

  // MARK: For people

  func tell(_ words: @autoclosure () -> String) {
    guard isTold else { return }
    print("\(now.nanoseconds / 1_000_000) ms: \(words())")
  }
}

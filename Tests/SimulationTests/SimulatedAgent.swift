import Bytes
import HomeAssistant
import Outbox
import Sensing

/// One life of the agent, from the start of its process to its end: the same parts in the same order
/// as in `RunLoop` and `Courier`, over files, a network and a clock that are none.
///
/// Whatever throws a `PowerLoss` ends it in the middle of what it did.
final class SimulatedAgent {
  private enum Phase {
    case registering(SimulatedRegistrar, former: Registration?)
    case delivering(Registration)
  }

  private let world: World
  private let life: Int
  private let state: StateFiles
  private let keeper: SimulatedKeeper
  private let spoolFiles: SpoolFiles
  private var phase: Phase
  private var message: Delivery.Message?
  private var isCycleOwed = false
  private var isUnderWay = false
  /// What the connection of the last transfer hung on.
  private var keptConnection: World.Connection?
  private var nextCycleAt: Instant
  private var request = ByteBuffer(
    capacity: Envelope.byteCount(sealing: SensorTable.dataByteCountMax))
  private var random: SplitMix64

  private(set) var delivery: Delivery
  private var sensors: [SensorIndex] = []

  /// Starts it on what is on the disk.
  init(in world: World, life: Int) throws {
    self.world = world
    self.life = life
    random = SplitMix64(seed: world.seed &+ UInt64(life) << 32)
    state = StateFiles(files: Files(world: world))
    keeper = SimulatedKeeper(state)
    let now = world.instant
    let registration = try state.registration()
    let update = Webhook.UpdateRegistration(Self.identity)
    delivery = Delivery(
      routes: Routes(
        instance: Link.instance.url, home: world.plan.knowsHome ? Link.home.url : nil,
        cloudhook: nil, remoteUI: nil, presence: .unknown, isPlainAllowedAway: false,
        seed: random.next(), now: now),
      history: History(
        History.Device(id: Self.identity.deviceID, name: Self.identity.deviceName),
        spool: Spool(
          device: DeviceFingerprint(ofDeviceID: Self.identity.deviceID),
          durability: world.plan.durability, order: world.plan.order,
          byteCountCap: world.plan.spoolByteCountCap,
          segmentByteCount: world.plan.segmentByteCount, seed: random.next()),
        bytesPerMinute: world.plan.historyBytesPerMinute),
      trackerID: Self.identity.deviceID, protection: .sealed,
      untold: registration?.toldFingerprint == update.fingerprint ? nil : update,
      doubtAfter: world.plan.registersAgainAfter ?? Delivery.doubtAfter, seed: random.next())
    delivery.history.isClockSynchronized = world.isClockSynchronized
    spoolFiles = SpoolFiles(files: Files(world: world))
    nextCycleAt = now
    if let registration {
      phase = .delivering(registration)
    } else {
      phase = .registering(
        SimulatedRegistrar(
          state: state, keeper: keeper, identity: Self.identity, seed: random.next(), now: now),
        former: nil)
    }
    for sensor in world.board.sensors { declare(sensor) }
    try tidy()
  }

  static let identity = RegistrationRequest(
    deviceID: [UInt8]("board-1".utf8), deviceName: [UInt8]("Boat".utf8), manufacturer: [],
    model: [], osName: [UInt8]("Linux".utf8), osVersion: [UInt8]("6.12".utf8),
    appVersion: [UInt8]("1".utf8))

  private func declare(_ sensor: BoardSensor) {
    guard let index = delivery.batch.declare(sensor.description) else {
      preconditionFailure("a board of a few sensors")
    }
    sensors.append(index)
  }

  // MARK: Time

  var deadline: Instant {
    let next: Instant?
    if case .registering(let registrar, _) = phase {
      next = earliest(registrar.deadline, delivery.diskDeadline)
    } else {
      next = delivery.deadline
    }
    return next.map { min($0, nextCycleAt) } ?? nextCycleAt
  }

  func wake() throws {
    let now = world.instant
    readClock()
    if case .registering(var registrar, let former) = phase {
      let outcome = try registrar.deadlineReached(now: now)
      try take(outcome, of: registrar, former: former, now: now)
      delivery.diskDeadlineReached(now: now)
      try tidy()
    } else {
      delivery.deadlineReached(now: now)
      try goOn(now: now)
    }
    try cycle(now: now)
  }

  private func readClock() {
    guard delivery.history.clockRead(world.instant, world.wallTime) else { return }
    delivery.history.isClockSynchronized = world.isClockSynchronized
  }

  private func cycle(now: Instant) throws {
    if now >= nextCycleAt {
      try sample()
      nextCycleAt = nextCycleAt + world.plan.every
      if nextCycleAt <= now { nextCycleAt = now + world.plan.every }
      try cycleDue(now: now)
    } else if delivery.batch.hasUrgentChange {
      try urgentChange(now: now)
    }
  }

  private func cycleDue(now: Instant) throws {
    delivery.history.isClockSynchronized = world.isClockSynchronized
    if case .registering(var registrar, let former) = phase {
      isCycleOwed = true
      delivery.cyclePostponed(now: now)
      try tidy()
      let outcome = try registrar.cycleDue(now: now)
      return try take(outcome, of: registrar, former: former, now: now)
    }
    try keeper.tryAgain()
    if !isConnectionKept { delivery.connectionEnded() }
    delivery.cycleDue(now: now)
    try goOn(now: now)
  }

  private func urgentChange(now: Instant) throws {
    guard case .delivering = phase else {
      isCycleOwed = true
      return delivery.urgentChangePostponed()
    }
    if !isConnectionKept { delivery.connectionEnded() }
    delivery.urgentChange(now: now)
    try goOn(now: now)
  }

  private var isConnectionKept: Bool {
    keptConnection != nil && keptConnection == world.connection(over: route)
  }

  /// Does what is wanted of the disk.
  private func tidy() throws {
    while let action = delivery.history.nextAction() {
      try spoolFiles.perform(action, for: &delivery.history.spool, now: world.instant)
    }
  }

  // MARK: What is looked at from outside

  var losses: Spool.Losses { delivery.history.spool.losses }
  var entryCountInMemory: Int { delivery.history.spool.entryCountInMemory }
  var spoolByteCount: Int { delivery.history.spool.occupiedByteCount }
  var entryCount: Int { delivery.history.spool.entryCount }
  var hasEmptySpool: Bool { delivery.history.spool.isEmpty }

  // MARK: Readings

  private func sample() throws {
    world.goOn()
    for place in sensors.indices { try record(place) }
    if let fix = world.fix() {
      try world.step()
      world.ledger.made(fix, at: world.now, age: world.instant - fix.notBefore)
      delivery.record(fix)
      try tidy()
      world.ledger.recorded()
    }
  }

  /// A sensor says something; an urgent one starts a cycle.
  func sensed(_ place: Int) throws {
    readClock()
    try record(place)
    try cycle(now: world.instant)
  }

  private func record(_ place: Int) throws {
    try world.step()
    let sensor = world.board.sensors[place]
    world.ledger.made(sensor, at: world.now, trueTime: world.trueTime)
    delivery.record(
      Reading(sensor: sensors[place], value: sensor.value, time: world.wallTime))
    try tidy()
    world.ledger.recorded()
  }

  // MARK: Registration

  private func take(
    _ outcome: SimulatedRegistrar.Outcome, of registrar: SimulatedRegistrar,
    former: Registration?, now: Instant
  ) throws {
    var registrar = registrar
    let problem = registrar.takeProblem()
    phase = .registering(registrar, former: former)
    if let problem {
      world.tell("not registered: \(problem)")
      delivery.registrationFailed(now: now)
      if let former, problem.isLasting {
        phase = .delivering(former)
        delivery.registrationRefused(now: now)
        return try goOn(now: now)
      }
    }
    switch outcome {
    case .nothing: break
    case .send(let letter):
      world.tell("asks for a registration")
      try send(letter, over: .instance)
    case .registered(var registration):
      registration.toldFingerprint = Webhook.UpdateRegistration(Self.identity).fingerprint
      try keeper.keep(registration)
      delivery.registrationReplaced(.sealed)
      phase = .delivering(registration)
      world.tell("registered")
      if isCycleOwed { try cycleDue(now: now) }
    }
  }

  private func change(_ body: (inout Registration) -> Bool) throws {
    guard case .delivering(var registration) = phase, body(&registration) else { return }
    phase = .delivering(registration)
    try keeper.keep(registration)
  }

  // MARK: Delivery

  private var route: Link {
    delivery.routes.current?.route == .home ? .home : .instance
  }

  private func goOn(now: Instant) throws {
    try tidy()
    while let action = delivery.nextAction() {
      switch action {
      case .tell(let event): try report(event, now: now)
      case .send(let message): try send(message)
      }
    }
  }

  private func send(_ next: Delivery.Message) throws {
    guard case .delivering(let registration) = phase else { return }
    message = next
    var nonce = InlineArray<24, UInt8>(repeating: 0)
    for index in 0..<24 { nonce[index] = UInt8(truncatingIfNeeded: random.next()) }
    delivery.write(next, for: registration, nonce: Nonce(randomBytes: nonce), into: &request)
    world.tell("sends \(next) over \(route)")
    let letter = Letter(
      path: String(decoding: registration.path, as: UTF8.self), body: [UInt8](request.bytes))
    try send(letter, over: route)
  }

  private func send(_ letter: Letter, over link: Link) throws {
    precondition(!isUnderWay, "one transfer at a time")
    try world.step()
    isUnderWay = true
    world.send(letter, over: link, from: life)
    try world.step()
  }

  func ended(_ end: CallEnd, over link: Link) throws {
    try take(end, over: link)
    guard case .delivering = phase, delivery.isInOutage, !isUnderWay,
      delivery.history.spool.failure == nil
    else { return }
    world.ledger.cycleFailed(entryCountInMemory: entryCountInMemory, at: world.now)
  }

  private func take(_ end: CallEnd, over link: Link) throws {
    let now = world.instant
    isUnderWay = false
    keptConnection = end == .failed ? nil : world.connection(over: link)
    if case .registering(var registrar, let former) = phase {
      let outcome = try registrar.ended(end, now: now)
      return try take(outcome, of: registrar, former: former, now: now)
    }
    guard case .delivering(let registration) = phase else { return }
    switch end {
    case .failed:
      delivery.connectionFailed(InlineText("no answer"), now: now)
    case .answered(let reply):
      var body = ByteBuffer(capacity: 256 * 1024)
      body.append(reply.body)
      let answer = registration.readAnswer(status: reply.status, body: &body)
      delivery.answerReceived(answer, body: body, now: now)
    }
    try goOn(now: now)
  }

  private func report(_ event: DeliveryEvent, now: Instant) throws {
    world.tell("\(event)")
    try world.step()
    world.ledger.told(event, isAnswerGenuine: world.isAnswerGenuine, at: world.now)
    switch event {
    case .acquainted(let server):
      try change { $0.setAddresses(cloudhook: server.cloudhookURL, remoteUI: server.remoteUIURL) }
    case .registrationTold(let fingerprint):
      try change {
        $0.toldFingerprint = fingerprint
        return true
      }
    case .registrationDoubted where world.plan.registersAgainAfter != nil:
      guard case .delivering(let registration) = phase else { return }
      phase = .registering(
        SimulatedRegistrar(
          state: state, keeper: keeper, identity: Self.identity, seed: random.next(), now: now),
        former: registration)
    default: break
    }
  }

  func presenceChanged(_ presence: HomeNetworks.Judgement) throws {
    let now = world.instant
    delivery.presenceChanged(presence, now: now)
    if case .delivering = phase { try goOn(now: now) }
  }
}

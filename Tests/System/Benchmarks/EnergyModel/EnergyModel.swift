/// What an agent did in a day.
public struct DailyUse: Equatable, Sendable {
  public var wakeUps = 0.0
  /// On the processor that measured.
  public var processorSeconds = 0.0
  /// How long the radio was awake because of what was sent and received.
  public var radioSeconds = 0.0
  /// How long the receiver ran, where the board is never off.
  public var receiverSeconds = 0.0
  /// Of a board that is off between its reports; nil for one that is always on.
  public var starts: Starts?

  /// How a board that is off between its reports works.
  public struct Starts: Equatable, Sendable {
    public let perDay: Double
    /// How long the agent runs each time.
    public let runSeconds: Double
    public let hasReceiver: Bool

    public init(perDay: Double, runSeconds: Double, hasReceiver: Bool) {
      self.perDay = perDay
      self.runSeconds = runSeconds
      self.hasReceiver = hasReceiver
    }
  }

  public init() {}
}

public enum Radio: String, Sendable { case lte, wifi }

/// A board as the model knows it.
public struct Board: Sendable {
  public let name: String
  let idleWatts: Double
  let coreWatts: Double
  let slowdown: Double
  let bootWatts: Double
  let bootSeconds: Double

  public static let all = [
    Board(
      name: "Pi Zero 2 W", idleWatts: Assumption.zeroIdle.value,
      coreWatts: Assumption.zeroCore.value, slowdown: Assumption.zeroSlowdown.value,
      bootWatts: Assumption.zeroBootPower.value, bootSeconds: Assumption.zeroBootTime.value),
    Board(
      name: "Pi 4", idleWatts: Assumption.fourIdle.value, coreWatts: Assumption.fourCore.value,
      slowdown: Assumption.fourSlowdown.value, bootWatts: Assumption.fourBootPower.value,
      bootSeconds: Assumption.fourBootTime.value),
  ]
}

/// What a day takes, in Wh at 5 V.
public struct DailyEnergy: Equatable, Sendable {
  /// The board, whatever runs on it: of one that is off in between, its starts and what keeps time.
  public let board: Double
  /// What the agent computes and how often it wakes up.
  public let agent: Double
  public let radio: Double
  public let receiver: Double

  public var total: Double { board + agent + radio + receiver }

  public init(of use: DailyUse, on board: Board, over radio: Radio) {
    let joules =
      use.processorSeconds * board.slowdown * board.coreWatts
      + use.wakeUps * Assumption.wakeUp.value
    agent = joules / 3600
    // How long the board is on.
    let onSeconds: Double
    if let starts = use.starts {
      let ready = max(
        board.bootSeconds, radio == .lte ? Assumption.lteAttach.value : 0,
        starts.hasReceiver ? Assumption.receiverStart.value : 0)
      let afterBoot = ready - board.bootSeconds + starts.runSeconds + Assumption.haltTime.value
      let start = board.bootSeconds * board.bootWatts + afterBoot * board.idleWatts
      onSeconds = starts.perDay * (board.bootSeconds + afterBoot)
      self.board = (starts.perDay * start + (86_400 - onSeconds) * Assumption.offPower.value) / 3600
      receiver = starts.hasReceiver ? onSeconds * Assumption.receiver.value / 3600 : 0
    } else {
      onSeconds = 86_400
      self.board = board.idleWatts * 24
      receiver = use.receiverSeconds * Assumption.receiver.value / 3600
    }
    switch radio {
    case .lte:
      let more = Assumption.lteConnected.value - Assumption.lteRegistered.value
      self.radio = (onSeconds * Assumption.lteRegistered.value + use.radioSeconds * more) / 3600
    // A network that the board belongs to, in power save, is in what the board takes.
    case .wifi: self.radio = use.radioSeconds * Assumption.wifiActive.value / 3600
    }
  }
}

public struct Battery: Sendable {
  public let name: String
  let usableWattHours: Double
  let selfDischarge: Double

  public static let all = [
    Battery(
      name: "lead 100 Ah",
      usableWattHours: Assumption.leadEnergy.value * Assumption.leadUsable.value,
      selfDischarge: Assumption.leadSelfDischarge.value),
    Battery(
      name: "LiFePO4 20 Ah",
      usableWattHours: Assumption.lithiumEnergy.value * Assumption.lithiumUsable.value,
      selfDischarge: Assumption.lithiumSelfDischarge.value),
  ]

  /// How many days it lasts without a charge. A board that is `switchedOff` in between has its own
  /// converter switched off, too.
  public func days(at energy: DailyEnergy, isSwitchedOff: Bool) -> Double {
    let converter = isSwitchedOff ? 0 : Assumption.converterIdle.value * 24
    return usableWattHours / (energy.total / Assumption.converter.value + converter + selfDischarge)
  }
}

/// How long a radio is awake because of what was sent and received.
public struct RadioTail: Equatable, Sendable {
  /// So long before the first byte the radio is awake already.
  public let setupSeconds: Double
  /// So long after the last byte it stays awake; the network decides that.
  public let tailSeconds: Double

  public init(setupSeconds: Double, tailSeconds: Double) {
    self.setupSeconds = setupSeconds
    self.tailSeconds = tailSeconds
  }

  /// How long the radio is awake in a window of so many seconds that comes again and again, with
  /// bytes at these `moments` of it, in any order.
  public func awakeSeconds(moments: [Double], windowSeconds: Double) -> Double {
    let sorted = moments.sorted()
    guard let first = sorted.first else { return 0 }
    let following = sorted.dropFirst() + [first + windowSeconds]
    var seconds = 0.0
    for (moment, next) in zip(sorted, following) {
      let gap = max(0, next - moment)
      // Where the tail and the setup of what follows meet, the radio does not rest.
      seconds += min(gap, tailSeconds + setupSeconds)
    }
    return min(seconds, windowSeconds)
  }
}

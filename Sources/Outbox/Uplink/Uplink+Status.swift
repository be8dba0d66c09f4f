public import Bytes
import HomeAssistant
public import Sensing

// How things stand, for people who ask.

extension Uplink {
  public var presence: HomeNetworks.Presence { home.presence }
  public var place: NetworkPlace { home.place }
  /// Whether the configuration says which networks are home.
  public var knowsHome: Bool { settings.server.home != nil }
  public var nextCycleAt: Instant { plan.nextCycleAt }
  /// When the next upload is due, if nothing urgent comes before; nil where each cycle ends with
  /// one.
  public var nextUploadAt: Instant? { plan.nextUploadAt }

  /// Time between two reports of a board that is switched off in between, as the configuration and
  /// the power policy have it: an upload takes what one run reads.
  public var reportInterval: Duration {
    let intervals = settings.usualIntervals(for: power.effect)
    return intervals.uploadEvery ?? intervals.every
  }

  /// Whether a token that is rejected is so for good.
  public var isServerKnown: Bool { settings.server.isKnown }

  /// Whether a registration is being made.
  public var isRegistering: Bool { registrar.isEnrolling }

  /// When the next attempt is due to register, or to deliver in an outage.
  public var nextAttemptAt: Instant? {
    registrar.isEnrolling ? registrar.deadline : delivery.nextAttemptAt
  }

  /// Whether nothing is left that only this process knows of the registration.
  public var hasKeptRegistration: Bool { keeper.isEmpty }

  /// Readings and fixes that only this process has, and that are meant to be on the disk.
  public var unkeptEntryCount: Int { delivery.unkeptEntryCount }

  /// Whether hours are imported into Home Assistant's statistics.
  public var importsStatistics: Bool { statistics != nil }

  /// The hours that Home Assistant's statistics lack.
  public var waitingHours: WaitingHours { statistics?.waiting ?? WaitingHours() }

  /// What hinders their import; nil where nothing does.
  public var statisticsProblem: StatisticsImport.Problem? { statistics?.problem }

  /// Why the last attempt to register failed; nil where there is a registration.
  public var registrationProblem: Enrollment.Problem? { registrar.problem }

  /// What became of what was read, since the start.
  public var counts: Counts {
    var counts = tally
    counts.lost = delivery.history.spool.losses.entryCount
    return counts
  }

  /// For a run that ends by itself: whether Home Assistant has what was read, or will not have more
  /// of it by `end`. An attempt that fails is the last one.
  public func isDone(by end: Instant) -> Bool {
    guard now < end else { return true }
    guard case .proven = outcome else { return outcome != nil }
    guard delivery.isIdle, statistics?.isAtWork != true else { return false }
    return delivery.history.entryCount == 0 || (delivery.deadline ?? end) >= end
  }
}

extension Routes {
  init(_ settings: Uplink.Settings, _ memory: Uplink.Memory, seed: UInt64, now: Instant) {
    self.init(
      instance: settings.server.url, home: settings.server.home?.url,
      cloudhook: memory.registration?.cloudhookURL?.bytes,
      remoteUI: memory.registration?.remoteUIURL?.bytes, presence: .unknown,
      isPlainAllowedAway: settings.server.isPlainAllowedAway, seed: seed, now: now)
  }
}

extension Uplink.Memory {
  var protection: Delivery.Protection {
    guard registration?.isPlain == true else { return .sealed }
    return isKeyless ? .plainForGood : .plain
  }
}

extension Uplink.Action {
  init(_ action: StatisticsUplink.Action) {
    switch action {
    case .keep: self = .keepHours
    case .ask(let request): self = .ask(request)
    case .tell(let event): self = .tell(.statistics(event))
    case .tellNotKept(let failure): self = .tell(.hoursNotKept(failure))
    }
  }
}

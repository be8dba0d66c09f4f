public import Bytes
public import HomeAssistant
public import Sensing

// Queries for status displays.

extension Uplink {
  public var presence: HomeNetworks.Presence { home.presence }
  public var place: NetworkPlace { home.place }
  /// Whether the configuration says which networks are home.
  public var knowsHome: Bool { settings.server.home != nil }
  public var nextCycleAt: Instant { plan.nextCycleAt }
  /// Time of the next upload without an urgent change; nil if each cycle ends with one.
  public var nextUploadAt: Instant? { plan.nextUploadAt }

  /// Interval between two reports of a board that is switched off in between, by a command, the
  /// configuration and the power policy: an upload contains the readings of one run.
  public var reportInterval: Duration {
    if let every = plan.commandedEvery { return every }
    let intervals = settings.usualIntervals(for: power.effect)
    return intervals.uploadEvery ?? intervals.every
  }

  /// Whether an enrollment is in progress.
  public var isRegistering: Bool { login.isEnrolling }

  /// Time of the next attempt to register, or to deliver in an outage.
  public var nextAttemptAt: Instant? {
    login.isEnrolling ? login.deadline : delivery.nextAttemptAt
  }

  /// Whether all data of the registration is stored.
  public var hasKeptRegistration: Bool { keeper.isEmpty }

  /// Number of readings and fixes that should be on the disk but are only in memory.
  public var unkeptEntryCount: Int { delivery.history.spool.unkeptEntryCount }

  /// Whether hours are imported into Home Assistant's statistics.
  public var importsStatistics: Bool { statistics != nil }

  /// Hours that Home Assistant's statistics lack.
  public var waitingHours: WaitingHours { statistics?.waiting ?? WaitingHours() }

  public var statisticsProblem: StatisticsImport.Problem? { statistics?.problem }

  /// Time of the push relay's last answer, nil before the first, and the problem of the last
  /// request, nil after a success. Nil without a push relay.
  public var pushStatus: (answeredAt: Instant?, problem: PushFetch.Problem?)? {
    push?.status
  }

  /// Problem of the last attempt to register; nil with a registration.
  public var registrationProblem: Enrollment.Problem? { login.problem }

  /// Counts of readings and messages since the start.
  public var counts: Counts {
    var counts = tally
    counts.lost = delivery.history.spool.losses.entryCount
    return counts
  }

  /// Whether a limited run is complete: Home Assistant has all readings, or will not have more of
  /// them by `end`. A failed attempt is the last one, unless it may lead to a new registration.
  public func isDone(by end: Instant) -> Bool {
    guard now < end else { return true }
    switch outcome {
    case nil: return false
    case .proven?: break
    case .outage?: return !mayRegisterAgain || !delivery.outage.isDoubtDue(before: end)
    default: return true
    }
    guard delivery.isIdle, statistics?.isAtWork != true, push?.isAtWork != true,
      commands.waitingCount == 0, !delivery.hasUrgentNews
    else { return false }
    return delivery.history.entryCount == 0 || (delivery.deadline ?? end) >= end
  }
}

extension Uplink.Memory {
  var protection: Delivery.Protection {
    guard registration?.isPlain == true else { return .sealed }
    return isKeyless ? .plainForGood : .plain
  }
}

extension Uplink {
  /// Counts of readings and messages since the start.
  public struct Counts: Equatable, Sendable {
    /// Values and fixes that Home Assistant is proven to have.
    public var readings = 0
    public var locations = 0
    /// Number of values and sensors that Home Assistant refused.
    public var refused = 0
    /// Number of values and fixes that newer ones replaced before they were delivered.
    public var superseded = 0
    /// Number of readings and fixes sent as history.
    public var history = 0
    /// Number of readings and fixes that the spool lost.
    public var lost = 0
    /// Messages with and without a key.
    public var sealed = 0
    public var plain = 0
    /// Cycles that ended with a proof, and outages that began or got a new cause.
    public var proven = 0
    public var unproven = 0

    mutating func happened(_ event: DeliveryEvent) {
      switch event {
      case .proven(let readings, let hasLocation):
        proven += 1
        self.readings += readings
        locations += hasLocation ? 1 : 0
      case .sensorRefused, .readingRefused: refused += 1
      case .superseded(let replaced), .recovered(_, let replaced):
        superseded += replaced.readings + replaced.fixes
      case .historyProven(let entries): history += entries
      case .outage: unproven += 1
      default: break
      }
    }
  }

  /// Result of an attempt to deliver.
  public enum Outcome: Equatable, Sendable {
    case proven
    case outage(OutageCause)
    case notRegistered(Enrollment.Problem)
    /// The state directory cannot be used; another event has the cause.
    case postponed
  }
}

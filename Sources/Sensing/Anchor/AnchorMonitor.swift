public import Bytes

/// The anchor watch of a board: it is set and cleared, stores the place of the anchor, and detects
/// whether the boat is still there.
///
/// A GPIO line sets it when it becomes active and clears it when it becomes inactive; a command
/// does either at any time, and the last event counts. A lost line changes nothing: the watch
/// continues. If the line changed meanwhile, or while the agent did not run, it sets a watch if
/// there is none, and clears one that it has set. The level is stored, so that an unchanged line
/// does nothing: a watch that a command cleared remains cleared.
///
/// A set watch gets its place from the next reliable fix. Fixes that a boat cannot have reached are
/// rejected (`JumpFilter`), and fixes whose error is too large are ignored. Without a fix for long
/// the state is unknown, which is neither inside nor outside.
public struct AnchorMonitor {
  public enum State: Sendable {
    /// No watch is set.
    case unset
    /// The watch is set, and gets its place from the next reliable fix.
    case awaitingPlace
    case inside
    case outside
    /// There is no reliable fix, since the start or for long.
    case unknown
  }

  /// Status of the watch, without a position.
  public struct Status: Equatable, Sendable {
    public let state: State
    /// Origin of the watch; nil if it is not set.
    public let setter: KeptAnchor.Setter?
    /// Largest distance of the boat from the anchor.
    public let radiusMeters: Double
    /// Distance at the last fix; nil without one.
    public let distanceMeters: Double?
    /// Whether a GPIO line sets the watch; otherwise only commands do.
    public let hasLine: Bool
  }

  /// Largest error of a fix that counts, unless twice the radius is more.
  public static let errorMetersMax = 100.0
  /// Largest error of the fix that places the anchor, unless half the radius is more: a wrong place
  /// would cause an alarm, or hide one, for as long as the watch is set.
  public static let placeErrorMetersMax = 25.0
  /// Time for which the last fix counts, or three cycles if they are longer.
  public static let fixLifetime: Duration = .seconds(300)

  private let radiusMeters: Double
  private let hasLine: Bool
  private var fixLifetime: Duration
  private var anchor = KeptAnchor()
  private var watch: AnchorWatch?
  private var jumps = JumpFilter()
  /// Whether the line can be read, so that a change is detected.
  private var isLineSeen = false
  /// Time of the last reliable fix, or of the start of the wait for one.
  private var trustedAt: Instant
  public private(set) var state = State.unset
  /// Whether the state differs from the stored one.
  public private(set) var isToBeKept = false
  /// Whether a command or a change of the line came: the state of an earlier run then no longer
  /// counts.
  public private(set) var isDecided = false

  public init(radiusMeters: Double, hasLine: Bool = true, cycle: Duration, now: Instant) {
    self.radiusMeters = radiusMeters
    self.hasLine = hasLine
    fixLifetime = max(Self.fixLifetime, cycle + cycle + cycle)
    trustedAt = now
  }

  public var status: Status {
    Status(
      state: state, setter: anchor.setter, radiusMeters: radiusMeters,
      distanceMeters: watch?.distanceMeters, hasLine: hasLine)
  }

  // MARK: State that outlives a restart

  /// Returns the state to store.
  public mutating func takeKept() -> KeptAnchor {
    isToBeKept = false
    return anchor
  }

  /// Records that the state could not be stored, or that the file differs.
  public mutating func keepingFailed() { isToBeKept = true }

  /// Restores the state of an earlier run, which counts until a command or the line decides. A boat
  /// that was outside remains so until a fix contradicts; one that was inside may have drifted.
  public mutating func restored(_ kept: KeptAnchor, now: Instant) {
    guard !isDecided else { return }
    let level: Level? = isLineSeen ? (anchor.isLineActive ? .active : .inactive) : nil
    isLineSeen = false
    take(kept, now: now)
    if let level { lineSettled(level) }
  }

  private mutating func take(_ kept: KeptAnchor, now: Instant) {
    anchor = kept
    (watch, state, isToBeKept) = (nil, .unset, false)
    trustedAt = now
    guard kept.setter != nil else { return }
    guard let place = kept.place else {
      state = .awaitingPlace
      return
    }
    watch = AnchorWatch(
      anchor: place.point, radiusMeters: radiusMeters, isOutside: kept.isOutside)
    state = kept.isOutside ? .outside : .unknown
  }

  // MARK: Setting and clearing

  /// Sets the watch: the next reliable fix places the anchor.
  public mutating func set(by setter: KeptAnchor.Setter) {
    isDecided = true
    if setter == .line { anchor.isLineActive = true }
    begin(by: setter)
  }

  /// Clears the watch: the anchor is up.
  public mutating func clear() {
    isDecided = true
    if anchor.setter != nil { begin(by: nil) }
  }

  private mutating func begin(by setter: KeptAnchor.Setter?) {
    let isLineActive = anchor.isLineActive
    anchor = KeptAnchor()
    (anchor.setter, anchor.isLineActive) = (setter, isLineActive)
    watch = nil
    state = setter == nil ? .unset : .awaitingPlace
    isToBeKept = true
  }

  /// Records a level of the line that has passed its debounce window.
  public mutating func lineSettled(_ level: Level) {
    let wasSeen = isLineSeen
    isLineSeen = true
    let isActive = level == .active
    guard isActive != anchor.isLineActive else { return }
    anchor.isLineActive = isActive
    isToBeKept = true
    if wasSeen { isDecided = true }
    if isActive {
      if wasSeen || anchor.setter == nil { begin(by: .line) }
    } else if wasSeen || anchor.setter == .line {
      begin(by: nil)
    }
  }

  /// Records that the line cannot be read: the watch continues unchanged.
  public mutating func lineLost() { isLineSeen = false }

  // MARK: Position of the boat

  /// Changes the time between two cycles.
  public mutating func cycleChanged(to cycle: Duration) {
    fixLifetime = max(Self.fixLifetime, cycle + cycle + cycle)
  }

  /// Starts a cycle: a fix that is too old no longer counts.
  public mutating func cycleDue(now: Instant) {
    switch state {
    case .inside, .outside: if now - trustedAt > fixLifetime { state = .unknown }
    case .unset, .awaitingPlace, .unknown: break
    }
  }

  /// Records a fix of the receiver.
  public mutating func fixReported(_ fix: Fix) {
    let sighting = TrackSighting(fix)
    guard sighting.errorMeters <= max(Self.errorMetersMax, radiusMeters * 2) else { return }
    if case .refused = jumps.judge(sighting) { return }
    guard anchor.setter != nil else { return }
    trustedAt = fix.notBefore
    guard watch != nil else { return place(at: fix) }
    if let isOutside = watch?.fixReported(fix) {
      anchor.isOutside = isOutside
      isToBeKept = true
    }
    // If the place was unknown and the boat may be outside, the next fixes decide.
    let distance = watch?.distanceMeters ?? .infinity
    if state == .unknown, !anchor.isOutside, !(distance <= radiusMeters) { return }
    state = anchor.isOutside ? .outside : .inside
  }

  private mutating func place(at fix: Fix) {
    guard (fix.horizontalErrorMeters ?? 0) <= max(Self.placeErrorMetersMax, radiusMeters / 2)
    else { return }
    guard let place = KeptAnchor.Place(fix) else { return }
    anchor.place = place
    watch = AnchorWatch(anchor: place.point, radiusMeters: radiusMeters)
    _ = watch?.fixReported(fix)
    state = .inside
    isToBeKept = true
  }
}

/// Detects whether an anchored boat leaves its circle.
///
/// A fix that is outside beyond its error counts after a second one; one that is only likely to be
/// outside, after three in a row. Receivers wander, and people switch off an alarm that is false at
/// night. The same applies to the return, so that a boat at the edge causes one alarm.
public struct AnchorWatch: Equatable, Sendable {
  /// Number of fixes in a row that are outside, or inside, beyond their errors.
  public static let certainMax = 2
  /// Number of fixes in a row that are likely to be outside, or inside.
  public static let likelyMax = 3
  /// Part of the radius within which a boat counts as inside again.
  public static let returnFactor = 0.9

  /// Place of the anchor.
  public let anchor: EarthPoint
  /// Largest distance of the boat: chain, boat, and the offset of the receiver.
  public let radiusMeters: Double
  public private(set) var isOutside = false
  /// Distance at the last fix, in metres; nil before the first one.
  public private(set) var distanceMeters: Double?
  private var certainCount = 0
  private var likelyCount = 0
  private var judgedAt: Instant?

  /// `isOutside` is the state from an earlier run of the agent.
  public init(anchor: EarthPoint, radiusMeters: Double, isOutside: Bool = false) {
    self.anchor = anchor
    self.radiusMeters = radiusMeters
    self.isOutside = isOutside
  }

  /// Records a fix. Returns whether the boat is outside, if that has changed.
  public mutating func fixReported(_ fix: Fix) -> Bool? {
    let sighting = TrackSighting(fix)
    if let judgedAt, sighting.instant <= judgedAt { return nil }
    judgedAt = sighting.instant
    let distance = anchor.distanceMeters(to: sighting.point)
    distanceMeters = distance
    let error = sighting.errorMeters
    let isCertain =
      isOutside ? distance + error <= radiusMeters : distance - error > radiusMeters
    let isLikely =
      isOutside ? distance <= radiusMeters * Self.returnFactor : distance > radiusMeters
    certainCount = isCertain ? certainCount + 1 : 0
    likelyCount = isLikely ? likelyCount + 1 : 0
    guard certainCount >= Self.certainMax || likelyCount >= Self.likelyMax else { return nil }
    isOutside.toggle()
    (certainCount, likelyCount) = (0, 0)
    return isOutside
  }
}

public import Bytes

/// The anchor watch of a board: who sets it and clears it, where the anchor is, and whether the
/// boat is still there.
///
/// A GPIO line sets it where it becomes active and clears it where it becomes inactive; a command
/// does either at any time, and the last one counts. A line that is lost changes nothing: the boat
/// is watched on. Where it was turned meanwhile, or while the agent did not run, it sets a watch
/// where there is none, and clears one that it has set. Its level is kept, so that a line that was
/// not turned does nothing: what a command cleared stays so.
///
/// A set watch gets its place from the next fix that can be trusted. Fixes that a boat cannot have
/// reached are left out (`JumpFilter`), and so are those whose error is too large to say anything.
/// Without a fix for long the boat's place is unknown, which is neither inside nor outside.
public struct AnchorMonitor {
  public enum State: Sendable {
    /// No watch is set.
    case unset
    /// It is set, and the anchor gets its place from the next fix that can be trusted.
    case awaitingPlace
    case inside
    case outside
    /// There is no fix that can be trusted, since the start or for long.
    case unknown
  }

  /// How the watch is. It holds no position.
  public struct Status: Equatable, Sendable {
    public let state: State
    /// Who set it; nil where it is not set.
    public let setter: KeptAnchor.Setter?
    /// How far the boat may be from the anchor.
    public let radiusMeters: Double
    /// How far it was by the last fix; nil where there was none.
    public let distanceMeters: Double?
    /// Whether there is a line that sets it; without one only commands do.
    public let hasLine: Bool
  }

  /// A fix with a larger error says nothing, unless twice the radius is more.
  public static let errorMetersMax = 100.0
  /// The anchor gets its place from no fix with a larger error, unless half the radius is more: a
  /// wrong place would raise an alarm, or hide one, for as long as the watch is set.
  public static let placeErrorMetersMax = 25.0
  /// So long, or three cycles where they are longer, the last fix counts.
  public static let fixLifetime: Duration = .seconds(300)

  private let radiusMeters: Double
  private let hasLine: Bool
  private var fixLifetime: Duration
  private var anchor = KeptAnchor()
  private var watch: AnchorWatch?
  private var jumps = JumpFilter()
  /// Whether the line can be read: when it turns, that is seen.
  private var isLineSeen = false
  /// When the last fix was that can be trusted, or the agent began to wait for one.
  private var trustedAt: Instant
  public private(set) var state = State.unset
  /// Whether `kept` is another one than when it was kept last.
  public private(set) var isToBeKept = false
  /// Whether a command came, or the line was seen to turn: what an earlier run kept is over then.
  public private(set) var isDecided = false

  /// - Parameters:
  ///   - radiusMeters: how far the boat may be from its anchor, above 0.
  ///   - hasLine: whether there is a line that sets the watch.
  ///   - cycle: how far apart the cycles are.
  ///   - now: the present.
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

  // MARK: What outlives a restart

  /// What the file is to hold.
  public mutating func takeKept() -> KeptAnchor {
    isToBeKept = false
    return anchor
  }

  /// It could not be kept, or the file says another thing.
  public mutating func keepingFailed() { isToBeKept = true }

  /// An earlier run kept this, which counts until something is decided. A boat that was outside is
  /// so until a fix says another thing; one that was inside may have drifted.
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

  // MARK: Who sets it

  /// The anchor is where the boat will be by the next fix that can be trusted.
  public mutating func set(by setter: KeptAnchor.Setter) {
    isDecided = true
    if setter == .line { anchor.isLineActive = true }
    begin(by: setter)
  }

  /// The anchor is up.
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

  /// The line has this level, for as long as its debounce window wants.
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

  /// The line cannot be read: the watch goes on as it is.
  public mutating func lineLost() { isLineSeen = false }

  // MARK: Where the boat is

  /// From now on cycles are so far apart.
  public mutating func cycleChanged(to cycle: Duration) {
    fixLifetime = max(Self.fixLifetime, cycle + cycle + cycle)
  }

  /// A cycle begins: a fix that is too old does not count any more.
  public mutating func cycleDue(now: Instant) {
    switch state {
    case .inside, .outside: if now - trustedAt > fixLifetime { state = .unknown }
    case .unset, .awaitingPlace, .unknown: break
    }
  }

  /// The receiver says where the boat is.
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
    // Of a boat whose place was unknown, and that may be outside, the next fixes tell.
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

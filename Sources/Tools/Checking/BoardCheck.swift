import Board
import Bytes
import Drivers
import LinuxIO
import Outbox
import Sensing

/// Check of the board itself: its clock, its disk and its supply may keep it from reporting.
struct BoardCheck {
  let configuration: Configuration
  /// Whether the service cannot see whether the kernel's clock is right.
  var isClockHidden = false

  func run(_ tell: (Finding) -> Void) {
    tell(
      Self.clock(
        isSynchronized: isClockSynchronized, isTimesyncd: Self.isTimesyncdAtWork,
        now: Moment.now.wallTime, hasReceiver: configuration.location != nil,
        isHidden: isClockHidden))
    if let finding = disk() { tell(finding) }
    if let finding = PowerStatus(sys: Path(configuration.host.sys)).finding { tell(finding) }
  }

  // MARK: The clock

  private static var isTimesyncdAtWork: Bool {
    (try? byteCount(ofFileAt: Path("/run/systemd/timesync/synchronized"))) != nil
  }

  /// Start of 2025: no board with this program has an earlier correct time.
  private static let leastTime = WallTime(nanoseconds: 1_735_689_600_000_000_000)

  /// Returns the state of the clock and what sets it. An unset clock with a plausible time is not a
  /// problem: many boards keep time, or get it from fixes.
  static func clock(
    isSynchronized: Bool, isTimesyncd: Bool, now: WallTime, hasReceiver: Bool,
    isHidden: Bool = false
  ) -> Finding {
    let time: MessageText = "\(localTime: now)"
    if isSynchronized, isHidden, !isTimesyncd, !hasReceiver, now >= leastTime {
      return .note(
        "clock",
        "\(time), correct; the service cannot detect that, and does not send history until it can",
        remedy: "add ProtectClock=no and SystemCallFilter=adjtimex clock_adjtime clock_adjtime64 to"
          + " the service (sudo systemctl edit homeward), or use systemd-timesyncd")
    }
    if isSynchronized, now >= leastTime {
      let setter: StaticString =
        isTimesyncd ? "set by systemd-timesyncd" : "set by NTP or another clock"
      return .well("clock", "\(time), correct: \(setter)")
    }
    let remedy: MessageText = "sudo timedatectl set-ntp true, on a network that allows NTP"
    if now < leastTime {
      return .wrong(
        "clock", "wrong", .board, .temporaryFailure,
        "\(time) is wrong: TLS fails, and history is not sent until the clock is correct",
        remedy: remedy)
    }
    let other: StaticString =
      hasReceiver ? "; two GPS fixes that agree correct it, too" : ""
    return .note(
      "clock", "\(time); the kernel does not know whether this is correct\(other)", remedy: remedy)
  }

  /// Longer than an answer takes, and long enough to make the times of history wrong.
  private static let clockDifferenceMax: Duration = .seconds(120)

  /// Compares this clock with the `Date` of an answer of Home Assistant; nil if they agree.
  static func clock(
    comparedTo server: WallTime?, at now: Moment, isSynchronized: Bool = isClockSynchronized
  ) -> Finding? {
    guard let server else { return nil }
    let ahead = now.wallTime - server
    let isAhead = ahead >= .zero
    let difference = isAhead ? ahead : .zero - ahead
    guard difference > clockDifferenceMax else { return nil }
    let side: StaticString = isAhead ? "ahead of" : "behind"
    return .wrong(
      "clock", "differs", isSynchronized ? .homeAssistant : .board, .temporaryFailure,
      "This board's clock is \(wholeSeconds: difference) \(side) Home Assistant's, which shows"
        + " \(localTime: server)",
      remedy: isSynchronized
        ? "this board's clock is synchronized: set the clock of Home Assistant's machine"
        : "sudo timedatectl set-ntp true, on a network that allows NTP")
  }

  // MARK: The disk

  private func disk() -> Finding? {
    let directory = Path(configuration.stateDirectory)
    let place = mountPoint(holding: directory)
    let known = (try? FileSystemSpace(holding: directory)) ?? (try? FileSystemSpace(holding: place))
    guard let space = known else { return nil }
    var wanted = UInt64(configuration.history.diskMegabytes) << 20
    if configuration.durability == .memory { wanted = 0 }
    let history = Self.filesByteCount(of: directory / StateDirectory.spoolName)
    return Self.disk(
      free: space.availableBytes, isReadOnly: space.isReadOnly, at: place, of: directory,
      wanted: wanted > history ? wanted - history : 0,
      writing: StateDirectory(directory).writingError)
  }

  /// Returns the state of the disk: `bytes` are free, history may still take `wanted`, and
  /// `writing` is the reason why a file cannot be written.
  static func disk(
    free bytes: UInt64, isReadOnly: Bool, at place: Path, of directory: Path, wanted: UInt64,
    writing: Errno?
  ) -> Finding {
    let free: MessageText = "\(Int(clamping: bytes >> 20)) MiB free on \(place)"
    if isReadOnly {
      return .wrong(
        "disk", "read_only", .board, .noInput,
        "\(place) is read-only, which often means a failing card; \(directory) cannot be written",
        remedy:
          "sudo dmesg shows the cause; to make it writable: sudo mount -o remount,rw"
          + " \(typed: place). Replace a failing card")
    }
    if let writing, writing != .notPermitted {
      return .wrong(
        "disk", "not_writable", .board, .noInput, "\(directory) cannot be written: \(writing)",
        remedy: "free space there (sudo apt clean), or set another state_directory")
    }
    guard bytes >= StateDirectory.leastFreeBytes else {
      return .wrong(
        "disk", "full", .board, .noInput, free, remedy: "free space there: sudo apt clean")
    }
    guard bytes < wanted else { return .well("disk", free) }
    return .note(
      "disk", "\(free); history can need \(Int(clamping: wanted >> 20)) MiB more",
      remedy: "free space there (sudo apt clean), or set a smaller history.disk_megabytes")
  }

  private static func filesByteCount(of folder: Path) -> UInt64 {
    var sum: UInt64 = 0
    // A folder that is missing, or for other users only, counts as empty.
    try? DirectoryReader(opening: folder).forEachName { name in
      let count = try? byteCount(ofFileAt: folder / [UInt8](name))
      sum &+= UInt64(clamping: count ?? 0)
    }
    return sum
  }
}

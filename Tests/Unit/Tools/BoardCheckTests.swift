import Bytes
import Foundation
import LinuxIO
import Testing

@testable import Board
@testable import Tools

/// A finding as a person reads it: `WRONG subject cause: text; remedy`.
func row(_ finding: Finding?) -> String {
  guard let finding else { return "nothing" }
  let remedy = text(finding.remedy?.bytes ?? [])
  let verdict = finding.problem.map { "WRONG \(finding.subject) \($0.cause) \($0.code.rawValue)" }
  return "\(verdict ?? "\(finding.subject)"): \(text(finding.text.bytes)); \(remedy)"
}

/// What `homeward check` says of the board itself.
@Suite struct BoardCheckTests {
  // MARK: The clock

  struct SetClock {
    var isSynchronized = true
    var isTimesyncd = false
    var hasReceiver = false
    var isHidden = false
    var seconds: Int64 = 1_800_000_000

    var told: String {
      row(
        BoardCheck.clock(
          isSynchronized: isSynchronized, isTimesyncd: isTimesyncd,
          now: WallTime(nanoseconds: seconds * 1_000_000_000), hasReceiver: hasReceiver,
          isHidden: isHidden))
    }
  }

  @Test(
    arguments: [
      (SetClock(isTimesyncd: true), "clock: 2027-01-1", ", correct: set by systemd-timesyncd; "),
      (SetClock(), "clock: 2027-01-1", ", correct: set by NTP or another clock; "),
      (
        SetClock(isSynchronized: false), "clock: 2027-01-1",
        "the kernel does not know whether this is correct; sudo timedatectl"
      ),
      (
        SetClock(isSynchronized: false, hasReceiver: true), "clock: ",
        "; two GPS fixes that agree correct it, too; "
      ),
      (SetClock(isSynchronized: false, seconds: 1_735_689_600), "clock: ", "does not know"),
      (
        SetClock(isSynchronized: false, seconds: 1_735_689_599), "WRONG clock wrong 75: ",
        " is wrong"
      ),
      (SetClock(seconds: 1_735_689_599), "WRONG clock wrong 75: ", " is wrong: TLS fails"),
      (SetClock(isHidden: true), "clock: ", "add ProtectClock=no and"),
      // With 32 bits, glibc's adjtimex(3) is this call, and falls back on no refusal.
      (SetClock(isHidden: true), "clock: ", " clock_adjtime clock_adjtime64 to the service"),
      (
        SetClock(isTimesyncd: true, isHidden: true), "clock: ",
        ", correct: set by systemd-timesyncd; "
      ),
      (SetClock(hasReceiver: true, isHidden: true), "clock: ", ", correct: set by NTP or another"),
    ] as [(SetClock, String, String)])
  func theClockIsToldWithWhatSetsIt(clock: SetClock, start: String, part: String) {
    #expect(clock.told.hasPrefix(start) && clock.told.contains(part), "\(clock.told)")
  }

  @Test(
    arguments: [
      (0, true, "nothing"), (119, true, "nothing"), (-120, false, "nothing"),
      (
        -172_800, false,
        "WRONG clock differs 75: This board's clock is 2 d behind Home Assistant's, which shows"
          + " 2027-01-1"
      ),
      (
        172_800, true,
        "WRONG clock differs 75: This board's clock is 2 d ahead of Home Assistant's, which shows"
          + " 2027-01-1"
      ),
    ] as [(Int64, Bool, String)])
  func aClockIsHeldAgainstThatOfHomeAssistant(
    seconds: Int64, isSynchronized: Bool, words: String
  ) {
    let server = WallTime(nanoseconds: 1_800_000_000_000_000_000)
    let finding = BoardCheck.clock(
      comparedTo: server,
      at: Moment(instant: Instant(nanoseconds: 0), wallTime: server + .seconds(seconds)),
      isSynchronized: isSynchronized)
    #expect(row(finding).hasPrefix(words), "\(row(finding))")
    guard let problem = finding?.problem else { return }
    #expect(problem.culprit.code.description == (isSynchronized ? "home_assistant" : "board"))
  }

  @Test func aServerWithoutATimeSaysNothingOfTheClock() {
    #expect(BoardCheck.clock(comparedTo: nil, at: .now) == nil)
  }

  // MARK: The disk

  private func disk(
    megabytes: UInt64 = 100, isReadOnly: Bool = false, wanted: UInt64 = 64, _ writing: Errno? = nil,
    at place: Path = Path("/data")
  ) -> String {
    row(
      BoardCheck.disk(
        free: megabytes << 20, isReadOnly: isReadOnly, at: place, of: Path("/data/state"),
        wanted: wanted << 20, writing: writing))
  }

  @Test func aDiskWithRoomIsWellAndNamesItsPlace() {
    #expect(disk() == "disk: 100 MiB free on /data; ")
    #expect(disk(megabytes: 64).hasPrefix("disk: "))
    #expect(disk(.notPermitted).hasPrefix("disk: "), "whoever checks is not who writes")
  }

  @Test func aCardThatTurnedReadOnlyNamesItsPlaceAndWhatToDo() {
    let row = disk(isReadOnly: true, .fileExists)
    #expect(row.hasPrefix("WRONG disk read_only 66: /data is read-only"), "\(row)")
    #expect(row.contains("to make it writable: sudo mount -o remount,rw /data."))
  }

  /// What a person copies is one word to the shell, and nothing else is done by it.
  @Test(arguments: [
    ("/mnt/my card", "'/mnt/my card'"), ("/mnt/it's; rm x", #"'/mnt/it'\''s; rm x'"#),
    ("/mnt/$HOME", "'/mnt/$HOME'"), ("/mnt/Übung_1.2", "/mnt/Übung_1.2"),
  ])
  func aPathIsTypedAsOneWord(_ path: String, _ word: String) {
    let row = disk(isReadOnly: true, at: Path([UInt8](path.utf8)))
    #expect(row.contains("sudo mount -o remount,rw \(word). Replace"), "\(row)")
  }

  @Test func aDiskWithoutRoomForHistoryIsToldBeforeItIsFull() {
    #expect(
      disk(megabytes: 63).hasPrefix(
        "disk: 63 MiB free on /data; history can need 64 MiB more; free space"))
    #expect(disk(megabytes: 3, wanted: 0).hasPrefix("WRONG disk full 66: 3 MiB free on /data; "))
    #expect(disk(megabytes: 4, wanted: 0).hasPrefix("disk: "))
    #expect(disk(.fileExists).hasPrefix("WRONG disk not_writable 66: /data/state cannot be"))
  }

  private func findings(of configuration: Configuration) -> [Finding] {
    var all: [Finding] = []
    BoardCheck(configuration: configuration).run { all.append($0) }
    return all
  }

  @Test func theDiskOfTheStateDirectoryIsLookedAtAndNothingIsMade() throws {
    let board = FakeBoard()
    let state = board.folder.appending(path: "state")
    func disk(_ more: String = "") throws -> String {
      let configuration = try board.configuration("state_directory: \(state.path)\n\(more)")
      return row(findings(of: configuration).first { "\($0.subject)" == "disk" })
    }
    #expect(try disk().hasPrefix("disk: "))
    #expect(!FileManager.default.fileExists(atPath: state.path))
    // A link to nowhere in the place of a directory.
    try board.write("", to: "state")
    #expect(try disk().hasPrefix("WRONG disk not_writable 66: "))
  }

  // MARK: The supply

  private func power(_ bits: String?, alarm: String? = nil, soc: String = "soc") throws -> String {
    let board = FakeBoard()
    let firmware = "devices/platform/\(soc)/\(soc):firmware"
    if let bits { try board.write("\(bits)\n", to: "\(firmware)/get_throttled") }
    if let alarm {
      try board.write("rpi_volt\n", to: "class/hwmon/hwmon3/name")
      try board.write("\(alarm)\n", to: "class/hwmon/hwmon3/in0_lcrit_alarm")
      try board.write("other\n", to: "class/hwmon/hwmon4/name")
      try board.write("1\n", to: "class/hwmon/hwmon4/in0_lcrit_alarm")
    }
    return row(PowerStatus(sys: board.root).finding)
  }

  @Test func aBoardThatDoesNotTellItsVoltageSaysNothing() throws {
    #expect(try power(nil) == "nothing")
    #expect(try power("what") == "nothing")
    #expect(try power("100000000") == "nothing")
  }

  @Test(arguments: [
    ("0", "power: The supply voltage is good; "),
    ("8", "power: The supply voltage is good; "),
    ("40000", "power: The supply voltage is good; the processor was throttled by heat earlier; "),
    ("1", "WRONG power undervoltage 71: The supply voltage is too low now; "),
    ("50005", "WRONG power undervoltage 71: "),
    (
      "50000",
      "power: The supply voltage has been too low at least once since the last start; this"
        + " damages SD cards; use"
    ),
    ("10000", "power: The supply voltage has been too low at least once"),
    ("4", "power: The processor is throttled: it is too hot; improve its airflow"),
    ("e0008", "power: "),
  ])
  func theBitsOfTheFirmwareAreTold(bits: String, start: String) throws {
    for soc in ["soc", "soc@107c000000"] {
      let row = try power(bits, soc: soc)
      #expect(row.hasPrefix(start), "\(row)")
    }
  }

  /// A kernel with the monitor complains of who reads the bits.
  @Test func theBitsAreNotReadWhereThereIsAMonitor() throws {
    #expect(try power(nil, alarm: "0") == "power: The supply voltage is good; ")
    #expect(try power(nil, alarm: "1").hasPrefix("WRONG power undervoltage 71: "))
    #expect(try power("1", alarm: "0") == "power: The supply voltage is good; ")
  }
}

/// What `homeward check` says of the service.
@Suite struct ServiceStateTests {
  private static let unit = "homeward.service is "

  /// States of the unit as systemd names them: loaded, active, sub, unit file, restarts.
  @Test(
    arguments: [
      ("loaded active running enabled 0", "service: \(unit)active (running), and enabled; "),
      (
        "loaded active running enabled 3",
        "service: \(unit)active (running), and enabled; it was restarted 3 times: sudo journalctl"
          + " -u homeward shows why; "
      ),
      (
        "loaded inactive dead enabled",
        "WRONG service not_running 69: \(unit)inactive (dead); sudo systemctl restart homeward;"
          + " sudo journalctl -u homeward shows why it stopped"
      ),
      (
        "loaded activating auto-restart enabled 7",
        "WRONG service starting 69: \(unit)activating (auto-restart), and was restarted 7 times;"
          + " sudo journalctl -u homeward shows why it stops"
      ),
      (
        "loaded active running disabled",
        "service: \(unit)active (running), but disabled: it does not start with the board; sudo"
          + " systemctl enable homeward"
      ),
      ("loaded active running static", "service: \(unit)active (running), and enabled; "),
      (
        "loaded activating start enabled",
        "service: \(unit)activating (start); check again in a moment"
      ),
      ("loaded reloading reload enabled", "service: \(unit)reloading (reload), and enabled; "),
      ("not-found inactive", "nothing"), ("", "nothing"),
    ] as [(String, String)])
  func aServiceIsToldWithWhatToDo(states: String, told: String) {
    let names = ["LoadState", "ActiveState", "SubState", "UnitFileState", "NRestarts"]
    let shown = zip(names, states.split(separator: " ")).map { "\($0)=\($1)" }
    #expect(row(ServiceState(shown: [UInt8](shown.joined(separator: "\n").utf8)).finding) == told)
  }

  /// While another test starts a program, that one may hold the new file open: then the kernel does
  /// not run it (ETXTBSY).
  private func asked(below root: Path) -> ServiceState? {
    for _ in 0..<1000 {
      if let state = ServiceState.ask(below: root) { return state }
      sched_yield()
    }
    return nil
  }

  @Test func systemdIsAskedWhereItIsAtWork() throws {
    let board = FakeBoard()
    try board.write(
      """
      #!/bin/sh
      echo complaint >&2
      echo LoadState=loaded; echo "ActiveState=$1 $2"; echo User=boat; echo "SubState=$#"
      """, to: "usr/bin/systemctl")
    #expect(ServiceState.ask(below: board.root) == nil)
    try board.write("", to: "run/systemd/system/x")
    #expect(ServiceState.ask(below: board.root) == nil, "it cannot be run")
    try board.setMode(0o755, of: "usr/bin/systemctl")
    let state = try #require(asked(below: board.root))
    #expect(text(state.active) == "show homeward.service")
    #expect(text(state.sub) == "3")
    #expect(text(state.user) == "boat")
    try board.write("#!/bin/sh\necho LoadState=loaded; exit 1\n", to: "usr/bin/systemctl")
    try board.setMode(0o755, of: "usr/bin/systemctl")
    #expect(ServiceState.ask(below: board.root) == nil)
  }

  @Test func aLongAnswerIsCutAndTheProgramEnds() throws {
    let board = FakeBoard()
    try board.write("", to: "run/systemd/system/x")
    try board.write(
      "#!/bin/sh\necho LoadState=loaded\nhead -c 300000 /dev/zero\n", to: "usr/bin/systemctl")
    try board.setMode(0o755, of: "usr/bin/systemctl")
    #expect(asked(below: board.root)?.isLoaded == true)
  }
}

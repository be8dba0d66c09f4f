import Board
import Bytes
import CLinux
import Drivers
import LinuxIO
import Outbox
import YAML

/// Text that a person can attach to a bug report: what `homeward check` found, and the facts that a
/// maintainer would ask for. Names, addresses, positions, serial numbers and secrets are replaced.
struct BugReport {
  /// Beginning of each report, by which a report is recognized.
  static let title: StaticString = "homeward report"
  static let byteCountMax = 128 * 1024

  /// Keys of the configuration whose values say nothing about a person or a place. Other values are
  /// hidden.
  private static let shownKeys: StaticString =
    """
    every or_distance or_turn radius durability disk_megabytes bytes_per_minute statistics \
    transport encryption register_again plain_http_away notifications websocket commands location \
    source port device diagnostics battery system only gpio pulses one_wire iio hwmon ve_direct \
    network debounce urgent active_low bias per_pulse min_width per min_change capacity device_class \
    unit state_class decimals scale to offset factor clamp table shunt max_on safe chemistry cells \
    below mains gps line
    """

  /// Beginnings of the names of devices whose permissions decide what the agent can read.
  private static let devices: [StaticString] = [
    "gpiochip", "i2c-", "spidev", "ttyACM", "ttyAMA", "ttyUSB", "ttyS0", "serial", "pps", "rtc",
    "watchdog",
  ]

  private let redaction = Redaction()
  private(set) var text: [UInt8] = []

  /// Writes the report of a check that has run for `duration`.
  init(of checkup: Checkup, for duration: Duration, root: Path = Path("")) {
    let outline = learn(from: checkup)
    // A name may be a part of the title.
    text = [UInt8](Self.title)
    append(
      ": read it before you send it. <hidden> replaces names, addresses, positions,"
        + " serial numbers and secrets.\n")
    let clock: StaticString = isClockSynchronized ? "set" : "not known to be set"
    append("at: \(localTime: Moment.now.wallTime), the clock is \(clock)\n")
    append(BoardFacts(root: root).text)
    append("\n== check, in \(duration) ==\n")
    for finding in checkup.report.findings {
      // It is the name of a user of Home Assistant.
      let isName = [UInt8](finding.subject).span.elementsEqual("login")
      if isName, finding.problem == nil, finding.remedy == nil {
        redaction.hide(finding.text.bytes)
      }
      append(finding.lines)
    }
    append("\n== time to read each source ==\n")
    append(checkup.times)
    let configuration = checkup.configuration ?? .withoutFile
    appendAgent(Path(configuration.stateDirectory))
    appendFound(configuration, checkup.loop)
    appendRights(configuration, checkup.service, root)
    append("\n== configuration ==\n")
    append(outline, isForeign: false)
  }

  /// Hides what the check knows of a person and a place; returns the outline of the configuration.
  private func learn(from checkup: Checkup) -> [UInt8] {
    let (redaction, shown) = (redaction, [UInt8](Self.shownKeys).split(separator: 0x20))
    for text in checkup.personal { redaction.hide(text) }
    if !checkup.file.starts(with: [UInt8]("/etc/")) { redaction.hide(checkup.file) }
    if let name = checkup.service?.user, !name.span.elementsEqual("homeward") {
      redaction.hide(name)
    }
    // In a wrong configuration any value may be in the wrong place.
    let isRight = checkup.configuration != nil
    let (file, known) = (checkup.text ?? [], Configuration.keys(in: checkup.text ?? []))
    return ConfigurationOutline.text(
      of: file, isKnown: { key in known.contains { key.span.elementsEqual($0) } },
      isShown: { isRight && shown.contains($0[...]) },
      hide: { redaction.hide($0) })
      ?? [UInt8]("none, or it is not YAML and was left out\n")
  }

  // Not inlined: each section calls these.
  @inline(never)
  private mutating func append(_ words: MessageText) { append(words.bytes) }

  /// Appends a part; one that does not fit is left out.
  @inline(never)
  private mutating func append(_ bytes: [UInt8], isForeign: Bool = true) {
    let part = redaction.redact(bytes, isForeign: isForeign)
    text += part.count <= Self.byteCountMax - text.count ? part : [UInt8]("…\n")
  }

  // MARK: Sections

  /// Appends the state of the running agent, and the crash of an earlier one.
  private mutating func appendAgent(_ directory: Path) {
    append("\n== agent ==\n")
    do throws(CommandFailure) {
      let status = try StatusClient(stateDirectory: directory).run()
      if let name = status.root["network"]?.text("name") { redaction.hide(name.bytes) }
      append("homeward \(status.root.text("version"))\(status.root.lasting("started"))\n")
      var lines = StatusLines(subjectWidth: 17)
      status.appendState(to: &lines)
      append(lines.bytes)
    } catch {
      append(error.text + "\n")
    }
    guard let crash = StateDirectory(directory).readLastWords() else { return }
    let line = crash.prefix { $0 != UInt8(ascii: "\n") }
    append("last crash: \(bytes: [UInt8](line).printable)\n")
  }

  /// Appends what the board has that can be reported.
  private mutating func appendFound(_ configuration: Configuration, _ loop: EventLoop) {
    append("\n== on this board ==\n")
    do throws(CommandFailure) {
      let found = try FoundSources(of: configuration, loop: loop, screen: nil)
      // The last line is advice, and those below a device are for the configuration: they suggest
      // names that hold a part of a serial number.
      for line in found.lines(isColored: false, file: nil).split(separator: 0x0A).dropLast()
      where !line.starts(with: [UInt8]("    ")) {
        append([UInt8](line) + [0x0A])
      }
    } catch {
      append(error.text + "\n")
    }
  }

  /// Appends permissions, owner and group of devices and of the files in the configuration, and the
  /// groups of the service.
  private mutating func appendRights(
    _ configuration: Configuration, _ service: ServiceState?, _ root: Path
  ) {
    append("\n== permissions ==\n")
    var paths = [Path(configuration.stateDirectory)] + configuration.filesToRead
    try? DirectoryReader(opening: root / "dev").forEachName { name in
      if Self.devices.contains(where: { name.starts(with: $0) }), paths.count < 64 {
        paths.append(root / "dev" / [UInt8](name))
      }
    }
    for path in paths {
      guard let status = FileStatus(of: path) else { continue }
      // Groups of the system have small numbers; the others have names of people.
      let group = status.group < 1000 ? groupName(status.group).printable : []
      append(
        "\(status.permissionDigits) \(Int(clamping: status.user)):\(Int(clamping: status.group))"
          + " \(bytes: group) \(path)\n")
    }
    guard let user = UserRights(named: service?.user ?? [UInt8](Service.user)) else { return }
    var line: MessageText = "service: user \(Int(clamping: user.number)), groups"
    for group in user.groups { line = "\(line) \(Int(clamping: group))" }
    append(line + "\n")
  }
}

extension FileStatus {
  /// Permissions as `chmod` takes them, such as 640.
  fileprivate var permissionDigits: Int {
    [9, 6, 3, 0].reduce(0) { $0 * 10 + Int(permissions >> $1 & 7) }
  }
}

/// File of a bug report, which only its owner can read. It replaces an earlier report and nothing
/// else: no other file, and none behind a link.
struct ReportFile {
  static let usualName: StaticString = "homeward-report.txt"

  let path: Path

  /// Checks that a report may be written there, before the work is done.
  init(at path: Path) throws(CommandFailure) {
    self.path = path
    do throws(Errno) {
      guard let start = try beginning() else { return }
      if start.span.starts(with: BugReport.title) { return }
      throw .fileExists
    } catch Errno(code: ELOOP) {
      throw Self.failure(path, "is a link, and the report is not written through links")
    } catch .fileExists {
      throw Self.failure(path, "already exists, and is not a report of homeward")
    } catch .isPipe {
      throw Self.failure(path, "already exists, and is not a file")
    } catch {
      throw Self.failure(path, "cannot be written: \(error)")
    }
  }

  /// Returns the beginning of the present file; nil if there is none.
  private func beginning() throws(Errno) -> [UInt8]? {
    let folder = try Directory(opening: path.parent)
    var start = ByteBuffer(capacity: BugReport.title.utf8CodeUnitCount)
    do throws(Errno) {
      _ = try folder.open(path.name, mode: .read).readToEnd(into: &start)
    } catch .noSuchFile {
      return nil
    }
    return [UInt8](start.bytes)
  }

  func write(_ text: [UInt8]) throws(CommandFailure) {
    do throws(Errno) {
      try Directory(opening: path.parent).replace(path.name, with: text.span)
    } catch {
      throw Self.failure(path, "cannot be written: \(error)")
    }
  }

  private static func failure(_ path: Path, _ words: MessageText) -> CommandFailure {
    CommandFailure(
      code: .cannotCreate, text: "\(path) \(words); name another file after --report")
  }
}

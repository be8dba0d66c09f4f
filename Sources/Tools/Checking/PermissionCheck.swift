import Board
import Bytes
import Drivers
import LinuxIO
import Sensing
import Transport

/// Check of the files that the user of the service has to read: `homeward check` itself runs as
/// root, which may read everything.
struct PermissionCheck: ~Copyable {
  let user: UserRights
  var file = Path(Configuration.defaultFile)
  let configuration: Configuration
  var service: ServiceState?
  var devices = Path("/dev")
  /// Board files of this machine.
  var boardFiles = Path(BoardFiles.ownFolder)

  func run(_ tell: (Finding) -> Void) {
    var isWell = true
    findProblems { text, remedy in
      isWell = false
      tell(
        .wrong(
          "permissions", "not_permitted", .board, .noPermission, text,
          remedy: "\(remedy), then: sudo systemctl restart homeward"))
    }
    guard isWell else { return }
    tell(
      .well("permissions", "\(bytes: user.name) can read all files in the configuration"))
  }

  private func findProblems(_ tellProblem: (MessageText, MessageText) -> Void) {
    let state = Path(configuration.stateDirectory)
    if let folder = user.obstacle(toEntering: state) {
      tellProblem(
        "\(bytes: user.name) is not allowed to enter \(folder), which holds \(state)",
        "sudo chmod o+x \(typed: folder), or set another state_directory")
    }
    if let foreign = foreignPath(in: state) {
      tellProblem(
        "\(foreign) does not belong to \(bytes: user.name)",
        "sudo chown -R \(bytes: user.name): \(typed: state)")
    }
    for path in [file] + files(in: boardFiles, where: { _ in true }) {
      guard let obstacle = user.obstacle(toReading: path) else { continue }
      let remedy: MessageText =
        if case .directory(let folder) = obstacle { "sudo chmod a+rx \(typed: folder)" } else {
          "sudo chmod a+r \(typed: path)"
        }
      tellProblem("\(bytes: user.name) is not allowed to read \(path)", remedy)
    }
    for path in paths {
      if isHidden(path) {
        tellProblem(
          "the service cannot see \(path): its unit hides home and temporary directories",
          "move it, for example to /etc/homeward")
        continue
      }
      guard let obstacle = user.obstacle(toReading: path) else { continue }
      tellProblem(
        "\(bytes: user.name) is not allowed to read \(path)", remedy(for: obstacle, to: path))
    }
  }

  /// Returns a path that the agent must own: the state directory, its spool, or a file in them that
  /// it cannot read, such as a copy that root restored. Nil without one.
  private func foreignPath(in state: Path) -> Path? {
    let spool = state / StateDirectory.spoolName
    if let folder = [state, spool].first(where: { user.owns($0) == false }) { return folder }
    // The state may have a file system of its own, which has a folder that only root can read.
    let others: [StaticString] = [StateDirectory.statusSocketName, "lost+found"]
    for folder in [state, spool] {
      let files = files(in: folder) { name in !others.contains { name.elementsEqual($0) } }
      if let file = files.first(where: { user.obstacle(toReading: $0) != nil }) { return file }
    }
    return nil
  }

  /// Paths in a directory; empty if it is missing.
  private func files(in folder: Path, where isWanted: (Span<UInt8>) -> Bool) -> [Path] {
    var files: [Path] = []
    try? DirectoryReader(opening: folder).forEachName { name in
      if isWanted(name) { files.append(folder / [UInt8](name)) }
    }
    return files
  }

  private func isHidden(_ path: Path) -> Bool { service?.hides(path) == true }

  private func remedy(for obstacle: UserRights.Obstacle, to path: Path) -> MessageText {
    switch obstacle {
    case .directory(let folder):
      "move it out of \(folder), which that user cannot enter, for example to /etc/homeward"
    case .group(let group):
      "sudo adduser \(bytes: user.name) \(bytes: groupName(group).printable)"
    case .owner:
      path.bytes.span.starts(with: "/dev/")
        ? "give a group read access with a udev rule"
        : "sudo chown \(bytes: user.name) \(typed: path)"
    }
  }

  /// Files and devices that the agent opens and that may be readable by other users only.
  private var paths: [Path] {
    (configuration.lineAddresses.isEmpty ? [] : chips) + configuration.filesToRead
  }

  /// Paths of the GPIO chips; empty if the user may read one of them. Which chip has the configured
  /// lines is not checked.
  private var chips: [Path] {
    let chips = files(in: devices) { $0.starts(with: "gpiochip") }
    return chips.contains { user.obstacle(toReading: $0) == nil } ? [] : chips
  }
}

extension UserRights {
  /// Whether this user, of the service if it is known, can read a file. True if it does not exist.
  func canRead(_ path: Path, in service: ServiceState?) -> Bool {
    obstacle(toReading: path) == nil && service?.hides(path) != true
  }
}

extension Configuration {
  /// Files that the agent reads and that may be readable by other users only.
  var filesToRead: [Path] {
    var paths: [Path] = []
    for sensor in sensors {
      if case .file(let path) = sensor.input { paths.append(Path(path)) }
    }
    let home = homeAssistant
    if let file = home.tokenFile { paths.append(Path(file)) }
    if let push {
      paths.append(Path(push.tokenFile))
      if let file = push.authorityFile { paths.append(Path(file)) }
    }
    if let file = home.tls.authorityFile { paths.append(file) }
    if let certificate = home.tls.clientCertificate {
      paths += [certificate.certificateFile, certificate.keyFile]
    }
    return paths
  }
}

extension ServiceState {
  /// Finding about the service; nil without a unit: the agent may be started in other ways.
  var finding: Finding? {
    guard isLoaded else { return nil }
    let state: MessageText =
      "homeward.service is \(bytes: active.printable) (\(bytes: sub.printable))"
    let isStarting = says("ActiveState", "activating")
    guard !isStarting || says("SubState", "auto-restart") else {
      return .note("service", state, remedy: "check again in a moment")
    }
    let restarts = value("NRestarts").span.decimalValue.map { Int(clamping: $0) } ?? 0
    guard says("ActiveState", "active") || says("ActiveState", "reloading") else {
      return .wrong(
        "service", isStarting ? "starting" : "not_running", .board, .unavailable,
        restarts > 0 ? "\(state), and was restarted \(restarts, "time")" : state,
        remedy: isStarting
          ? "sudo journalctl -u homeward shows why it stops"
          : "sudo systemctl restart homeward; sudo journalctl -u homeward shows why it stopped")
    }
    let file = value("UnitFileState")
    if file.span.elementsEqual("disabled") || file.span.elementsEqual("enabled-runtime") {
      return .note(
        "service",
        "\(state), but \(bytes: file.printable): it does not start with the board",
        remedy: "sudo systemctl enable homeward")
    }
    guard restarts > 0 else { return .well("service", "\(state), and enabled") }
    return .well(
      "service",
      "\(state), and enabled; it was restarted \(restarts, "time"): sudo journalctl -u homeward"
        + " shows why")
  }
}

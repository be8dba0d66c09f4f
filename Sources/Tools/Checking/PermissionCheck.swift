import Board
import Bytes
import Drivers
import LinuxIO
import Sensing
import Transport

/// Check of the files that the user of the service has to read: `homeward check` itself runs as
/// root, which may read everything.
struct PermissionCheck {
  let user: UserRights
  let configuration: Configuration
  var service: ServiceState?
  var devices = Path("/dev")

  func run(_ tell: (Finding) -> Void) {
    var isWell = true
    func tellProblem(_ text: MessageText, _ remedy: MessageText) {
      isWell = false
      tell(
        .wrong(
          "permissions", "not_permitted", .board, .noPermission, text,
          remedy: "\(remedy), then: sudo systemctl restart homeward"))
    }
    let state = Path(configuration.stateDirectory)
    if let folder = user.obstacle(toEntering: state) {
      tellProblem(
        "\(bytes: user.name) is not allowed to enter \(folder), which holds \(state)",
        "sudo chmod o+x \(typed: folder), or set another state_directory")
    }
    if user.owns(state) == false {
      tellProblem(
        "\(state) does not belong to \(bytes: user.name)",
        "sudo chown -R \(bytes: user.name): \(typed: state)")
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
    guard isWell else { return }
    tell(
      .well("permissions", "\(bytes: user.name) can read all files in the configuration"))
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
    var chips: [Path] = []
    // Without the directory there are no devices.
    try? DirectoryReader(opening: devices).forEachName { name in
      if name.starts(with: "gpiochip") { chips.append(devices / [UInt8](name)) }
    }
    return chips.contains { user.obstacle(toReading: $0) == nil } ? [] : chips
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

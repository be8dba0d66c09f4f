import Board
import Bytes
import Drivers
import LinuxIO
import Sensing
import Transport

/// Whether the user that the service runs as may read what the configuration names: who runs
/// `homeward check` is root, and may read all.
struct PermissionCheck {
  let user: UserRights
  let configuration: Configuration
  /// The service, where systemd has one.
  var service: ServiceState?
  /// Where the devices are.
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
    if user.owns(state) == false {
      tellProblem(
        "\(state) does not belong to \(bytes: user.name)",
        "sudo chown -R \(bytes: user.name): \(typed: state)")
    }
    for path in paths {
      if isHidden(path) {
        tellProblem(
          "the service does not see \(path): its unit hides homes and temporary files",
          "move it, such as to /etc/homeward")
        continue
      }
      guard let obstacle = user.obstacle(toReading: path) else { continue }
      tellProblem("\(bytes: user.name) may not read \(path)", remedy(for: obstacle, to: path))
    }
    guard isWell else { return }
    tell(
      .well("permissions", "\(bytes: user.name) may read what the configuration names"))
  }

  private func isHidden(_ path: Path) -> Bool { service?.hides(path) == true }

  private func remedy(for obstacle: UserRights.Obstacle, to path: Path) -> MessageText {
    switch obstacle {
    case .directory(let folder):
      "move it out of \(folder), which that user may not enter, such as to /etc/homeward"
    case .group(let group):
      "sudo adduser \(bytes: user.name) \(bytes: groupName(group).printable)"
    case .owner:
      path.bytes.span.starts(with: "/dev/")
        ? "let a group read it by a rule of udev" : "sudo chown \(bytes: user.name) \(typed: path)"
    }
  }

  /// The files and devices that the agent opens and that may be for others only.
  private var paths: [Path] {
    var paths: [Path] = []
    if !configuration.lineAddresses.isEmpty { paths += chips }
    for sensor in configuration.sensors {
      if case .file(let path) = sensor.input { paths.append(Path(path)) }
    }
    let home = configuration.homeAssistant
    if let file = home.tokenFile { paths.append(Path(file)) }
    if let push = configuration.notifications.push { paths.append(Path(push.tokenFile)) }
    if let file = home.tls.authorityFile { paths.append(file) }
    if let certificate = home.tls.clientCertificate {
      paths += [certificate.certificateFile, certificate.keyFile]
    }
    return paths
  }

  /// Which of them have the lines is not looked up: one that may be read is enough.
  private var chips: [Path] {
    var chips: [Path] = []
    // Without the folder there are no devices.
    try? DirectoryReader(opening: devices).forEachName { name in
      if name.starts(with: "gpiochip") { chips.append(devices / [UInt8](name)) }
    }
    return chips.contains { user.obstacle(toReading: $0) == nil } ? [] : chips
  }
}

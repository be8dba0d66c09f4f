import Board
import Bytes
import LinuxIO

/// Whether the agent may start the program that the configuration wants after each upload.
struct ProgramCheck {
  private static let subject: StaticString = "after_upload"

  let settings: AfterUploadSettings
  /// Whose program it will be; nil where it is not known who the agent runs as.
  let user: UserRights?
  /// The service, where systemd has one.
  var service: ServiceState?

  var finding: Finding {
    let path = settings.path
    if service?.hides(path) == true {
      return wrong(
        "hidden", "The service does not see \(path): its unit hides homes and temporary files",
        "move it, such as to /usr/local/bin")
    }
    if let flaw = flaw(ofProgramAt: path, runBy: user?.number ?? userOfProcess) {
      return wrong(flaw.code, flaw.words(of: path), flaw.remedy(for: path))
    }
    if let user, !user.mayRun(path) || user.obstacle(toEntering: path) != nil {
      return wrong(
        "not_permitted", "\(bytes: user.name) may not run \(path)",
        ProgramFlaw.kernel(.notPermitted).remedy(for: path))
    }
    return .well(Self.subject, "\(path) can be started, and is ended after \(settings.timeout)")
  }

  private func wrong(
    _ cause: StaticString, _ text: MessageText, _ remedy: MessageText
  ) -> Finding {
    .wrong(Self.subject, cause, .configuration, .configuration, text, remedy: remedy)
  }
}

public import Bytes
import Drivers
import LinuxIO
public import Sensing

/// What a person does about a source that fails: the command that mends it, where there is one.
public struct SourceAdvice: Sendable {
  /// More would not help, and a status document holds many remedies.
  private static let suppliesShownMax = 8
  private static let gpsd: Path = Path("/usr/sbin/gpsd")

  private let supplies: Path
  private let gpsdHost: [UInt8]?
  private let lines: [InlineText]

  public init(_ configuration: Configuration) {
    supplies = Path(configuration.host.sys) / "class" / "power_supply"
    gpsdHost = configuration.location?.host
    lines = configuration.sensors.map { InlineText($0.address.text.span) }
  }

  public func remedy(for failure: SourceFailure, of source: InlineText) -> MessageText {
    switch failure {
    case .notPermitted:
      return "let the agent read it: sudo adduser homeward GROUP, where GROUP owns it (ls -l)"
    case .unsupported(_, let remedy): return "\(remedy.text)"
    default: break
    }
    if source == InlineText("gpsd") { return remedyOfGPSD(for: failure) }
    if lines.contains(source) {
      if case .busy = failure {
        return "end the program that holds it (gpioinfo shows which), or take it out of sensors"
      }
      return "gpioinfo lists the lines of this board (sudo apt install gpiod)"
    }
    guard case .missing = failure else { return "look what the kernel says of it: sudo dmesg" }
    if source == InlineText("processor temperature") {
      return "leave cpu_temperature out of system"
    }
    return "power supplies here: \(suppliesHere); write these to battery, or auto"
  }

  private func remedyOfGPSD(for failure: SourceFailure) -> MessageText {
    switch failure {
    case .missing:
      guard let gpsdHost, isThisBoard(gpsdHost) else {
        return "start gpsd on \(bytes: gpsdHost ?? []), and let it listen to the network: gpsd -G"
      }
      return isThere(Self.gpsd) ? "sudo systemctl start gpsd" : "sudo apt install gpsd"
    case .silent:
      return "name its receiver in /etc/default/gpsd, such as DEVICES=\"/dev/ttyACM0\", then:"
        + " sudo systemctl restart gpsd"
    case .withoutFix, .wrongDate:
      return "cgps shows what its receiver sees (sudo apt install gpsd-clients)"
    case .behind: return "let the receiver say less, or take it to this board: gpspipe -w shows it"
    default: return "look at location.host and location.port; gpsd listens at port 2947"
    }
  }

  private func isThisBoard(_ host: [UInt8]) -> Bool {
    host.span.starts(with: "127.") || host.span.elementsEqual("localhost")
      || host.span.elementsEqual("::1")
  }

  private func isThere(_ file: Path) -> Bool { (try? byteCount(ofFileAt: file)) != nil }

  /// The names that the kernel lists.
  private var suppliesHere: MessageText {
    var names: MessageText = ""
    var count = 0
    // Where the directory cannot be read there are none to name.
    try? DirectoryReader(opening: supplies).forEachName { name in
      count += 1
      guard count <= Self.suppliesShownMax else { return }
      names = "\(names)\((count == 1 ? "" : ", ") as StaticString)\(InlineText(name))"
    }
    return count == 0 ? "none" : names
  }
}

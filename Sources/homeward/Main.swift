import Agent
import CLinux

@main
struct Main {
  static func main() {
    unsafe clinux_report_fatal_signals(
      homewardVersion.utf8Start, homewardVersion.utf8CodeUnitCount)
    exit(Homeward.main().rawValue)
  }
}

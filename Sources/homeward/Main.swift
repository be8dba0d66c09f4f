import Agent
import CLinux

@main
struct Main {
  static func main() { exit(Homeward.main().rawValue) }
}

import Relay

@main
struct Main {
  static func main() { HomewardRelay.main() }
}

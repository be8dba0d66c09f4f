import Tools

@main
struct Main {
  static func main() { Homeward.main() }
}

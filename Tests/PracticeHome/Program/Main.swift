import PracticeHome

@main
struct Main {
  static func main() {
    let status = PracticeHomeCommand.run(Array(CommandLine.arguments.dropFirst()))
    PracticeHomeCommand.leave(status)
  }
}

import Bytes
import CLinux
import CSodium

/// The program `homeward-relay`.
public enum HomewardRelay {
  static let help = """
    homeward-relay: keeps Home Assistant's notifications for boards that sleep, and
    gives them to each board when it wakes up and asks. What waits is sealed to the
    board's key: who has the store can read nothing of it.

    It speaks HTTP: a proxy in front of it has the certificate. As a service it is
    started with HOMEWARD_RELAY_OPTIONS of /etc/default/homeward-relay. Its commands
    belong to its user: sudo -u homeward-relay homeward-relay token list

    Usage:
      homeward-relay serve              takes notifications and hands them out
      homeward-relay status             shows whether it serves, and what waits
      homeward-relay token add NAME     adds a board, prints its secrets once
      homeward-relay token list         shows the boards, and what waits for each
      homeward-relay token rotate NAME  gives new secrets, keeps what waits
      homeward-relay token revoke NAME  removes a board, and what waits for it

    Options:
      --store FILE|URL         The notifications that wait: in a file (default:
                               /var/lib/homeward-relay/relay.sqlite), or on a server
                               of Redis or Valkey, which many relays share:
                               redis://HOST:PORT/DATABASE, redis+unix:///PATH.
      --store-password-file FILE
                               The password of that server, or USER:PASSWORD; one
                               with a colon is written as :PASSWORD.
      --listen ADDRESS:PORT    With serve: where it listens (default:
                               127.0.0.1:8426); a port of 0 is any free one. With
                               status: where it is asked.
      --notifications-a-day N  With serve: the limit of each board (default: 150).
      --waiting N              With serve: the notifications that wait for a board at
                               most (default: 1000).
      --url URL                With token add and rotate: the address of the relay for
                               Home Assistant.
      --json                   With token list and status: for programs.
      --version                Show the version.
      --help                   Show this.

    Examples:
      sudo -u homeward-relay homeward-relay token add boat \\
        --url https://relay.example
      sudo -u homeward-relay homeward-relay status
      homeward-relay serve --listen '[::1]:8426' --store relay.sqlite

    Exit codes (sysexits):
      0   done; with serve: it was stopped; with status: it serves
      64  the command line is wrong
      65  there is no such board, or its name is taken; a file has no password
      66  a file of a password cannot be read; with status: there is no store
      69  it cannot listen; with status: no relay answers
      71  the system has no descriptor left
      74  the store fails

    """

  private static let options: Set<Text> = [
    "--store", "--store-password-file", "--listen", "--notifications-a-day", "--waiting", "--url",
  ]
  private static let switches: Set<Text> = ["--json", "--help", "-h", "--version"]

  /// Runs the program with the arguments of this process, and ends it with its exit code.
  public static func main() -> Never {
    // The line of a crash begins with "homeward".
    let name = Array("relay \(version)".utf8)
    unsafe clinux_report_fatal_signals(name, name.count)
    clinux_forbid_core_dumps()
    do throws(CommandError) {
      try run(Arguments(Text.arguments, options: options, switches: switches))
      exit(0)
    } catch {
      say("homeward-relay: \(error.message)\n", on: STDERR_FILENO)
      exit(error.code)
    }
  }

  private static func run(_ arguments: Arguments) throws(CommandError) {
    guard sodium_init() >= 0 else {
      throw CommandError(code: 69, message: "libsodium does not begin")
    }
    if arguments.has("--help") || arguments.has("-h") { return say(help) }
    if arguments.has("--version") { return say("homeward-relay \(version)\n") }
    switch arguments.words.first {
    case "serve" where arguments.words.count == 1: try serve(arguments)
    case "status" where arguments.words.count == 1:
      let code = try StatusCommand(arguments).run()
      if code != 0 { exit(code) }
    case "token": try TokenCommand(arguments).run()
    case let word?: throw .usage("unknown command \(word)")
    case nil: throw .usage("a command is missing")
    }
  }

  /// The newest entry of `deploy/debian/changelog` has the same.
  static let version: StaticString = "0.1.0"

  // MARK: Shared by the commands

  static func limits(_ arguments: Arguments) throws(CommandError) -> Limits {
    var limits = Limits()
    if let count = try arguments.count("--notifications-a-day") { limits.notificationsADay = count }
    if let count = try arguments.count("--waiting") { limits.waitingCountMax = count }
    return limits
  }

  /// Runs what a store does, and makes the command's error of its failure.
  static func performing<Result>(
    _ body: () throws(StoreFailure) -> Result
  ) throws(CommandError) -> Result {
    do throws(StoreFailure) { return try body() } catch { throw CommandError(error) }
  }
}

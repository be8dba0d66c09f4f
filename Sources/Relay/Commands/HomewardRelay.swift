import Bytes
import CSodium
import Glibc

/// The program `homeward-relay`.
public enum HomewardRelay {
  static let help = """
    homeward-relay: keeps Home Assistant's notifications for boards that sleep.

      homeward-relay serve                 takes notifications, and gives them to the boards
      homeward-relay token add NAME        adds a board, and prints its secrets once
      homeward-relay token list            shows the boards, and how much waits for each
      homeward-relay token rotate NAME     gives a board new secrets, and keeps what waits
      homeward-relay token revoke NAME     removes a board, and what waits for it

      --store FILE              where notifications wait; /var/lib/homeward-relay/relay.sqlite if it
                                is not named
      --store redis://HOST:PORT/DATABASE, redis+unix:///PATH
                                a server of Redis or Valkey, which many relays share
      --store-password-file FILE
                                what that server asks for: PASSWORD (with a colon: :PASSWORD)
                                or USER:PASSWORD
      --listen ADDRESS:PORT     serve: 127.0.0.1:8426 if it is not named; a port of 0 is any free one
      --notifications-a-day N   serve: for each board; 150 if it is not named
      --waiting N               serve: notifications that wait for a board at most; 1000 if it is not named
      --url URL                 token add, rotate: the address of the relay for Home Assistant
      --json                    list: for programs
      --version, --help

    Examples:
      sudo -u homeward-relay homeward-relay token add boat --url https://relay.example
      homeward-relay serve --listen '[::1]:8426'           behind a proxy that has the certificate

    A relay speaks HTTP: a proxy in front of it has the certificate. What waits is sealed to the board's
    key; who has the store can read nothing of it.

    Exits with 0, 64 (usage), 65 (no such board, or its name is taken), 69 (it cannot listen), 71 (no
    thread), 74 (the store).

    """

  private static let options: Set<String> = [
    "--store", "--store-password-file", "--listen", "--notifications-a-day", "--waiting", "--url",
  ]
  private static let switches: Set<String> = ["--json", "--help", "-h", "--version"]

  /// Runs the program; returns its exit code.
  public static func main(_ words: [String]) -> Int32 {
    do {
      try run(Arguments(words, options: options, switches: switches))
      return 0
    } catch let error as CommandError {
      say("homeward-relay: \(error.message)\n", on: STDERR_FILENO)
      return error.code
    } catch let failure as StoreFailure {
      say("homeward-relay: the store: \(failure)\n", on: STDERR_FILENO)
      return 74
    } catch {
      say("homeward-relay: \(error)\n", on: STDERR_FILENO)
      return 69
    }
  }

  private static func run(_ arguments: Arguments) throws {
    guard sodium_init() >= 0 else {
      throw CommandError(code: 69, message: "libsodium does not begin")
    }
    if arguments.has("--help") || arguments.has("-h") { return say(help) }
    if arguments.has("--version") { return say("homeward-relay \(version)\n") }
    switch arguments.words.first {
    case "serve" where arguments.words.count == 1: try serve(arguments)
    case "token": try TokenCommand(arguments).run()
    case let word?: throw CommandError.usage("unknown command \(word)")
    case nil: throw CommandError.usage("a command is missing")
    }
  }

  /// The newest entry of `deploy/debian/changelog` has the same.
  static let version = "0.1.0"

  // MARK: Shared by the commands

  static func limits(_ arguments: Arguments) throws(CommandError) -> Limits {
    var limits = Limits()
    if let count = try arguments.count("--notifications-a-day") { limits.notificationsADay = count }
    if let count = try arguments.count("--waiting") { limits.waitingCountMax = count }
    return limits
  }
}

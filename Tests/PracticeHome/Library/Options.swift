/// What the command line asks for.
struct Options: Equatable {
  static let portDefault: UInt16 = 8124

  var port = portDefault
  var household = Household()
  var isJSON = false
  /// Whether it takes faults and accidents from its standard input.
  var obeys = false
  var journal: String?
  var duration: Duration?
  /// How much later it answers, as over a network.
  var delay: Duration?

  /// A command line, understood or not.
  enum Outcome: Equatable {
    case run(Options)
    case help
    case version
    case misunderstood(String)
  }

  private static let valued = ["--port", "--token", "--for", "--delay", "--journal"]

  private struct Misunderstood: Error { var message: String }

  static func parse(_ arguments: [String]) -> Outcome {
    var options = Options()
    var rest = arguments[...]
    do throws(Misunderstood) {
      while let argument = rest.popFirst() {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        if parts.count == 2 {
          guard valued.contains(name) else {
            throw Misunderstood(message: "\(name) takes no value")
          }
          rest = [String(parts[1])] + rest
        }
        switch name {
        case "--help", "-h": return .help
        case "--version": return .version
        case "--json": options.isJSON = true
        case "--obey": options.obeys = true
        case "--no-admin": options.household.resident.isAdministrator = false
        default: try options.take(name, from: &rest)
        }
      }
    } catch { return .misunderstood(error.message) }
    return .run(options)
  }

  private mutating func take(
    _ name: String, from rest: inout ArraySlice<String>
  ) throws(Misunderstood) {
    guard Self.valued.contains(name) else {
      throw Misunderstood(message: "unknown option \(name)")
    }
    guard let value = rest.popFirst(), !value.isEmpty else {
      throw Misunderstood(message: "\(name) needs a value")
    }
    switch name {
    case "--port":
      guard let port = UInt16(value) else {
        throw Misunderstood(message: "--port \(value): a port is a number from 0 to 65535")
      }
      self.port = port
    case "--token": household.token = value
    case "--journal": journal = value
    case "--for":
      guard let seconds = Double(value), seconds > 0, seconds < 1e9 else {
        throw Misunderstood(message: "--for \(value): needs a number of seconds above 0")
      }
      duration = .seconds(seconds)
    default:
      guard let milliseconds = UInt16(value), milliseconds > 0 else {
        throw Misunderstood(message: "--delay \(value): needs milliseconds from 1 to 65535")
      }
      delay = .milliseconds(milliseconds)
    }
  }

  static let help = """
    practice-home: a stand-in for Home Assistant, to practise on.

    It takes what devices of Home Assistant's mobile_app integration send, shows it, and says
    why where Home Assistant would drop a message without a word. It listens on 127.0.0.1 only
    and forgets everything when it ends. A browser shows the same at its address, live: tracks,
    graphs of sensors, and what was refused.

    Usage: practice-home [options]

      --port N        where to listen (default \(portDefault); 0 for any free port)
      --token TOKEN   the access token devices register with (default "\(Home.defaultToken)")
      --no-admin      the user who logs in, and the token, is no administrator
      --json          print one JSON object per line instead of a table
      --journal FILE  write these objects to a file as well, whatever is shown
      --for SECONDS   end by itself after that time
      --delay MS      answer that many milliseconds later, as over a network
      --obey          take orders from standard input, a line each, while it runs:
                      to misbehave: \(Fault.names.prefix(7).joined(separator: ", ")),
                      \(Fault.names.dropFirst(7).joined(separator: ", "));
                      none, to behave again; or what happens once:
                      \(Accident.allCases.prefix(3).map(\.rawValue).joined(separator: ", ")),
                      \(Accident.allCases.dropFirst(3).map(\.rawValue).joined(separator: ", "))
      --version       print the version
      --help          print this

    The user who logs in is "practice" with the password "practice".

    In the summary at the end, "readings" counts single values that were stored, "sealed" and
    "plain" count messages to webhooks, and "refused" counts messages and single values that
    left no trace.

    Try it:

      curl http://127.0.0.1:\(portDefault)/api/states -H 'Authorization: Bearer \(Home.defaultToken)'

    Exit status: 0 when it was told to end, 64 for a wrong command line, 69 if the port cannot be
    had, 73 if the journal cannot be written.

    """
}

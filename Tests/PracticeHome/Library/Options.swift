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
  var fault: Fault?
  /// What happens again and again, and how often.
  var accident: Accident?
  var accidentInterval = Duration.seconds(30)

  /// A command line, understood or not.
  enum Outcome: Equatable {
    case run(Options)
    case help
    case version
    case misunderstood(String)
  }

  private static let valued = [
    "--port", "--token", "--for", "--fault", "--delay", "--journal", "--mfa", "--ban-after",
    "--every", "--startup",
  ]

  private struct Misunderstood: Error { var message: String }

  static func parse(_ arguments: [String]) -> Outcome {
    var options = Options()
    var rest = arguments[...]
    do throws(Misunderstood) {
      while let argument = rest.popFirst() {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts.first ?? "")
        if parts.count == 2 {
          guard valued.contains(name) || name == "--version" else {
            throw Misunderstood(message: "\(name) takes no value")
          }
          rest = [String(parts[1])] + rest
        }
        switch name {
        case "--help", "-h": return .help
        case "--version":
          guard let value = rest.first, !value.hasPrefix("-") else { return .version }
          rest.removeFirst()
          options.household.release = try release(value)
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
    case "--mfa": household.resident.code = value
    case "--for": duration = try Self.seconds(value, of: name)
    case "--every": accidentInterval = try Self.seconds(value, of: name)
    case "--ban-after":
      guard let count = UInt16(value), count > 0 else {
        throw Misunderstood(message: "--ban-after \(value): needs a number of failures above 0")
      }
      household.failuresUntilBan = Int(count)
    case "--startup": household.startup = try Self.startup(value)
    case "--delay":
      guard let milliseconds = UInt16(value), milliseconds > 0 else {
        throw Misunderstood(message: "--delay \(value): needs milliseconds from 1 to 65535")
      }
      fault = .slow(.milliseconds(milliseconds))
    default: try takeFault(value)
    }
  }

  private mutating func takeFault(_ name: String) throws(Misunderstood) {
    if let accident = Accident(rawValue: name) {
      self.accident = accident
    } else if let fault = Fault(name: name) {
      self.fault = fault
    } else {
      let names = (Fault.names + Accident.allCases.map(\.rawValue)).joined(separator: ", ")
      throw Misunderstood(message: "--fault \(name): there is no such fault; there are \(names)")
    }
  }

  private static func seconds(
    _ text: String, of name: String
  ) throws(Misunderstood) -> Duration {
    guard let seconds = Double(text), seconds > 0, seconds < 1e9 else {
      throw Misunderstood(message: "\(name) \(text): needs a number of seconds above 0")
    }
    return .seconds(seconds)
  }

  private static func startup(_ text: String) throws(Misunderstood) -> Startup {
    let parts = text.split(separator: ",").map { Double($0) }
    guard parts.count == 2, let deaf = parts[0], let silent = parts[1],
      (0..<1e6).contains(deaf), (0..<1e6).contains(silent)
    else {
      throw Misunderstood(message: "--startup \(text): needs two numbers of seconds, as in 2,5")
    }
    return Startup(deaf: .seconds(deaf), silent: .seconds(silent))
  }

  private static func release(_ text: String) throws(Misunderstood) -> Release {
    guard let release = Release(text) else {
      throw Misunderstood(
        message: "--version \(text): a release is a year and a month, as 2026.6.0")
    }
    return release
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
      --mfa CODE      the user who logs in is asked for this code as well
      --no-admin      the user who logs in, and the token, is no administrator
      --ban-after N   after so many failed logins, answer everybody 403
      --json          print one JSON object per line instead of a table
      --journal FILE  write these objects to a file as well, whatever is shown
      --for SECONDS   end by itself after that time
      --delay MS      answer that many milliseconds later, as over a network
      --fault NAME    misbehave: \(Fault.names.prefix(7).joined(separator: ", ")),
                      \(Fault.names.dropFirst(7).joined(separator: ", "));
                      or let something happen again and again:
                      \(Accident.allCases.prefix(3).map(\.rawValue).joined(separator: ", ")),
                      \(Accident.allCases.dropFirst(3).map(\.rawValue).joined(separator: ", "))
      --every SECONDS how often it happens (default 30)
      --obey          take the names of faults and accidents from standard input, a line each,
                      while it runs; "none" ends a fault
      --startup A,B   after a restart, be without webhooks for A seconds (404), then know none
                      for B seconds (default 2,5)
      --version R     play release R of Home Assistant, as 2026.6.0; without R, print the version
      --help          print this

    The user who logs in is "practice" with the password "practice". SIGHUP plays a restart.

    In the summary at the end, "readings" counts single values that were stored, "sealed" and
    "plain" count messages to webhooks, and "refused" counts messages and single values that
    left no trace.

    Try it:

      curl http://127.0.0.1:\(portDefault)/api/states -H 'Authorization: Bearer \(Home.defaultToken)'

    Exit status: 0 when it was told to end, 64 for a wrong command line, 69 if the port cannot be
    had, 73 if the journal cannot be written.

    """
}

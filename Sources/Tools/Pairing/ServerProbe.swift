import Board
import Bytes
import HomeAssistant
import LinuxIO
import Transport

/// Server that answers at an address, found out before a password or a token goes there.
enum ServerProbe {
  /// Home Assistant, and whether people can log in there with a password.
  case homeAssistant(hasPasswords: Bool)
  /// Home Assistant without a first user.
  case notSetUp
  /// Indirect, because the other cases are small.
  indirect case noConnection(InlineText)
  case server(ServerRefusal)

  private static let path: StaticString = "/auth/providers"

  static func run(
    _ http: BlockingHTTP, at url: [UInt8]
  ) throws(CommandFailure) -> ServerProbe {
    switch try http.get(path, at: url) {
    case .failed(let reason): .noConnection(reason)
    case .answered: read(http.head, http.body.span)
    }
  }

  /// Reads `{"providers": [{"type": "homeassistant", …}, …], …}`; the list alone before 2024.
  private static func read(_ head: AnswerHead, _ body: Span<UInt8>) -> ServerProbe {
    let json = try? JSON(parsing: body)
    switch head.status {
    case 200:
      guard case .array(let providers)? = json?["providers"] ?? json else {
        return .server(ServerRefusal(head, body))
      }
      return .homeAssistant(
        hasPasswords: providers.contains { $0["type"] == .text("homeassistant") })
    case 400 where json?["code"] == .text("onboarding_required"): return .notSetUp
    default: return .server(ServerRefusal(head, body))
    }
  }

  /// Returns the reason why a user cannot log in there, or nil.
  func failure(at url: [UInt8]) -> CommandFailure? {
    let (code, words): (ExitCode, MessageText)
    switch self {
    case .homeAssistant: return nil
    case .notSetUp:
      (code, words) = (.temporaryFailure, "Home Assistant is not set up yet: open \(bytes: url)")
    case .noConnection(let reason):
      (code, words) = (.temporaryFailure, "\(bytes: url) cannot be reached: \(reason)")
    case .server(.notFound):
      (code, words) = (
        endBeforePage(url) == nil ? .temporaryFailure : .usage,
        "there is no login at \(bytes: url) (404): Home Assistant is starting, or the address is"
          + " wrong"
      )
    case .server(let refusal):
      (code, words) = (refusal.exitCode, refusal.words(.probe(of: url)))
    }
    return CommandFailure(code: code, text: words)
  }

  /// Returns advice to a person who typed the address; nil if `failure` contains it.
  func hint(
    _ fault: TransferFault, at url: [UInt8], _ authorityFile: Path?
  ) -> MessageText? {
    switch self {
    case .noConnection(let reason):
      switch ConnectionFlaw(reason) {
      case .untrustedCertificate?:
        "name its authority's certificate with --ca-file FILE, or renew an expired certificate"
      case .otherAuthority?, .unreadableAuthorities?:
        "--ca-file must name the certificate of the authority that signed it"
      case .noTLS?: "use the port that serves HTTPS"
      case .plainServer?, .noAnswerInPlain?: "try \(bytes: url.withOtherScheme)"
      case let flaw?: flaw.remedy(at: url, authorityFile)
      case nil: fault == .name ? "check the name, or use a numeric address" : addressAdvice(url)
      }
    case .server(.notFound): addressAdvice(url)
    case .server(.notHomeAssistant):
      addressAdvice(url) ?? "open that address in a browser: does this network have a login page?"
    case .homeAssistant, .notSetUp, .server(.unavailable): nil
    case .server(.wantsTLS): "try \(bytes: url.withOtherScheme)"
    case .server(.moved(let address)): "try \(shown: Text(address))"
    case .server(let refusal): refusal.remedy()
    }
  }
}

/// Returns the correction of a server's address that lacks a port or has a page behind it, as a
/// sentence after a semicolon; nil if the address looks right.
func addressAdvice(_ url: [UInt8]) -> MessageText? {
  guard let colon = url.firstIndex(of: UInt8(ascii: ":")) else { return nil }
  let start = colon + 3  // Behind "://".
  guard start < url.count else { return nil }
  if let end = endBeforePage(url) {
    return "use the address without the page: \(bytes: [UInt8](url[..<end]))"
  }
  let host = url[(url.lastIndex(of: UInt8(ascii: "]")) ?? start)...]
  guard !host.contains(UInt8(ascii: ":")) else { return nil }
  return "Home Assistant may listen at port 8123: \(bytes: url):8123"
}

/// Returns the index at which a page begins in the address of a server; nil if there is none.
func endBeforePage(_ url: [UInt8]) -> Int? {
  guard let colon = url.firstIndex(of: UInt8(ascii: ":")) else { return nil }
  return url.dropFirst(colon + 3).firstIndex(of: UInt8(ascii: "/"))
}

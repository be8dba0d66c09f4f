public import Bytes
import HomeAssistant
public import LinuxIO
public import Outbox
public import Sensing

/// Limit for texts from Home Assistant, which is larger because notifications are meant for people.
private let receivedBytesMax = 500

/// Returns whether the byte has no special meaning in a shell. Bytes beyond ASCII are letters.
private func isSafeInShell(_ byte: UInt8) -> Bool {
  if byte.isLetterOrDigit || byte >= 0x80 { return true }
  let marks: StaticString = "/._-+,:=@%"
  return [UInt8](marks).contains(byte)
}

/// Messages for people: the failures of all layers, each with its remedy.
extension MessageText.StringInterpolation {
  public mutating func appendInterpolation(_ path: Path) {
    appendInterpolation(bytes: path.bytes.printable)
  }

  /// Appends a path as a word of a shell command, in quotes if needed.
  @inline(never)
  public mutating func appendInterpolation(typed path: Path) {
    let text = path.bytes.printable
    let isWord = !text.isEmpty && text.allSatisfy(isSafeInShell)
    if isWord { return appendInterpolation(bytes: text) }
    appendLiteral("'")
    for byte in text {
      if byte == UInt8(ascii: "'") {
        appendLiteral("'\\''")
      } else {
        appendInterpolation(bytes: [byte])
      }
    }
    appendLiteral("'")
  }

  /// Appends a number of readings and fixes: `1 reading or fix`, `2 readings and fixes`, optionally
  /// with a word before the nouns.
  @inline(never)
  public mutating func appendInterpolation(entries count: Int, _ word: StaticString = "") {
    appendInterpolation(count)
    appendInterpolation(word)
    appendLiteral(count == 1 ? " reading or fix" : " readings and fixes")
  }

  /// Appends the beginning of a text from Home Assistant, in quotes.
  @inline(never)
  public mutating func appendInterpolation(received text: [UInt8]) {
    var end = 0
    while end < text.count, end < receivedBytesMax {
      end = text.span.character(at: end).end
    }
    appendInterpolation("\"\(bytes: [UInt8](text[..<end]).printable)" as MessageText)
    appendInterpolation(end < text.count ? "…\"" : "\"" as StaticString)
  }

  /// Appends a text from a server, safe for a terminal and shortened.
  public mutating func appendInterpolation(shown text: Text) {
    appendInterpolation(bytes: [UInt8](text.bytes.prefix(200)).printable)
  }

  public mutating func appendInterpolation(_ error: Errno) {
    appendInterpolation(bytes: [UInt8](byteCountMax: 128) { $0.append(error) })
  }
}

extension SourceFailure {
  /// Returns the failure in words, with the name of the source.
  public func words(of source: InlineText) -> MessageText {
    let words = words
    return words.bytes.starts(with: [UInt8](source.bytes)) ? words : "\(source): \(words)"
  }

  private var words: MessageText {
    switch self {
    case .missing(let what): "\(what) was not found"
    case .notPermitted(let what): "\(what) cannot be opened: permission denied"
    case .busy(let what): "\(what) is in use by another program"
    case .failed(let what, let code): "\(what): \(Errno(code: code))"
    case .malformed(let what, let found):
      "\(what) reports \"\(found)\", which is not a valid value"
    case .implausible(let what, let found, let why): "\(what) reports \"\(found)\", \(why)"
    case .distrusted(let what, let why, _): "\(what) \(why.text)"
    case .silent(let what): "\(what) sends no data"
    case .withoutFix(let what, let why): "\(what) has no fix: \(why.text)"
    case .wrongDate(let what, let why):
      "\(what) reports a date that is \(why.text); its fixes get their time of arrival"
    case .frozen(let what):
      "\(what) repeats exactly the same position while it reports a speed; the position may be old"
    case .behind(let what, let seconds):
      "\(what) is \(seconds) s behind; is the link to it too slow, or does its receiver send too"
        + " much?"
    case .flooded(let what, let rate):
      "\(what) has \(rate) edges a second, more than is plausible; some may be ignored"
    case .refused(let what, let found): "\(what) answers with an error: \"\(found)\""
    case .ambiguous(let what, let found): "\(what) exists more than once: \(found)"
    case .unsupported(let what, _): "\(what) cannot be used"
    case .intermittent(let failure): "it comes and goes: at times \(failure.words)"
    }
  }

  public var code: StaticString {
    switch self {
    case .missing: "missing"
    case .notPermitted: "not_permitted"
    case .busy: "busy"
    case .failed: "failed"
    case .malformed: "malformed"
    case .implausible: "implausible"
    case .distrusted: "distrusted"
    case .silent: "silent"
    case .withoutFix: "no_fix"
    case .wrongDate: "wrong_date"
    case .frozen: "frozen"
    case .behind: "behind"
    case .flooded: "flooded"
    case .refused: "refused"
    case .ambiguous: "ambiguous"
    case .unsupported: "unsupported"
    case .intermittent: "intermittent"
    }
  }
}

extension Value {
  /// Returns the value with its unit, such as `83 %`, or `on`.
  public func words(in unit: [UInt8]?) -> MessageText {
    switch self {
    case .number(let number):
      // A rain gauge has four decimals, and mostly reports 0.
      let shown = number.coefficient == 0 ? FixedPoint(0) : number
      let text = MessageText(bytes: [UInt8](byteCountMax: 24) { $0.append(shown) })
      return unit.map { "\(text) \(bytes: $0)" } ?? text
    case .boolean(let isOn): return isOn ? "on" : "off"
    case .text(let text): return "\(text)"
    case .unknown: return "unknown"
    case .unavailable: return "unavailable"
    }
  }
}

extension Enrollment.TokenFlaw {
  public var words: MessageText {
    switch self {
    case .noFileNamed: "there is no token. Pair this board: \(Arguments.command("pair"))"
    case .unreadable(let code): Self.unusable("cannot be read: \(Errno(code: code))")
    case .empty: Self.unusable("is empty")
    case .tooLarge: Self.unusable("is larger than 8 KiB")
    case .notAToken:
      Self.unusable("contains a space, a second line, or another character that tokens do not have")
    case .hasByteOrderMark:
      Self.unusable(
        "begins with a byte order mark (U+FEFF), an invisible character of its editor")
    case .credentialRejected:
      "Home Assistant rejects the stored login; \(Login.whenShownAgain). Pair this board again:"
        + " \(Arguments.command("pair"))"
    case .withheld:
      "no token is sent: this may not be home, and home_assistant.url is plain HTTP; a token is"
        + " sent only in a network of home_assistant.home_network, over https://, or with"
        + " home_assistant.plain_http_away"
    case .notRenewed(.noConnection(let reason)):
      "Home Assistant cannot be reached for an access token: \(unreached: reason)"
    case .notRenewed(.server(let refusal)):
      refusal.words(.accessToken, addressIn: "home_assistant.url")
    case .notRenewed(let problem): "\(shown: problem.words)"
    }
  }

  /// Short code of one to five words.
  public var code: StaticString {
    switch self {
    case .noFileNamed: "no file"
    case .unreadable: "not readable"
    case .empty: "empty"
    case .tooLarge: "larger than 8 KiB"
    case .notAToken: "not a token"
    case .hasByteOrderMark: "a byte order mark"
    case .credentialRejected: "rejected"
    case .withheld: "withheld"
    case .notRenewed: "not renewed"
    }
  }

  private static func unusable(_ flaw: MessageText) -> MessageText {
    "there is no token: home_assistant.token_file \(flaw). Write a long-lived token of Home"
      + " Assistant to it, and nothing else; or remove this key, and use:"
      + " \(Arguments.command("pair"))"
  }
}

extension Enrollment.Problem {
  public var words: MessageText {
    switch self {
    case .noToken(let flaw): flaw.words
    case .tokenRejected:
      "Home Assistant does not accept the token; \(Login.whenShownAgain). Write a new one to"
        + " home_assistant.token_file; if that names none, to \(Configuration.placesOfToken); or"
        + " use: \(Arguments.command("pair"))"
    case .noConnection(let reason):
      "Home Assistant cannot be reached to register: \(unreached: reason)"
    case .server(let refusal) where refusal.isLasting:
      refusal.words(.registration) + (refusal == .banned ? " " : ". ")
        + "The agent retries less and less often, and after a restart"
    case .server(let refusal): refusal.words(.registration, addressIn: "home_assistant.url")
    case .requestRejected:
      "Home Assistant rejects the registration as malformed (400); please report it."
        + " \(Self.whenAgain)"
    case .withoutEncryption:
      "Home Assistant offers no encryption; for that it needs PyNaCl, which it has by default. To"
        + " send unencrypted anyway, set home_assistant.encryption: preferred. \(Self.whenAgain)"
    }
  }

  private static var whenAgain: MessageText {
    "The agent retries in \(Enrollment.refusalDelay), or after a restart"
  }

  public var code: StaticString {
    switch self {
    case .noToken: "no_token"
    case .tokenRejected: "token_rejected"
    case .noConnection: "no_connection"
    case .server(let refusal): refusal.code
    case .requestRejected: "request_rejected"
    case .withoutEncryption: "without_encryption"
    }
  }
}

extension Route {
  public var words: MessageText {
    switch self {
    case .home: "the home network"
    case .cloudhook: "the webhook in the cloud"
    case .remoteUI: "the remote address in the cloud"
    case .instance: "home_assistant.url"
    }
  }

  public var code: StaticString {
    switch self {
    case .home: "home"
    case .cloudhook: "cloudhook"
    case .remoteUI: "remote_ui"
    case .instance: "instance"
    }
  }
}

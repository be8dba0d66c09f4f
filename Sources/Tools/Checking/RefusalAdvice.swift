import Board
import Bytes
import HomeAssistant
import LinuxIO
import Transport

// The party at fault, and the remedy, if a server refuses a request or a connection fails.

extension ServerRefusal {
  var culprit: Finding.Culprit {
    switch self {
    case .banned, .untrustedProxy, .notFound, .unavailable: .homeAssistant
    case .moved, .wantsTLS: .configuration
    case .forbidden, .loginPage, .notHomeAssistant: .network
    }
  }

  var remedy: MessageText {
    switch self {
    case .banned: "check ip_bans.yaml of Home Assistant"
    case .forbidden:
      "let the proxy pass /api/ and /auth/ without its own login, or use an address that does not"
        + " go through it"
    case .untrustedProxy: Self.trustRemedy
    case .wantsTLS: "write https:// instead of http:// in home_assistant.url"
    case .moved(let address): "write \(shown: Text(address)) into home_assistant.url"
    case .notFound: "wait some minutes, and try again; if this continues, check home_assistant.url"
    case .unavailable where isOfProxy:
      "check that Home Assistant is running, and that the proxy has its address"
    case .unavailable: EncryptionProof.waiting
    case .loginPage, .notHomeAssistant:
      "open that address in a browser: does this network have a login page? If not, check"
        + " home_assistant.url"
    }
  }
}

extension ConnectionFlaw {
  var culprit: Finding.Culprit {
    switch self {
    case .unreadableAuthorities, .otherAuthority, .otherPublicKey, .certificateForAnotherName,
      .plainServer, .noAnswerInPlain:
      .configuration
    case .environmentProxy: .board
    case .untrustedCertificate, .certificateOutOfDate, .noTLS, .noAnswer: .network
    }
  }

  /// Returns the general advice, with the line to write if that is known.
  func remedy(at url: [UInt8], _ authorityFile: Path?) -> MessageText {
    switch self {
    case .plainServer: "write \(bytes: url.withOtherScheme) into home_assistant.url"
    case .noAnswerInPlain:
      "if that port needs TLS, write \(bytes: url.withOtherScheme) into home_assistant.url"
    case .otherAuthority, .unreadableAuthorities:
      authorityFile.map { "\(remedy): \($0)" } ?? remedy
    default: remedy
    }
  }
}

extension [UInt8] {
  /// The URL with `https://` in place of `http://`, or the reverse.
  var withOtherScheme: [UInt8] {
    guard let colon = firstIndex(of: UInt8(ascii: ":")) else { return self }
    let isEncrypted = span.starts(with: "https:")
    return [UInt8](isEncrypted ? "http" : "https" as StaticString) + self[colon...]
  }
}

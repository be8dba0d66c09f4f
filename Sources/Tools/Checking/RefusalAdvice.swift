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
    case .banned: "look into ip_bans.yaml of Home Assistant"
    case .forbidden:
      "have the proxy let /api/ and /auth/ pass without a login of its own, or write an address"
        + " that does not lead through it"
    case .untrustedProxy: Self.trustRemedy
    case .wantsTLS: "write https:// in home_assistant.url, in place of http://"
    case .moved(let address): "write \(shown: Text(address)) into home_assistant.url"
    case .notFound: "wait some minutes, and check again; if this stays, look at home_assistant.url"
    case .unavailable where isOfProxy:
      "look whether Home Assistant runs, and which address of it the proxy has"
    case .unavailable: EncryptionProof.waiting
    case .loginPage, .notHomeAssistant:
      "open that address in a browser: does this network have a login page? Else look at"
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
      "does that port want TLS? Then write \(bytes: url.withOtherScheme) into home_assistant.url"
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

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

  /// Returns the general advice; `key` is that of the address in the configuration.
  func remedy(for key: StaticString = "home_assistant.url") -> MessageText {
    switch self {
    case .banned: "check ip_bans.yaml of Home Assistant"
    case .forbidden:
      "let the proxy pass /api/ and /auth/ without its own login, or use an address that does not"
        + " go through it"
    case .untrustedProxy: Self.trustRemedy
    case .wantsTLS: "write https:// instead of http:// in \(key)"
    case .moved(let address): "write \(shown: Text(address)) into \(key)"
    case .notFound: "wait some minutes, and try again; if this continues, check \(key)"
    case .unavailable where isOfProxy:
      "check that Home Assistant is running, and that the proxy has its address"
    case .unavailable: EncryptionProof.waiting
    case .loginPage, .notHomeAssistant:
      "open that address in a browser: does this network have a login page? If not, check"
        + " \(key); if a proxy requires its own login, let it pass /api/ and /auth/"
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

  /// Returns the general advice, with the line to write if that is known; `key` is that of the
  /// address in the configuration.
  func remedy(
    at url: [UInt8], for key: StaticString = "home_assistant.url", _ authorityFile: Path?
  ) -> MessageText {
    switch self {
    case .noTLS:
      "at home, write http:// in \(key), or its HTTPS port; otherwise connect the cloud"
    case .plainServer: "write \(bytes: url.withOtherScheme) into \(key)"
    case .noAnswerInPlain:
      "if that port needs TLS, write \(bytes: url.withOtherScheme) into \(key)"
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

extension TransferFault {
  fileprivate func remedy(for key: StaticString) -> MessageText {
    switch self {
    case .name:
      "check the name in \(key), or use a numeric address, such as"
        + " http://192.168.1.5:8123"
    case .connection, .other:
      "check that this board has a network, that Home Assistant is running, and \(key): the port"
        + " is 8123, or on new systems of Home Assistant 80"
    case .timeout: "check that the machine in \(key) is on; if it is, read its log"
    }
  }
}

extension ServerProbe {
  var cause: StaticString {
    switch self {
    case .homeAssistant: "none"
    case .notSetUp: "not_set_up"
    case .noConnection: "no_connection"
    case .server(let refusal): refusal.code
    }
  }

  /// Returns the remedy; nil if the text of the failure contains it. `fault` is that of a request
  /// without an answer, and `key` that of the address in the configuration.
  func remedy(
    _ fault: TransferFault, at url: [UInt8], for key: StaticString, _ authorityFile: Path?
  ) -> MessageText? {
    switch self {
    case .homeAssistant, .notSetUp: nil
    case .noConnection(let reason):
      ConnectionFlaw(reason)?.remedy(at: url, for: key, authorityFile) ?? fault.remedy(for: key)
    case .server(.notFound) where endBeforePage(url) != nil,
      .server(.notHomeAssistant) where endBeforePage(url) != nil:
      addressAdvice(url)
    case .server(let refusal): refusal.remedy(for: key)
    }
  }

  var culprit: Finding.Culprit {
    switch self {
    case .noConnection(let reason): ConnectionFlaw(reason)?.culprit ?? .network
    case .server(.notFound): .configuration
    case .server(let refusal): refusal.culprit
    case .homeAssistant, .notSetUp: .homeAssistant
    }
  }
}

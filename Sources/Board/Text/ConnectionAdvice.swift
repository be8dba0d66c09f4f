public import Bytes
import HomeAssistant
public import Transport

extension MessageText.StringInterpolation {
  /// Appends why there is no connection to Home Assistant, and the remedy if it is known.
  public mutating func appendInterpolation(unreached reason: InlineText) {
    appendInterpolation(reason)
    if let flaw = ConnectionFlaw(reason) { appendInterpolation("; \(flaw.remedy)" as MessageText) }
  }
}

extension InlineText {
  /// Converts a reason from the library, which may be longer there.
  public init(text: Text) {
    let bytes = text.bytes
    self.init(bytes.span)
  }
}

extension ConnectionFlaw {
  /// Remedy for people.
  public var remedy: MessageText {
    switch self {
    case .untrustedCertificate:
      "name its authority's certificate in home_assistant.tls.ca_file, or renew an expired"
        + " certificate"
    case .otherAuthority:
      "home_assistant.tls.ca_file must hold the certificate of the authority that signed it"
    case .unreadableAuthorities: "check home_assistant.tls.ca_file"
    case .certificateOutOfDate: "compare the clocks; \"date\" shows that of this board"
    case .certificateForAnotherName: "use the name in the certificate as the address"
    case .otherPublicKey: "check home_assistant.tls.public_key"
    case .noTLS, .plainServer:
      "write http:// in home_assistant.url, or use the port that serves HTTPS"
    case .noAnswer: "read the log of the server there"
    case .noAnswerInPlain: "if that port needs TLS, write https:// in home_assistant.url"
    case .environmentProxy:
      "check http_proxy, https_proxy and all_proxy in its environment; no_proxy excludes a server"
    }
  }
}

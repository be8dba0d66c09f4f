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
      "name its authority's certificate in home_assistant.tls.ca_file, or renew a certificate that"
        + " is out of date"
    case .otherAuthority:
      "home_assistant.tls.ca_file has to hold the certificate of the authority that signed it"
    case .unreadableAuthorities: "look at home_assistant.tls.ca_file"
    case .certificateOutOfDate: "compare the clocks; \"date\" shows that of this board"
    case .certificateForAnotherName: "write the name that the certificate is for into the address"
    case .otherPublicKey: "look at home_assistant.tls.public_key"
    case .noTLS, .plainServer:
      "write http:// in home_assistant.url, or the port there that speaks HTTPS"
    case .noAnswer: "look at the log of what runs there"
    case .noAnswerInPlain: "does that port want TLS? Then write https:// in home_assistant.url"
    case .environmentProxy:
      "look at http_proxy, https_proxy and all_proxy of its environment; no_proxy excepts a server"
    }
  }
}

import Bytes
import HomeAssistant
import Transport

extension MessageText.StringInterpolation {
  /// Why there is no connection to Home Assistant, and what to do about it where that is known.
  mutating func appendInterpolation(unreached reason: InlineText) {
    appendInterpolation(reason)
    if let flaw = ConnectionFlaw(reason) { appendInterpolation("; \(flaw.advice)" as MessageText) }
  }
}

extension InlineText {
  /// A reason that went through the library, which may be longer there.
  init(text: Text) {
    let bytes = text.bytes
    self.init(bytes.span)
  }
}

extension ConnectionFlaw {
  fileprivate var advice: StaticString {
    switch self {
    case .untrustedCertificate:
      "for a certificate of your own, name its authority in home_assistant.tls.ca_file"
    case .unreadableAuthorities: "look at home_assistant.tls.ca_file"
    case .certificateOutOfDate: "compare the clocks; \"date\" shows that of this board"
    case .certificateForAnotherName: "write the name that the certificate is for into the address"
    case .otherPublicKey: "look at home_assistant.tls.public_key"
    case .noTLS: "does that port speak plain HTTP? Then write http://"
    case .noAnswer: "does that port want TLS? Then write https://"
    }
  }
}

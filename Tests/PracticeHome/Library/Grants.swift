/// Everything a client may show to be let in: codes, refresh tokens, access tokens.
struct Grants: Sendable {
  static let codeLifetime = Duration.seconds(600)
  /// How long a refresh token lasts after its last use.
  static let refreshTokenLifetime = Duration.seconds(90 * 86_400)

  /// Good for one exchange, by the client it was made for.
  private struct Code {
    var text: String
    var clientID: String
    var end: Moment
  }

  /// Something that lets a client in until it is taken back: a refresh token with the access
  /// tokens made from it, or one long-lived access token.
  private struct Credential {
    var id: String
    /// Nil for a long-lived access token.
    var refreshToken: String?
    var clientID: String?
    var clientName: String?
    var end: Moment?
  }

  private struct AccessToken {
    var text: String
    var credential: String
    var end: Moment?
  }

  let random: @Sendable (Int) -> [UInt8]
  private var codes: [Code] = []
  private var credentials: [Credential] = []
  private var accessTokens: [AccessToken] = []

  /// - Parameters:
  ///   - token: a long-lived access token that never ends.
  ///   - random: makes that many random bytes.
  init(token: String, random: @escaping @Sendable (Int) -> [UInt8]) {
    self.random = random
    credentials = [Credential(id: "practice", clientName: "practice")]
    accessTokens = [AccessToken(text: token, credential: "practice")]
  }

  // MARK: Codes

  mutating func makeCode(for clientID: String, now: Moment) -> String {
    let text = random(16).hexadecimal
    codes.append(Code(text: text, clientID: clientID, end: now + Self.codeLifetime))
    return text
  }

  /// True once, for the client the code was made for.
  mutating func redeem(_ code: String, by clientID: String, now: Moment) -> Bool {
    guard let index = codes.firstIndex(where: { $0.text == code && $0.clientID == clientID })
    else { return false }
    return now < codes.remove(at: index).end
  }

  /// A restart forgets what was only half done.
  mutating func forgetCodes() { codes = [] }

  // MARK: Refresh tokens

  mutating func makeRefreshToken(for clientID: String, now: Moment) -> String {
    let text = random(64).hexadecimal
    credentials.append(
      Credential(
        id: random(16).hexadecimal, refreshToken: text, clientID: clientID,
        end: now + Self.refreshTokenLifetime))
    return text
  }

  private func index(ofRefreshToken text: String, now: Moment) -> Int? {
    credentials.firstIndex { credential in
      credential.refreshToken == text && credential.end.map { now < $0 } ?? true
    }
  }

  /// Whose refresh token this is, if it is one.
  func client(ofRefreshToken text: String, now: Moment) -> String? {
    index(ofRefreshToken: text, now: now).flatMap { credentials[$0].clientID }
  }

  /// Takes a refresh token back with all that was made from it; the credential it was.
  mutating func revoke(_ refreshToken: String, now: Moment) -> String? {
    guard let index = index(ofRefreshToken: refreshToken, now: now) else { return nil }
    let id = credentials.remove(at: index).id
    accessTokens.removeAll { $0.credential == id }
    return id
  }

  // MARK: Access tokens

  /// An access token made from a refresh token, which lives on.
  mutating func makeAccessToken(
    from refreshToken: String, lifetime: Duration, now: Moment
  ) -> String? {
    guard let index = index(ofRefreshToken: refreshToken, now: now) else { return nil }
    credentials[index].end = now + Self.refreshTokenLifetime
    return makeAccessToken(of: credentials[index].id, end: now + lifetime)
  }

  /// Nil if there is one of that name: names of long-lived tokens are not used twice.
  mutating func makeLongLivedToken(
    named name: String, lifetime: Duration, now: Moment
  ) -> String? {
    if credentials.contains(where: { $0.clientName == name }) { return nil }
    let credential = Credential(id: random(16).hexadecimal, clientName: name)
    credentials.append(credential)
    return makeAccessToken(of: credential.id, end: now + lifetime)
  }

  /// As long as the real ones, and as opaque to a client.
  private mutating func makeAccessToken(of id: String, end: Moment) -> String {
    let text = random(90).hexadecimal
    accessTokens.append(AccessToken(text: text, credential: id, end: end))
    return text
  }

  /// The credential behind an access token, or nil if it opens nothing (any more).
  func credential(ofAccessToken text: String, now: Moment) -> String? {
    accessTokens.first { token in
      token.text == text && token.end.map { now < $0 } ?? true
    }?.credential
  }
}

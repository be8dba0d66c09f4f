import Bytes
import Foundation
import HomeAssistant
import LinuxIO
import Testing

@testable import Transport

@Suite struct PublicKeyPinTests {
  static let one = "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

  @Test(arguments: [one, "\(one);\(one)"])
  func whatLibcurlReadsAsAPinIsOne(text: String) {
    #expect(PublicKeyPin([UInt8](text.utf8)) != nil)
  }

  /// To libcurl each of these would be the name of a file, or a pin that never fits.
  @Test(arguments: [
    "", "sha256//", "/etc/pin.pem", String(one.dropFirst(8)), String(one.dropLast()), one + "=",
    one + ";", ";" + one, one + " ", one.replacing("/T", with: "-T"), "SHA256" + one.dropFirst(6),
    "sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFUA",
  ])
  func nothingElseIsAPin(text: String) {
    #expect(PublicKeyPin([UInt8](text.utf8)) == nil)
  }
}

/// Both clients, and what they make of the same settings.
@Suite(.serialized) final class TLSTests {
  private let authority: TLSFront.Authority

  init() throws { authority = try TLSFront.Authority() }
  deinit { authority.remove() }

  private static let notVerified = "its certificate is not trusted"
  private static let noAuthorities = "the file of authorities cannot be used"

  @Test func theSystemDoesNotBelieveAnAuthorityOfOnesOwn() throws {
    #expect(try reach(.system) == failed(Self.notVerified))
  }

  @Test func anAuthorityOfOnesOwnIsBelievedWhereItIsNamed() throws {
    #expect(try reach(trusting()) == opened)
  }

  @Test func anAuthorityThatIsNotThereIsNotMadeUpFor() throws {
    #expect(try reach(trusting("absent.pem")) == failed(Self.noAuthorities))
  }

  @Test func aPipeInPlaceOfTheAuthoritiesHoldsNothingUp() throws {
    try #require(unsafe file("pipe").withCString { unsafe mkfifo($0, 0o600) } == 0)
    #expect(try reach(trusting("pipe")) == failed(Self.noAuthorities))
  }

  @Test(arguments: ConnectionFlaw.allCases)
  func theDescriptionOfAFlawIsNotCut(_ flaw: ConnectionFlaw) {
    #expect(flaw.words.utf8CodeUnitCount <= InlineText.byteCountMax)
  }

  @Test func anotherAuthorityIsNotBelieved() throws {
    let other = try TLSFront.Authority()
    defer { other.remove() }
    let settings = TransportSettings(authorityFile: Path(other.file("authority.pem")))
    #expect(try reach(settings) == failed("its certificate is from no authority in ca_file"))
  }

  /// The certificate is right, and for another name.
  @Test func theNameHasToFit() throws {
    #expect(
      try reach(trusting(), host: "localhost") == failed("its certificate is for another name"))
  }

  @Test func theRightPinFits() throws {
    var settings = trusting()
    let pin = try #require(PublicKeyPin(authority.pin()))
    settings.publicKeyPin = pin
    #expect(try reach(settings) == opened)
  }

  @Test func aPinDoesNotReplaceTheAuthority() throws {
    let pin = try #require(PublicKeyPin(authority.pin()))
    #expect(try reach(TransportSettings(publicKeyPin: pin)) == failed(Self.notVerified))
  }

  @Test func aWrongPinDoesNotFit() throws {
    var settings = trusting()
    let pin = try #require(PublicKeyPin([UInt8](PublicKeyPinTests.one.utf8)))
    settings.publicKeyPin = pin
    #expect(try reach(settings) == failed("its public key is not the configured one"))
  }

  @Test func aClientCertificateIsShownWhereItIsAskedFor() throws {
    var settings = trusting()
    settings.clientCertificate = ClientCertificate(
      certificateFile: file("client.pem"), keyFile: file("client.key"))
    #expect(try reach(settings, isAskingForCertificate: true) == opened)
  }

  @Test func withoutAClientCertificateSuchAServerIsClosed() throws {
    let results = try reach(trusting(), isAskingForCertificate: true)
    #expect(results.count == 2 && !results.contains(.opened))
  }

  @Test func whatSpeaksNoTLSIsToldFromABadCertificate() throws {
    let rig = try WebSocketRig()
    defer { rig.stop() }
    rig.server.received = { [server = rig.server] peer in
      server.send([UInt8]("HTTP/1.1 400 Bad request\r\n\r\n"), to: peer)
      server.close(peer)
    }
    let url = "https://127.0.0.1:\(rig.server.port)/"
    #expect(try requested(url, .system, rig) == .failed("it does not speak TLS there"))
  }

  /// The settings are about the home: its authority does not vouch for a server in the cloud, and
  /// the system's authorities do not vouch for the home.
  @Test(.enabled(if: MountNamespace.isAllowed, "only root can replace the system's authorities"))
  func eachServerIsJudgedByItsOwnAuthorities() throws {
    let cloud = try TLSFront.Authority()
    defer { cloud.remove() }
    let certificates = try Data(contentsOf: cloud.directory.appending(path: "authority.pem"))
    let results = try MountNamespace.run(
      seeing: ["/etc/ssl/certs/ca-certificates.crt": [UInt8](certificates)]
    ) { [authority] in try Self.reach(home: authority, cloud: cloud) }
    let refused = TransferResult.failed(InlineText(ConnectionFlaw.untrustedCertificate.words))
    #expect(results.home == [.answered(status: 200), refused, .answered(status: 200)])
    let other = TransferResult.failed(InlineText(ConnectionFlaw.otherAuthority.words))
    #expect(results.cloud == [other, .answered(status: 200), other])
  }

  /// What one client, with the settings of the home, makes of two servers, by who judges them:
  /// itself, the system, and itself again.
  private static func reach(
    home: TLSFront.Authority, cloud: TLSFront.Authority
  ) throws -> (home: [TransferResult], cloud: [TransferResult]) {
    let loop = try EventLoop()
    let plain = try StreamServer(loop: loop)
    defer { plain.stop() }
    plain.received = { [unowned plain] peer in
      guard peer.input.suffix(4) == [13, 10, 13, 10] else { return }
      peer.input = []
      plain.send([UInt8]("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), to: peer)
    }
    let settings = TransportSettings(authorityFile: Path(home.file("authority.pem")))
    let client = try #require(
      HTTPClient(loop: loop, settings: settings, requestByteCountMax: 16, userAgent: []))
    func reach(_ authority: TLSFront.Authority) throws -> [TransferResult] {
      let front = try TLSFront(to: plain.port, by: authority)
      let url = [UInt8]("https://127.0.0.1:\(front.port)/".utf8)
      return try [Endpoint.Trust.configured, .system, .configured].map { trust in
        let endpoint = Endpoint(address: url, method: .get, trust: trust)
        return try RecordingOwner().result(of: endpoint, from: client, on: loop)
      }
    }
    return (try reach(home), try reach(cloud))
  }

  /// TLS holds more than the kernel knows of, in both directions.
  @Test(arguments: [100_000, 1 << 22])
  func longMessagesGoThroughTLS(byteCount: Int) throws {
    let rig = try WebSocketRig(settings: trusting())
    defer { rig.stop() }
    let front = try TLSFront(to: rig.server.port, by: authority)
    let peer = try rig.openAndAccept("https://127.0.0.1:\(front.port)/")
    let payload = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    rig.server.send(WebSocketRig.frame(0x82, payload) + WebSocketRig.frame(0x81, "and"), to: peer)
    try rig.turn(untilEvents: 3)
    #expect(
      rig.events.suffix(2) == [.received(.binary, payload), .received(.text, [UInt8]("and"))])
    rig.server.setReading(false, from: peer)
    #expect(rig.send(.binary, payload))
    for _ in 0..<20 { try rig.turnOnce() }
    rig.server.setReading(true, from: peer)
    #expect(try rig.frame(from: peer).payload == payload)
    #expect(rig.send(.text, [UInt8]("done")))
    #expect(try rig.frame(from: peer).payload == [UInt8]("done"))
  }

  // MARK: Tools

  private enum Reached: Equatable {
    case opened
    case failed(String)
  }

  private let opened: [Reached] = [.opened, .opened]

  private func failed(_ words: String) -> [Reached] { [.failed(words), .failed(words)] }

  private func trusting(_ name: String = "authority.pem") -> TransportSettings {
    TransportSettings(authorityFile: file(name))
  }

  private func file(_ name: String) -> Path { Path(authority.file(name)) }

  /// What HTTP makes of a server, and what a WebSocket does.
  private func reach(
    _ settings: TransportSettings, host: String = "127.0.0.1", isAskingForCertificate: Bool = false
  ) throws -> [Reached] {
    let rig = try WebSocketRig(settings: settings)
    defer { rig.stop() }
    let front = try TLSFront(
      to: rig.server.port, by: authority, isAskingForCertificate: isAskingForCertificate)
    rig.server.received = { [server = rig.server] peer in
      guard peer.input.suffix(4) == [13, 10, 13, 10] else { return }
      let head = String(decoding: peer.input, as: UTF8.self)
      peer.input = []
      let answer =
        head.contains("Sec-WebSocket-Key")
        ? WebSocketRig.accepting(head) : [UInt8]("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      server.send(answer, to: peer)
    }
    let url = "https://\(host):\(front.port)/api/"
    return [try requested(url, settings, rig), try connected(url, rig)]
  }

  private func requested(
    _ url: String, _ settings: TransportSettings, _ rig: WebSocketRig
  ) throws -> Reached {
    switch try rig.get(url, settings) {
    case .answered(let status): return status == 200 ? .opened : .failed("\(status)")
    case .failed(let words): return .failed(text(words))
    }
  }

  private func connected(_ url: String, _ rig: WebSocketRig) throws -> Reached {
    rig.open(url)
    try rig.turn(untilEvents: 1)
    guard case .closed(let end) = try #require(rig.events.first) else { return .opened }
    switch end {
    case .notConnected(let words): return .failed(text(words))
    case .disconnected(let words): return .failed(text(words))
    default: return .failed("\(end)")
    }
  }

  private func text(_ words: InlineText) -> String {
    String(decoding: [UInt8](words.bytes), as: UTF8.self)
  }
}

@Suite(.serialized) final class ProxyTests {
  private let proxy: WebSocketRig
  private let settings: TransportSettings
  private let rig: WebSocketRig

  init() throws {
    proxy = try WebSocketRig()
    settings = TransportSettings(proxy: [UInt8]("http://127.0.0.1:\(proxy.server.port)".utf8))
    rig = try WebSocketRig(settings: settings)
  }

  deinit {
    rig.stop()
    proxy.stop()
  }

  /// The proxy plays the server behind it, too.
  @Test func aWebSocketIsTunnelled() throws {
    rig.open("http://boat.invalid/api/websocket")
    let peer = try turn { proxy.server.peers.values.first }
    let connect = try head(from: peer)
    #expect(connect.hasPrefix("CONNECT boat.invalid:80 HTTP/1.1\r\n"))
    proxy.server.send([UInt8]("HTTP/1.1 200 Connection established\r\n\r\n"), to: peer)
    let request = try head(from: peer)
    #expect(request.hasPrefix("GET /api/websocket HTTP/1.1\r\nHost: boat.invalid\r\n"))
    proxy.server.send(
      WebSocketRig.accepting(request) + WebSocketRig.frame(0x81, "through"), to: peer)
    _ = try turn { rig.events.count == 2 ? true : nil }
    #expect(rig.events == [.opened, .received(.text, [UInt8]("through"))])
  }

  @Test func aProxyThatRefusesIsNoConnection() throws {
    rig.open("http://boat.invalid/")
    let peer = try turn { proxy.server.peers.values.first }
    _ = try head(from: peer)
    proxy.server.send([UInt8]("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n"), to: peer)
    let event = try turn { rig.events.first }
    let isUnconnected = if case .closed(.notConnected) = event { true } else { false }
    #expect(isUnconnected, "\(event)")
  }

  @Test func anHTTPRequestIsGivenToTheProxy() throws {
    proxy.server.received = { [server = proxy.server] peer in
      let isAsked = String(decoding: peer.input, as: UTF8.self)
        .hasPrefix("GET http://boat.invalid/api/ HTTP/1.1\r\n")
      server.send(
        [UInt8]("HTTP/1.1 \(isAsked ? 200 : 500) X\r\nContent-Length: 0\r\n\r\n".utf8), to: peer)
    }
    #expect(try proxy.get("http://boat.invalid/api/", settings) == .answered(status: 200))
  }

  /// Turns both loops until there is a result.
  private func turn<Result>(until result: () -> Result?) throws -> Result {
    var found = result()
    try rig.turn {
      try proxy.turnOnce()
      found = found ?? result()
      return found != nil
    }
    return try #require(found)
  }

  private func head(from peer: StreamServer.Peer) throws -> String {
    defer { peer.input = [] }
    return try turn {
      peer.input.suffix(4) == [13, 10, 13, 10] ? String(decoding: peer.input, as: UTF8.self) : nil
    }
  }
}

import Bytes
import Outbox
import Sensing
import Testing
import Transport

@testable import Board
@testable import HomeAssistant
@testable import Tools

/// Which address `homeward check` asks, and which key its advice names.
@Suite struct CheckedRoutesTests {
  private func routes(
    _ server: String, at presence: HomeNetworks.Presence, remoteUI: String? = nil,
    isPaired: Bool = true
  ) throws -> CheckedRoutes {
    let configuration = try Configuration.parse([UInt8]("home_assistant: { \(server) }\n".utf8))
    var registration = Registration(webhookID: [UInt8]("abc".utf8), protection: .plain)
    _ = registration?.setAddresses(
      cloudhook: nil, remoteUI: remoteUI.map { Text([UInt8]($0.utf8)) })
    return CheckedRoutes(configuration.homeAssistant, at: presence, isPaired ? registration : nil)
  }

  private static let van =
    "url: http://ha, home_network: { ssids: [Harbour], url: http://192.168.1.5:8123 }"

  @Test func atHomeTheAddressOfTheHomeNetworkIsAskedAndNamed() throws {
    let here = try routes(Self.van, at: .home)
    #expect(text(here.url) == "http://192.168.1.5:8123" && here.isAllowed)
    #expect("\(here.urlKey)" == "home_network.url" && here.others == [.instance])
    let same = try routes("url: http://ha, home_network: { ssids: [Harbour] }", at: .home)
    #expect(text(same.url) == "http://ha" && "\(same.urlKey)" == "home_assistant.url")
    #expect(same.others.isEmpty)
  }

  @Test func awayNothingGoesInPlainButThroughTheCloud() throws {
    for presence in [HomeNetworks.Presence.away, .unknown] {
      let here = try routes(Self.van, at: presence, remoteUI: "https://x.ui.nabu.casa")
      #expect(text(here.url) == "http://ha" && !here.isAllowed)
      #expect(here.others == [.remoteUI] && here.plainFinding("server").problem == nil)
    }
    let alone = try routes(Self.van, at: .away, remoteUI: "http://x")
    #expect(alone.others.isEmpty && alone.plainFinding("server").problem != nil)
    #expect(try routes(Self.van, at: .away, isPaired: false).plainFinding("server").problem == nil)
    #expect(try routes(Self.van + ", plain_http_away: true", at: .away).isAllowed)
    #expect(try routes("url: http://ha", at: .unknown).isAllowed, "every network is home")
  }

  @Test(arguments: [
    ServerProbe.noConnection(InlineText("Couldn't connect to server")),
    .noConnection(InlineText(ConnectionFlaw.plainServer.words)),
    .noConnection(InlineText(ConnectionFlaw.noTLS.words)),
    .noConnection(InlineText(ConnectionFlaw.noAnswerInPlain.words)),
    .server(.wantsTLS), .server(.notFound), .server(.notHomeAssistant(status: 200)),
    .server(.moved(to: [UInt8]("https://boat.example".utf8))),
  ])
  func adviceNamesTheKeyOfTheAddress(probe: ServerProbe) {
    let url = [UInt8]("http://192.168.1.5:8123".utf8)
    let faults: [TransferFault] = [.name, .connection, .timeout, .other]
    for fault in faults {
      let remedy = text(probe.remedy(fault, at: url, for: "home_network.url", nil)?.bytes ?? [])
      #expect(remedy.contains("home_network.url") && !remedy.contains("home_assistant.url"))
    }
  }

  /// home-assistant/core#23357: Nabu Casa ends TLS while Home Assistant is not connected to it. Its
  /// address without TLS is no remedy.
  @Test func plainHTTPIsAdvisedAtHomeOnly() {
    let url = [UInt8]("https://x.ui.nabu.casa".utf8)
    let remedy = text(ConnectionFlaw.noTLS.remedy(at: url, nil).bytes)
    #expect(remedy.hasPrefix("at home, write http://"))
    #expect(remedy.hasSuffix("connect the cloud"))
    let general = text(ConnectionFlaw.noTLS.remedy.bytes)
    #expect(general.hasPrefix("at home, write http://"))
  }
}

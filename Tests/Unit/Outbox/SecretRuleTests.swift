import Sensing
import Testing

@testable import Outbox

@Suite struct SecretRuleTests {
  private static let plain = [UInt8]("http://192.168.1.5:8123".utf8)
  private static let encrypted = [UInt8]("https://home.example".utf8)
  private static let presences: [HomeNetworks.Presence] = [.home, .away, .unknown]

  private func rule(
    _ presence: HomeNetworks.Presence, knowsHome: Bool = true, isPlainAllowedAway: Bool = false
  ) -> SecretRule {
    SecretRule(
      knowsHome: knowsHome, isPlainAllowedAway: isPlainAllowedAway, presence: presence)
  }

  @Test(arguments: presences)
  func overTLSASecretMayGoFromEverywhere(presence: HomeNetworks.Presence) {
    #expect(rule(presence).allows(Self.encrypted))
  }

  @Test(arguments: presences)
  func inPlainASecretGoesFromHomeOnly(presence: HomeNetworks.Presence) {
    #expect(rule(presence).allows(Self.plain) == (presence == .home))
  }

  @Test(arguments: presences)
  func whereThePersonAllowsItPlainIsEnough(presence: HomeNetworks.Presence) {
    #expect(rule(presence, isPlainAllowedAway: true).allows(Self.plain))
  }

  @Test(arguments: presences)
  func withoutANamedHomeNetworkEachCountsAsHome(presence: HomeNetworks.Presence) {
    #expect(rule(presence, knowsHome: false).allows(Self.plain))
  }

  @Test func atTheStartNoPlaceIsHome() {
    #expect(!SecretRule(knowsHome: true, isPlainAllowedAway: false).allows(Self.plain))
  }

  /// What begins like an encrypted address and is none.
  @Test(arguments: ["http://https://", "https:/h", "https//h", "", "httpsx://h"])
  func onlyTheSchemeItselfEncrypts(address: String) {
    #expect(!rule(.away).allows([UInt8](address.utf8)))
  }
}

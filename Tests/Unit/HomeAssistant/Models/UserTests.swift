import Bytes
import HomeAssistant
import HomeAssistantClient
import Testing

@Suite struct UserTests {
  @Test func aUserIsDecoded() throws {
    let user: User = try decode(
      """
      {"id":"76ce","name":"Skipper","is_owner":true,"is_admin":true,
      "credentials":[{"auth_provider_type":"homeassistant","auth_provider_id":null},
      {"auth_provider_type":"trusted","auth_provider_id":"t"}],
      "mfa_modules":[{"id":"totp","name":"Authenticator app","enabled":true}],"since":2026}
      """)
    #expect(user.id == "76ce")
    #expect(user.name == "Skipper")
    #expect(user.isOwner)
    #expect(user.isAdmin)
    #expect(user.credentials.map(\.providerType) == ["homeassistant", "trusted"])
    #expect(user.credentials.map(\.providerID) == [nil, "t"])
    #expect(user.multiFactorModules.map(\.id) == ["totp"])
    #expect(user.multiFactorModules.map(\.name) == ["Authenticator app"])
    #expect(user.multiFactorModules.map(\.isEnabled) == [true])
  }

  @Test func aUserNeedsNoMoreThanAnID() throws {
    let user: User = try decode(#"{"id":"76ce"}"#)
    #expect(user.name == nil)
    #expect(!user.isOwner)
    #expect(!user.isAdmin)
    #expect(user.credentials.isEmpty)
    #expect(user.multiFactorModules.isEmpty)
    #expect(throws: JSONDecodingError.missingKey("id")) { try decode("{}", as: User.self) }
  }

  @Test func anAdministratorWhoIsOneIsNoAdministrator() {
    #expect(
      throws: JSONDecodingError.wrongKind(key: "is_admin", expected: .boolean, found: .number)
    ) {
      try decode(#"{"id":"76ce","is_admin":1}"#, as: User.self)
    }
  }
}

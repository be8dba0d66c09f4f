import Foundation
import Testing

extension Contract {
  /// How a registration begins, is replaced, and dies.
  @Suite struct Registration {}
}

// MARK: - The answer

extension Contract.Registration {
  @Test func anEncryptedRegistrationAnswers201WithASecretAndAWebhook() async throws {
    let response = try await Device.register(Device.Identity().registration)
    #expect(response.status == 201)
    #expect(response.contentType?.hasPrefix("application/json") == true)
    let answer = try #require(response.json)
    #expect(answer.keys == ["cloudhook_url", "remote_ui_url", "secret", "webhook_id"])
    #expect(answer["cloudhook_url"] == nil)
    #expect(answer["remote_ui_url"] == nil)
    #expect(isHexadecimal(answer["secret"], count: 64))
    #expect(isHexadecimal(answer["webhook_id"], count: 64))
  }

  @Test func aPlainRegistrationAnswers201WithoutASecret() async throws {
    let body = Device.Identity().registration.replacing("supports_encryption", false)
    let response = try await Device.register(body)
    #expect(response.status == 201)
    #expect(response.json?["secret"] == nil as JSON)
    #expect(isHexadecimal(response.json?["webhook_id"] ?? .absent, count: 64))
  }

  @Test(arguments: [JSON.string("yes"), 1])
  func supportsEncryptionIsTakenLeniently(spelling: JSON) async throws {
    let body = Device.Identity().registration.replacing("supports_encryption", spelling)
    let response = try await Device.register(body)
    #expect(response.status == 201)
    #expect(isHexadecimal(response.json?["secret"] ?? .absent, count: 64))
  }

  private func isHexadecimal(_ json: JSON, count: Int) -> Bool {
    guard case .string(let text) = json else { return false }
    return text.count == count && text.allSatisfy { "0123456789abcdef".contains($0) }
  }
}

// MARK: - Refusals

extension Contract.Registration {
  @Test(arguments: [
    "app_id", "app_name", "app_version", "device_name", "manufacturer", "model", "os_name",
  ])
  func aRegistrationWithoutARequiredKeyOrWithNullIsRefused(key: String) async throws {
    let whole = Device.Identity().registration
    for registration in [whole.removing(key), whole.replacing(key, nil)] {
      let response = try await Device.register(registration)
      #expect(response.status == 400)
      #expect(response.json?["message"].text != nil)
    }
  }

  /// An unknown key is removed without a word.
  @Test(arguments: ["model", "nonsense"])
  func aNumberIsTakenForARequiredTextAndForAnUnknownKey(key: String) async throws {
    let identity = Device.Identity()
    let device = try await Device.registered(
      identity, as: identity.registration.replacing(key, 5))
    #expect(try await device.prove() == Device.proof)
  }

  @Test(
    arguments: [
      ["push_token": "t"], ["push_url": "http://127.0.0.1:9/"],
      ["push_token": "t", "push_url": "no url"],
    ] as [JSON])
  func aPushTargetThatIsNotWholeIsRefused(target: JSON) async throws {
    let body = Device.Identity().registration.replacing("app_data", target)
    #expect(try await Device.register(body).status == 400)
  }

  @Test func aRegistrationThatIsNotJSONIsRefusedWithAMessage() async throws {
    let server = try Server.required()
    let response = try await server.post(
      "/api/mobile_app/registrations", "{", token: server.token)
    #expect(response.status == 400)
    #expect(response.json?["message"].text != nil)
  }

  @Test(arguments: [nil, "not-a-token"])
  func withoutAValidTokenARegistrationIsUnauthorized(token: String?) async throws {
    let server = try Server.required()
    let body = try Device.Identity().registration.encoded()
    let response = try await server.post("/api/mobile_app/registrations", body, token: token)
    #expect(response.status == 401)
    #expect(response.contentType?.hasPrefix("text/plain") == true)
    #expect(String(decoding: response.body, as: UTF8.self) == "401: Unauthorized")
  }
}

// MARK: - Registrations that are not there

extension Contract.Registration {
  @Test func anUnknownWebhookAnswers200WithoutAByteOrAContentType() async throws {
    let server = try Server.required()
    let unknown = "/api/webhook/" + String(repeating: "0", count: 64)
    let response = try await server.post(unknown, #"{"type":"get_config"}"#)
    let hasType = try await server.version() < .validatesLocations
    let type = hasType ? "application/octet-stream" : nil
    #expect(response == Response(status: 200, contentType: type, body: Data()))
  }

  @Test func withoutOSVersionRegistrationSucceedsAndEveryMessageVanishes() async throws {
    let identity = Device.Identity()
    let device = try await Device.registered(
      identity, as: identity.registration.removing("os_version"))
    #expect(try await device.prove() == .nobody)
    #expect(try await device.send("update_location", Device.firstFix) == .nobody)
    #expect(try await device.server.entity(device.tracker) == nil)
  }

  @Test func registeringAgainGivesANewWebhookAndSecretAndSilencesTheOldOnes() async throws {
    let old = try await Device.registered()
    #expect(try await old.prove() == Device.proof)
    let new = try await Device.registered(old.identity)
    #expect(new.webhookID != old.webhookID)
    #expect(new.secret != old.secret)
    #expect(try await old.prove() == .nobody)
    #expect(try await new.prove() == Device.proof)
  }

  @Test func registeringAgainLosesTheSensorsAndKeepsTheTracker() async throws {
    let old = try await Device.located()
    try await old.register("bilge", "sensor", #""state":"dry""#)
    let new = try await Device.registered(old.identity)
    #expect(try await new.server.entity(new.entityID("bilge")) { $0 == nil } == nil)
    #expect(try await new.update("bilge", #""state":"wet""#)["error"]["code"] == "not_registered")
    _ = try await new.send("update_location", #"{"gps":[48.5,-4.5],"gps_accuracy":1}"#)
    let tracker = try await new.position(once: "latitude", is: 48.5)
    #expect(tracker?.attributes["latitude"] == 48.5)
  }

  @Test func withoutADeviceIDEveryRegistrationIsAnotherDevice() async throws {
    let identity = Device.Identity()
    let body = identity.registration.removing("device_id")
    let first = try await Device.registered(identity, as: body)
    let second = try await Device.registered(identity, as: body)
    #expect(try await first.prove() == Device.proof)
    #expect(try await second.prove() == Device.proof)
  }

  @Test func twoAppsWithOneDeviceIDShareATrackerThatListensToTheFirst() async throws {
    let first = try await Device.located()
    let other = Device.Identity()
    let body = other.registration.replacing("app_id", "contract-other")
      .replacing("device_id", first.identity.registration["device_id"])
    let second = try await Device.registered(other, as: body)
    #expect(
      try await second.send("update_location", #"{"gps":[1,1],"gps_accuracy":1}"#) == .emptyObject)
    #expect(try await second.prove() == Device.proof)
    #expect(try await second.server.entity(second.tracker) == nil)
    #expect(try await first.position().attributes["latitude"] == 48.25)
  }
}

// MARK: - The webhook's address

extension Contract.Registration {
  @Test(arguments: [("PATCH", "{}"), ("DELETE", "{}"), ("GET", nil)])
  func theWebhookRefusesOtherMethods(method: String, body: String?) async throws {
    let device = try await Device.registered()
    let data = body.map { Data($0.utf8) }
    #expect(try await device.server.request(method, device.path, data).status == 405)
  }

  @Test func putIsTakenLikePost() async throws {
    let device = try await Device.registered()
    let box = try #require(device.box)
    let body = Data(device.envelope("update_sensor_states", box.seal("[]")).utf8)
    let response = try await device.server.request("PUT", device.path, body)
    #expect(Answer(response, openedWith: box) == Device.proof)
  }

  @Test func aSlashTooManyIsAnotherAddress() async throws {
    let device = try await Device.registered()
    let response = try await device.server.post(device.path + "/", "{}")
    #expect(response.status == 404)
    #expect(String(decoding: response.body, as: UTF8.self) == "404: Not Found")
  }
}

// MARK: - Updating it

extension Contract.Registration {
  static let update: JSON = [
    "app_version": "2", "device_name": "Renamed", "manufacturer": "Nobody", "model": "None",
  ]

  @Test func updatingARegistrationAnswersWithWhatIsKept() async throws {
    let device = try await Device.registered()
    let update = Self.update.replacing("os_version", "7.0")
    let kept = try await device.send("update_registration", update.encoded()).content
    #expect(kept["app_version"] == "2")
    #expect(kept["device_name"] == "Renamed")
    #expect(kept["os_version"] == "7.0")
    #expect(kept["supports_encryption"] == true)
    #expect(kept["secret"] == .absent)
  }

  @Test(
    arguments: ["app_version", "device_name", "manufacturer", "model"].map { update.removing($0) }
      + ["os_name", "device_id", "supports_encryption"].map { update.replacing($0, "x") })
  func anUpdateThatIsNotWholeOrHasAForeignKeyIsDropped(update: JSON) async throws {
    let device = try await Device.registered()
    #expect(try await device.send("update_registration", update.encoded()) == .emptyObject)
  }
}

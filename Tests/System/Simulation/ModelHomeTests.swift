import Bytes
import Testing

@testable import PracticeHome

/// What the model adds to the practice home, as a real Home Assistant does it: the contract tests
/// hold the practice home itself to one.
@Suite struct ModelHomeTests {
  /// A device that speaks to a model and seals by itself.
  private final class Device {
    let home = ModelHome(seed: 1)
    var now = WallTime(nanoseconds: 1_795_000_000_000_000_000)
    private(set) var webhookID = ""
    private(set) var secret = ""

    init() throws { try register() }

    func register() throws {
      let content: PracticeHome.JSON = [
        "device_id": "board-1", "app_id": "homeward", "app_name": "Homeward", "app_version": "1",
        "device_name": "Boat", "manufacturer": "m", "model": "m", "os_name": "Linux",
        "os_version": "6.12", "supports_encryption": true,
      ]
      let reply = try #require(ask("/api/mobile_app/registrations", content.bytes, home.token))
      let answer = try JSONParser.parse(reply.body)
      webhookID = try #require(answer["webhook_id"]?.string)
      secret = try #require(answer["secret"]?.string)
    }

    func ask(_ path: String, _ body: [UInt8], _ token: [UInt8]? = nil) -> Reply? {
      home.answer(Letter(path: path, token: token, body: body), at: now)
    }

    /// Sends it sealed with the key of the registration.
    func send(_ type: String, _ data: PracticeHome.JSON) -> Reply? {
      let sealed = SealingKey(secret: secret).seal(
        data.bytes, nonce: [UInt8](repeating: 7, count: SealingKey.nonceByteCount))
      let message: PracticeHome.JSON = [
        "type": .string(type), "encrypted": true, "encrypted_data": .string(sealed),
      ]
      return ask("/api/webhook/\(webhookID)", message.bytes)
    }

    func opened(_ reply: Reply?) -> PracticeHome.JSON? {
      guard let reply, let envelope = try? JSONParser.parse(reply.body),
        let text = envelope["encrypted_data"]?.string,
        let plain = try? SealingKey(secret: secret).open(text)
      else { return nil }
      return try? JSONParser.parse(plain)
    }

    func report(_ number: Int) -> Reply? {
      send(
        "update_sensor_states",
        [["type": "sensor", "unique_id": "depth", "state": .integer(Int128(number))]])
    }

    func sleep(_ duration: Duration) { now = now - (.zero - duration) }
  }

  private func device() throws -> Device {
    let device = try Device()
    _ = device.send("register_sensor", ["type": "sensor", "unique_id": "depth", "name": "Depth"])
    return device
  }

  @Test func aRestartGoesThroughItsStages() throws {
    let device = try device()
    _ = device.report(7)
    device.home.suffer(
      .restart(down: .seconds(10), deaf: .seconds(20), silent: .seconds(30)), at: device.now)
    #expect(device.report(8) == nil)
    device.sleep(.seconds(10))
    #expect(device.report(8)?.status == 404)
    device.sleep(.seconds(20))
    #expect(device.report(8) == Reply(status: 200, body: []))
    #expect(device.home.shown("depth") == "7", "what it had is there again")
    device.sleep(.seconds(30))
    #expect(device.opened(device.report(8)) == ["depth": ["success": true]])
  }

  /// A day whose troubles had no effect would prove nothing, and complain of nothing.
  @Test func whatBreaksAPairingTakesNothingMore() throws {
    for (trouble, body) in [(.registrationDeleted, ""), (.keysChanged, "{}")]
      as [(ModelHome.Trouble, String)]
    {
      let device = try device()
      device.home.suffer(trouble, at: device.now)
      #expect(device.report(8) == Reply(status: 200, body: [UInt8](body.utf8)), "\(trouble)")
    }
  }

  @Test func aTokenThatWasTakenBackIsCountedAndTheTwelfthTimeItBans() throws {
    let device = try device()
    let former = device.home.token
    device.home.suffer(.tokenReplaced, at: device.now)
    for time in 1...12 {
      #expect(device.ask("/api/mobile_app/registrations", [], former)?.status == 401)
      #expect(device.home.rejections[former] == time)
      #expect(device.home.isBanned == (time == 12))
    }
    #expect(device.report(8)?.status == 403)
  }

  @Test func aDisabledSensorTakesValuesAndShowsNone() throws {
    let device = try device()
    _ = device.report(7)
    device.home.suffer(.sensorDisabled, at: device.now)
    #expect(device.opened(device.report(8)) == ["depth": ["success": true, "is_disabled": true]])
    #expect(device.home.shown("depth") == nil)
    #expect(device.home.records.sightings.last?.way == .unshown)
    device.home.suffer(.sensorEnabled, at: device.now)
    device.sleep(.seconds(35))
    _ = device.report(9)
    #expect(device.home.shown("depth") == "9")
  }

  @Test func aForgottenSensorHasToBeRegisteredAgain() throws {
    let device = try device()
    device.home.suffer(.sensorForgotten, at: device.now)
    let answer = device.opened(device.report(8))
    #expect(answer?["depth"]?["error"]?["code"] == "not_registered")
  }

  @Test func historyIsOnRecordWithItsTimes() throws {
    let device = try device()
    let reply = device.send(
      "fire_event",
      [
        "event_type": "homeward_history",
        "event_data": [
          "first": 3, "last": 4, "sensors": ["depth"], "readings": [[1_795_000_000.5, 0, 12]],
          "points": [[1_795_000_001, 52, 4.5, 3, nil, nil, nil]],
        ],
      ])
    #expect(reply == Reply(status: 200, body: [UInt8]("{}".utf8)))
    #expect(device.home.records.sightings.last?.value == "12")
    #expect(device.home.records.sightings.last?.way == .history(chunk: 0))
    #expect(device.home.records.sightings.last?.time == 1_795_000_000.5)
    #expect(device.home.records.locations.last?.longitude == 4.5)
    #expect(device.home.records.chunks.last?.first == 3)
  }
}

import Bytes
import HomeAssistant

func talkToTheWebhook(to transcript: inout Transcript) {
  writeWebhookMessages(to: &transcript)
  readWebhookAnswers(to: &transcript)
  readLocationsBack(to: &transcript)
}

private func writeWebhookMessages(to transcript: inout Transcript) {
  var update = RegistrationRequest(
    deviceID: [UInt8]("d"), deviceName: [0x42, 0xFF, 0x22], manufacturer: [UInt8]("x"),
    model: [UInt8]("\u{26F5}"), osName: [UInt8]("Linux"), osVersion: [], appVersion: [UInt8]("0"),
    push: PushRoutes(
      isWebSocketWanted: true, target: PushTarget(url: "https://push/a", token: "t\"")))
  transcript.message { update.writeUpdate(into: &$0) }
  transcript.line("told") { $0.append(update.fingerprint.bytes) }
  transcript.message { update.write(into: &$0) }
  update.push = .none
  transcript.message { update.writeUpdate(into: &$0) }
  transcript.message(Webhook.callService("light", "turn_on", data: ["a": 1.5]))
  transcript.message(Webhook.scanTag("a\nb"))
  transcript.message(Webhook.template("{{ a }}", variables: ["a": [nil, true]]))
  let readBack = Webhook.LocationReadBack(
    deviceID: "5fa3", challenge: Challenge(of: parityNonce(1)))
  transcript.message { readBack.write(into: &$0) }
  for count in [64, 65] {
    let type = Text([UInt8](repeating: UInt8(ascii: "e"), count: count))
    do throws(Webhook.ArgumentError) {
      transcript.message(try Webhook.fireEvent(type, data: ["n": 1]))
    } catch {
      transcript.line("message", "refused")
    }
  }
}

private func readWebhookAnswers(to transcript: inout Transcript) {
  let zones = [UInt8](
    #"""
    [{"entity_id":"zone.home","attributes":{"latitude":52.5,"longitude":4,"radius":1e2,
    "passive":false,"friendly_name":"H\u00e9"}}]
    """# as StaticString)
  transcript.line("zones") { line in
    do throws(JSONDecodingError) {
      for zone in try [Webhook.Zone](decoding: zones.span) {
        line.append(zone.isPassive)
        line.append(decimal: Int64(zone.latitude * 10 + zone.radiusMeters))
      }
    } catch {
      line.append(error)
    }
  }
  let configuration = [UInt8](#"{"entities":{"a":{"disabled":true},"b":{}}}"#)
  for uniqueID in ["a", "b", "c"] as [Text] {
    transcript.line("disabled") { line in
      do throws(JSONDecodingError) {
        let isDisabled = try Webhook.ServerConfiguration.isDisabled(
          uniqueID.bytes, in: configuration.span)
        guard let isDisabled else { return line.append("unknown") }
        line.append(isDisabled)
      } catch {
        line.append(error)
      }
    }
  }
  transcript.line("configuration") { line in
    do throws(JSONDecodingError) {
      line.append(try Webhook.ServerConfiguration(configuration.span).version.text.bytes)
    } catch {
      line.append(error)
    }
  }
}

private func readLocationsBack(to transcript: inout Transcript) {
  guard let location = Location(latitude: 51.5, longitude: -3.6, accuracyMeters: 12) else {
    return transcript.line("read back", "no location")
  }
  let answers: [StaticString] = [
    #"{"1lllll":{"e":"device_tracker.b","lat":51.5,"lon":-3.6,"acc":12,"age":0.002}}"#,
    #"{"1lllll":{"e":"device_tracker.b","lat":5.15e1,"lon":-36E-1,"acc":12,"age":0.505}}"#,
    #"{"1lllll":{"e":"device_tracker.b","lat":null,"lon":null,"acc":12,"age":0}}"#,
    #"{"1lllll":{"e":null}}"#, #"{"p":{"e":null}}"#, #"{"1lllll":{"error":"x"}}"#, #"{"1lllll":"#,
  ]
  for answer in answers {
    transcript.line("read back") { line in
      let bytes = [UInt8](answer)
      do throws(JSONDecodingError) {
        switch try Webhook.LocationReadBack.judge(
          bytes.span, to: Challenge(of: parityNonce(0xB5)), of: location, sent: .milliseconds(300))
        {
        case .stored: line.append("stored")
        case .dropped: line.append("dropped")
        case .noTracker: line.append("no tracker")
        }
      } catch {
        line.append(error)
      }
    }
  }
}

func compareVersions(to transcript: inout Transcript) {
  let texts: [Text] = [
    "2026.6.0.dev202605010301", "2026.6.0b1", "2026.6.0", "2025.4.4", "0.118.5", "unknown", "",
  ]
  for left in texts {
    transcript.line("version") { line in
      let version = ServerVersion(left)
      line.append(left.bytes)
      for right in texts { line.append(version < ServerVersion(right) ? " <" : " -") }
      for feature in ServerVersion.Feature.allCases {
        line.append(version.supports(feature) ? " yes" : " no")
      }
      guard let location = Location(latitude: 1, longitude: 2, accuracyMeters: 4.25) else { return }
      line.append("\n")
      location.write(into: &line, for: version)
    }
  }
}

extension Transcript {
  fileprivate mutating func message(_ data: JSON) { message { data.write(into: &$0) } }

  fileprivate mutating func message(_ write: (inout ByteBuffer) -> Void) {
    line("message") { line in
      // A line of its own, for the comma is known from the byte before.
      line.append("\n")
      write(&line)
    }
  }
}

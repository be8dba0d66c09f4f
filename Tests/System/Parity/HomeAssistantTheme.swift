import Bytes
import HomeAssistant

private let keyDigits: StaticString =
  "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

func parityKey() -> SecretKey {
  guard let key = SecretKey(hexadecimal: [UInt8](keyDigits).span) else {
    preconditionFailure("the key is 64 digits")
  }
  return key
}

func parityNonce(_ number: UInt8) -> Nonce {
  var bytes = InlineArray<24, UInt8>(repeating: 0xA5)
  bytes[0] = number
  return Nonce(randomBytes: bytes)
}

extension ByteBuffer {
  fileprivate mutating func append(_ answer: Answer) {
    switch answer {
    case .otherKey: append("other key")
    case .unproven: append("unproven")
    case .notLive: append("not live")
    case .encryptionRequired: append("encryption required")
    case .badRequest: append("bad request")
    case .gone: append("gone")
    case .server(let refusal): append(refusal)
    default: preconditionFailure("this answer has no words here")
    }
  }

  private mutating func append(_ refusal: ServerRefusal) {
    switch refusal {
    case .forbidden(let status): append("forbidden ", status)
    case .notFound: append("not found")
    case .unavailable(let status): append("unavailable ", status)
    case .notHomeAssistant(let status): append("not Home Assistant ", status)
    default: preconditionFailure("this refusal has no words here")
    }
  }

  mutating func append(_ words: StaticString, _ status: Int) {
    append(words)
    append(decimal: status)
  }
}

func judgeAnswers(to transcript: inout Transcript) {
  let answers: [(Int, StaticString)] = [
    (200, "{}"), (200, " {}\n"), (200, ""), (200, "<html>"), (201, "[]"),
    (200, "{\"encrypted\":true,\"encrypted_data\":\"AAAA\"}"),
    (200, "{\"encrypted\":false,\"encrypted_data\":\"AAAA\"}"), (200, "{\"encrypted\":tr"),
    (400, "{}"), (400, "{\"error\":{\"code\":\"encryption_required\"}}"), (401, ""), (403, ""),
    (404, ""), (405, ""), (410, ""), (503, ""), (302, ""),
  ]
  for (status, text) in answers {
    transcript.line("answer") { line in
      var body = ByteBuffer(capacity: 256)
      body.append(text)
      let answer = Answer.read(AnswerHead(status: status), body: &body, with: parityKey())
      line.append("", status)
      line.append(" -> ")
      line.append(answer)
    }
  }
  readVerdicts(to: &transcript)
}

private func readVerdicts(to transcript: inout Transcript) {
  let answers: [StaticString] = [
    #"{"a":{"success":true},"b":{"success":true,"is_disabled":true}}"#,
    #"{"a":{"success":false,"error":{"code":"not_registered","message":"x"}},"b":{}}"#, "{}", "[]",
    #"{"a":{"success":1}}"#,
  ]
  for answer in answers {
    transcript.line("verdicts") { line in
      let bytes = [UInt8](answer)
      do throws(JSONError) {
        try forEachVerdict(in: bytes.span) { uniqueID, verdict in
          uniqueID.append(to: &line)
          switch verdict {
          case .accepted: line.append(" accepted ")
          case .disabled: line.append(" disabled ")
          case .notRegistered: line.append(" not registered ")
          case .refused: line.append(" refused ")
          }
        }
      } catch {
        line.append(error)
      }
    }
  }
}

func parityRegistration() -> Registration {
  var answer = ByteBuffer(capacity: 256)
  answer.append("{\"webhook_id\":\"0f33ab\",\"secret\":\"")
  answer.append(keyDigits)
  answer.append("\"}")
  let read = RegistrationAnswer.read(AnswerHead(status: 201), body: answer)
  guard case .registered(let registration) = read
  else { preconditionFailure("the answer is what Home Assistant sends") }
  return registration
}

func keepARegistration(to transcript: inout Transcript) {
  let registration = parityRegistration()
  var file = ByteBuffer(capacity: Registration.fileByteCountMax)
  registration.writeFile(into: &file)
  transcript.line("registration file") { $0.append(file.bytes.trimmed()) }
  for index in [20, 80, 110] {
    file[index] ^= 1
    transcript.line("registration file with a flipped bit") { line in
      do throws(KeptFileError) {
        line.append(try Registration(file: file.bytes).path)
      } catch {
        switch error {
        case .damaged: line.append("damaged")
        case .unknownVersion(let version): line.append(version)
        }
      }
    }
    file[index] ^= 1
  }
  transcript.line("webhook") { $0.append(registration.path) }
  transcript.line("fingerprint") { line in
    line.append(fingerprint(of: [[UInt8]("serial"), []], purpose: "device id"))
  }
}

func writeLocations(to transcript: inout Transcript) {
  let numbers: [Double] = [0, 0.1, 1.9, 359.6, 360, 1e30, -1, .nan, .infinity]
  for number in numbers {
    transcript.line("location") { line in
      let location = Location(
        latitude: -51.12345675, longitude: 179.99999996, accuracyMeters: number,
        altitudeMeters: -number, speedMetersPerSecond: number, courseDegrees: number,
        verticalAccuracyMeters: number)
      guard let location else { return line.append("none") }
      // A line of its own, for the comma is known from the byte before.
      line.append("\n")
      location.write(into: &line)
    }
  }
}

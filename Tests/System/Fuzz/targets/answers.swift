import Bytes
import HomeAssistant

/// Anything that may stand in an answer of a webhook: read or refused, whatever it was asked with.
func fuzz(_ input: Span<UInt8>) {
  checkHandled(input)
  checkConfiguration(input)
  checkVerdicts(input)
  let challenge = Challenge(of: Nonce(randomBytes: InlineArray(repeating: 0)))
  _ = challenge.isRepeated(inResults: input)
  _ = challenge.isRepeated(inVerdicts: input)
  _ = try? LossyArray<Webhook.Zone>(decoding: input)
  if let location = Location(latitude: 52, longitude: 4, accuracyMeters: 3) {
    _ = try? Webhook.LocationReadBack.judge(
      input, to: challenge, of: location, sent: .seconds(1))
  }
  for status in [200, 201, 400, 404] {
    var body = ByteBuffer(capacity: max(input.count, 1))
    body.append(input)
    _ = Webhook.EnableEncryption.read(AnswerHead(status: status), body: body)
    let answer = RegistrationAnswer.read(AnswerHead(status: status), body: body)
    if case .registered(let registration) = answer {
      expect("a registration has a key", !registration.isPlain)
      var file = ByteBuffer(capacity: Registration.fileByteCountMax)
      registration.writeFile(into: &file)
      expect("and can be kept", !file.isOverflowed && (try? Registration(file: file.bytes)) != nil)
    }
  }
}

/// The answer over the WebSocket, with room for all and for little.
private func checkHandled(_ input: Span<UInt8>) {
  var all = ByteBuffer(capacity: max(input.count, 1))
  var little = ByteBuffer(capacity: 4)
  guard let status = try? HandledWebhook.readReply(input, body: &all) else { return }
  expect("a body is never longer than its JSON", !all.isOverflowed)
  expect(
    "the room changes no status", (try? HandledWebhook.readReply(input, body: &little)) == status)
  _ = Answer.read(AnswerHead(status: status), plain: all)
}

private func checkConfiguration(_ input: Span<UInt8>) {
  guard let configuration = try? Webhook.ServerConfiguration(input) else { return }
  expect(
    "a version is cut", configuration.version.text.bytes.count <= ServerVersion.textByteCountMax)
  var data = ByteBuffer(capacity: 4096)
  let challenge = Challenge(of: Nonce(randomBytes: InlineArray(repeating: 0)))
  Webhook.LocationReadBack(deviceID: configuration.deviceID, challenge: challenge)
    .write(into: &data)
  expect("the device can be asked for", !data.isOverflowed)
  _ = try? Webhook.ServerConfiguration.isDisabled([UInt8]("board"), in: input)
}

private func checkVerdicts(_ input: Span<UInt8>) {
  var isRead = true
  do throws(JSONError) { try forEachVerdict(in: input) { _, _ in } } catch { isRead = false }
  if isRead { expect("what was read is JSON", (try? JSONReader.skipping(input)) != nil) }
  _ = try? isSuccess(input)
}

extension JSONReader {
  fileprivate static func skipping(_ text: Span<UInt8>) throws(JSONError) {
    var reader = JSONReader(text)
    try reader.skipValue()
    try reader.finish()
  }
}

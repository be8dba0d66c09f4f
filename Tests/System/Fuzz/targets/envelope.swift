import Bytes
import HomeAssistant

/// Any answer of a server; and any message, sealed and changed on its way.
func fuzz(_ input: Span<UInt8>) {
  expect("libsodium starts", isReady)
  for status in [200, 400] {
    if case .opened(let place) = read(input, status: status).answer {
      expect("a message stands in its answer", (0...input.count).contains(place.upperBound))
    }
  }

  let sealed = seal(input)
  expect("what was sealed is opened", opened(sealed) == [UInt8](input))
  guard input.count >= 3 else { return }
  var changed = sealed
  let place = (Int(input[0]) << 8 | Int(input[1])) % sealed.count
  changed[place] ^= input[2]
  // The type in front is not sealed, and Base64 has bits that stand for nothing.
  let message = opened(changed)
  expect("what was changed opens as it was or not", message == nil || message == [UInt8](input))
  expect("what was cut off does not open", opened(Array(sealed[..<place])) == nil)
}

private let isReady = prepareSodium()

private let key: SecretKey = {
  guard let key = SecretKey(hexadecimal: [UInt8](repeating: UInt8(ascii: "5"), count: 64).span)
  else { preconditionFailure("these are 64 digits") }
  return key
}()

private func seal(_ message: Span<UInt8>) -> [UInt8] {
  var buffer = ByteBuffer(capacity: Envelope.byteCount(sealing: message.count))
  let bytes = [UInt8](message)
  Envelope.seal(
    .updateSensorStates, with: key, nonce: Nonce(randomBytes: InlineArray(repeating: 7)),
    into: &buffer
  ) { data in data.append(bytes) }
  expect("an envelope has the room that it says", !buffer.isOverflowed)
  return [UInt8](buffer.bytes)
}

private func opened(_ envelope: [UInt8]) -> [UInt8]? {
  let (answer, body) = read(envelope.span, status: 200)
  guard case .opened(let place) = answer else { return nil }
  return [UInt8](body[place])
}

/// The answer and, opened in place, its body.
private func read(_ body: Span<UInt8>, status: Int) -> (answer: Answer, body: [UInt8]) {
  var buffer = ByteBuffer(capacity: max(1, body.count))
  buffer.append(body)
  let answer = Answer.read(AnswerHead(status: status), body: &buffer, with: key)
  return (answer, [UInt8](buffer.bytes))
}

import Bytes
import CSodium

@testable import HomeAssistant

/// What a push relay may answer: an answer as it stands, and the content of a box with the right
/// key. Whatever it is, it is acknowledged at most once and in rising numbers.
func fuzz(_ input: Span<UInt8>) {
  let text = [UInt8](input)
  read(text)
  read([UInt8](#"{"notifications":[{"number":1,"sealed":""#.utf8) + text + [UInt8](#""}]}"#.utf8))
  let box = sealed(text)
  read([UInt8](#"{"notifications":[{"number":1,"sealed":""#.utf8) + box + [UInt8](#""}]}"#.utf8))
}

private let keys = PushKeys(SecretKey(randomBytes: InlineArray(repeating: 7)))
private let secret = [UInt8](repeating: 9, count: 32)
private let sealedSecret: [UInt8] = {
  var sealed = [UInt8](repeating: 0, count: 80)
  let status = unsafe crypto_box_seal(&sealed, secret, UInt64(secret.count), keys.publicKey)
  expect("a key is sealed", status == 0)
  return sealed
}()

/// Base64 of a box that opens.
private func sealed(_ message: [UInt8]) -> [UInt8] {
  let nonce = [UInt8](repeating: 1, count: 24)
  var box = [UInt8](repeating: 0, count: message.count + 16)
  unsafe crypto_secretbox_easy(&box, message, UInt64(message.count), nonce, secret)
  var buffer = ByteBuffer(capacity: Base64.encodedCount(of: 80 + 24 + box.count))
  buffer.append(sealedSecret + nonce + box)
  Base64.encodeTail(of: &buffer, from: 0)
  return [UInt8](buffer.bytes)
}

private func read(_ text: [UInt8]) {
  for (status, acknowledged) in [(200, Int64(0)), (200, .max), (404, 0)] {
    var body = ByteBuffer(capacity: PushFetch.responseByteCountMax)
    body.append(text)
    var head = AnswerHead(status: status)
    head.time = WallTime(nanoseconds: 1_795_856_400_000_000_000)
    let now = Instant(nanoseconds: 60_000_000_000)
    guard
      case .success(let answer) = PushFetch.read(
        head, &body, after: acknowledged, with: keys, now: now)
    else { continue }
    let count = answer.notifications.count + answer.unreadableCount
    expect("only an answer has notifications", status == 200)
    expect("a number is newer than the last", answer.newest.map { $0 > acknowledged } ?? true)
    expect("it is a time", answer.newest.map(PushFetch.numberRange.contains) ?? true)
    expect("nothing comes after now", answer.notifications.allSatisfy { $0.hasComeBy(now) })
    expect("what came is acknowledged", (answer.newest == nil) == (count == 0))
    expect("a relay gives no more", count <= PushFetch.notificationCountMax)
  }
}

extension PushNotification {
  fileprivate func hasComeBy(_ now: Instant) -> Bool {
    if case .since(let start) = wait { start <= now } else { true }
  }
}

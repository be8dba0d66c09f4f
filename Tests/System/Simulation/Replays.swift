import Bytes

/// What an on-path attacker has kept of what went between the board and Home Assistant.
struct Replays {
  private static let keptCountMax = 64
  private static let nothing = Reply(status: 200, body: [UInt8]("{}".utf8))

  /// By the type of the message, which stands outside of the seal.
  private var replies: [String: [Reply]] = [:]
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func keep(_ reply: Reply, to letter: Letter) {
    let type = Self.type(of: letter)
    replies[type, default: []].append(reply)
    if replies[type, default: []].count > Self.keptCountMax { replies[type]?.removeFirst() }
  }

  /// What would be believed if the seal alone were looked at.
  mutating func answer(to letter: Letter) -> Reply {
    let type = Self.type(of: letter)
    switch random.next() % 8 {
    // What came is sealed with the right key, too.
    case 0: return Reply(status: 200, body: letter.body)
    case 1:
      let others = replies.values.flatMap { $0 }
      return others.isEmpty ? Self.nothing : others[Int(random.next() % UInt64(others.count))]
    default:
      guard let kept = replies[type], !kept.isEmpty else { return Self.nothing }
      return kept[Int(random.next() % UInt64(kept.count))]
    }
  }

  private static func type(of letter: Letter) -> String {
    let text = String(decoding: letter.body.prefix(64), as: UTF8.self)
    return text.split(separator: "\"").dropFirst(2).first { $0 != ":" }.map(String.init) ?? ""
  }
}

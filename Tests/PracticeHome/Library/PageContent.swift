/// What the page shows: the journal, folded into devices and refusals. Everything in it is bounded,
/// and what changed has a revision, so that a page is told what is new to it and nothing else.
struct PageContent: Sendable {
  static let devicesMax = 24
  static let refusalsMax = 50
  /// Characters of a foreign text; what is longer is cut.
  static let textLengthMax = 200

  /// Refusals that differ in nothing but the time.
  private struct Refusals {
    var device: String?
    var status: Int
    var manner: String
    var type: String?
    var reason: String
    var count = 0
    var time: Moment

    func isSame(as other: Refusals) -> Bool {
      device == other.device && status == other.status && manner == other.manner
        && type == other.type && reason == other.reason
    }

    var json: JSON {
      [
        "device": JSON(device), "status": .count(status), "manner": .string(manner),
        "type": JSON(type), "reason": .string(reason), "count": .count(count), "time": time.json,
      ]
    }
  }

  private(set) var revision = 0
  private var counters = Counters()
  private var devices: [PageDevice] = []
  private var deviceCount = 0
  /// The newest last.
  private var refusals: [Refusals] = []
  private var refusalsRevision = 0

  /// Takes an entry, and the counters as they are with it.
  mutating func note(_ entry: JournalEntry, _ counters: Counters) {
    revision += 1
    self.counters = counters
    if case .refused(let refused) = entry.event { note(refused, entry) }
    if let place = place(of: entry) { devices[place].note(entry, revision: revision) }
  }

  private mutating func place(of entry: JournalEntry) -> Int? {
    guard let name = entry.device else { return nil }
    if let place = devices.lastIndex(where: {
      entry.deviceID == nil ? $0.name == name : $0.deviceID == entry.deviceID
    }) {
      return place
    }
    deviceCount += 1
    let device = PageDevice(
      key: deviceCount, name: name, deviceID: entry.deviceID, at: entry.time)
    devices.append(device)
    // The one that is silent for the longest time has to make room.
    if devices.count > Self.devicesMax,
      let silent = devices.indices.dropLast().min(by: {
        devices[$0].lastTime < devices[$1].lastTime
      })
    {
      devices.remove(at: silent)
    }
    return devices.count - 1
  }

  private mutating func note(_ refused: Refused, _ entry: JournalEntry) {
    refusalsRevision = revision
    var refusal = Refusals(
      device: entry.device?.cut(to: Self.textLengthMax), status: refused.status,
      manner: refused.refusal.manner(status: refused.status),
      type: refused.type?.cut(to: Self.textLengthMax),
      reason: refused.reason.cut(to: Self.textLengthMax), time: entry.time)
    if let place = refusals.firstIndex(where: { $0.isSame(as: refusal) }) {
      refusal.count = refusals.remove(at: place).count
    }
    refusal.count += 1
    refusals.append(refusal)
    if refusals.count > Self.refusalsMax { refusals.removeFirst() }
  }

  /// What is newer than a revision; without one everything, to begin with.
  func json(since known: Int?, now: Moment) -> JSON {
    let past = known ?? 0
    var content: JSONObject = [
      "begin": .bool(known == nil), "now": now.json, "release": .string(Home.version),
      "counters": .object(counters.json),
      "keys": .array(devices.map { .count($0.key) }),
      "devices": .array(
        devices.filter { $0.revision > past }.map { $0.json(since: past) }),
    ]
    if refusalsRevision > past || known == nil {
      content["refusals"] = .array(refusals.reversed().map(\.json))
    }
    return .object(content)
  }
}

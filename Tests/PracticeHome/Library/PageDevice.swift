/// What one device said, for the page.
struct PageDevice: Sendable {
  static let sensorsMax = 128
  static let happeningsMax = 40

  /// Events, actions and notifications of one name.
  private struct Happening {
    var name: String
    var count: Int
    var time: Moment
  }

  /// Tells devices of the same name apart; nil where the home knows nothing but the name.
  let deviceID: String?
  /// What the page calls it.
  let key: Int
  private(set) var name: String
  private var description: DeviceDescription?
  private var isSealed: Bool?
  private var isDeleted = false
  private var messageCount = 0
  private var lastMessage: String?
  private(set) var lastTime: Moment
  private var track = PageTrack()
  private var sensors: [PageSensor] = []
  /// Sensors there was no room for, by entity id; their number is bounded, too.
  private var omittedSensors: Set<String> = []
  private var happenings: [Happening] = []
  private var lateReadingCount = 0
  private var latePointCount = 0
  private(set) var revision = 0

  init(key: Int, name: String, deviceID: String?, at time: Moment) {
    (self.key, self.deviceID, lastTime) = (key, deviceID, time)
    self.name = name.cut(to: PageContent.textLengthMax)
  }

  mutating func note(_ entry: JournalEntry, revision: Int) {
    self.revision = revision
    if let sealed = entry.sealed { isSealed = sealed }
    if let said = Self.said(entry.event) {
      messageCount += 1
      (lastMessage, lastTime) = (said.cut(to: PageContent.textLengthMax), entry.time)
    }
    switch entry.event {
    case .registered(let device, _), .registrationUpdated(let device):
      description = device
      name = device.deviceName.cut(to: PageContent.textLengthMax)
      isDeleted = false
    case .sensorRegistered(let sensor):
      change(sensor.entityID, sensor.uniqueID, at: entry.time) {
        $0.note(sensor, at: entry.time, revision: revision)
      }
    case .readings(let readings):
      for reading in readings {
        change(reading.entityID, reading.uniqueID, at: entry.time) {
          $0.note(reading, at: entry.time, revision: revision)
        }
      }
    case .located(let location): track.note(location, at: entry.time, revision: revision)
    case .eventFired(let type, let data):
      count("event \(type)", at: entry.time)
      if let history = LateHistory(eventType: type, data, receivedAt: entry.time) { add(history) }
    case .serviceCalled(let domain, let service, _):
      count("action \(domain).\(service)", at: entry.time)
    case .tagScanned(let tag): count("tag \(tag)", at: entry.time)
    case .occurred(.notified(let content)):
      count("notification \(content["message"]?.string ?? "")", at: entry.time)
    case .occurred(.registrationDeleted): isDeleted = true
    default: break
    }
  }

  /// What a message of the device was; nil for what the device did not send.
  private static func said(_ event: Event) -> String? {
    switch event {
    case .registered: "registration"
    case .registrationUpdated: "new registration data"
    case .encryptionEnabled: "encryption enabled"
    case .sensorRegistered: "a sensor registered"
    case .readings(let readings): readings.count == 1 ? "1 reading" : "\(readings.count) readings"
    case .located: "location"
    case .eventFired(let type, _): "event \(type)"
    case .tagScanned: "tag scanned"
    case .serviceCalled(let domain, let service, _): "action \(domain).\(service)"
    case .asked(let type): type
    case .refused: "refused"
    case .occurred: nil
    }
  }

  private mutating func change(
    _ entityID: String, _ uniqueID: String, at time: Moment, _ body: (inout PageSensor) -> Void
  ) {
    if let place = sensors.firstIndex(where: { $0.entityID == entityID }) {
      return body(&sensors[place])
    }
    guard sensors.count < Self.sensorsMax else {
      if omittedSensors.count < Self.sensorsMax { omittedSensors.insert(entityID) }
      return
    }
    var sensor = PageSensor(uniqueID: uniqueID, entityID: entityID, at: time)
    body(&sensor)
    sensors.append(sensor)
  }

  private mutating func count(_ name: String, at time: Moment) {
    let name = name.cut(to: PageContent.textLengthMax)
    if let place = happenings.firstIndex(where: { $0.name == name }) {
      happenings[place].count += 1
      happenings[place].time = time
      return
    }
    happenings.append(Happening(name: name, count: 1, time: time))
    // The one that is silent for the longest time has to make room.
    if happenings.count > Self.happeningsMax,
      let oldest = happenings.indices.min(by: { happenings[$0].time < happenings[$1].time })
    {
      happenings.remove(at: oldest)
    }
  }

  private mutating func add(_ history: LateHistory) {
    lateReadingCount += history.readingCount
    latePointCount += history.pointCount
    for point in history.points { track.note(late: point, revision: revision) }
    for reading in history.readings {
      for place in sensors.indices where sensors[place].uniqueID == reading.uniqueID {
        sensors[place].note(late: reading.value, at: reading.time, revision: revision)
      }
    }
  }

  /// What is newer than a revision.
  func json(since past: Int) -> JSON {
    var content: JSONObject = [
      "key": .count(key), "name": .string(name), "deleted": .bool(isDeleted),
      "sealed": isSealed.map(JSON.bool) ?? nil, "messages": .count(messageCount),
      "last": JSON(lastMessage), "time": lastTime.json, "omitted": .count(omittedSensors.count),
      "late": ["readings": .count(lateReadingCount), "points": .count(latePointCount)],
      "happenings": .array(
        happenings.map {
          ["name": .string($0.name), "count": .count($0.count), "time": $0.time.json]
        }),
      "sensors": .array(sensors.filter { $0.revision > past }.map(\.json)),
    ]
    if let description {
      content["about"] = .string(
        "\(description.manufacturer) \(description.model), \(description.appID) "
          .cut(to: PageContent.textLengthMax)
          + description.appVersion.cut(to: PageContent.textLengthMax))
      content["alive"] = .bool(description.osVersion != nil)
    }
    if track.revision > past, !track.isEmpty { content["track"] = track.json }
    return .object(content)
  }
}

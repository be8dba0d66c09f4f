extension Home {
  mutating func register(_ body: [UInt8], now: Moment) -> Answer {
    let raw: JSON
    do throws(JSONParser.Failure) { raw = try JSONParser.parse(body) } catch {
      refuse(.invalidJSON("\(error.reason), at byte \(error.offset)"), status: 400, at: now)
      return .open(["message": "Invalid JSON."], status: 400)
    }
    do throws(Invalid) {
      return admit(try MessageSchema.registration(raw).object ?? [:], now: now)
    } catch {
      let explained = Refused(
        refusal: .schema(error.message), type: "the registration", status: 400,
        content: nil)
      record(.refused(explained), device: nil, sealed: nil, at: now)
      return .open(
        ["message": .string("Message format incorrect: \(error.message)")], status: 400)
    }
  }

  private mutating func admit(_ given: JSONObject, now: Moment) -> Answer {
    var content = given
    if content["device_name"] == "" {
      guard let deviceID = content["device_id"] else {
        refuse(.schema("device_name is empty and there is no device_id"), status: 500, at: now)
        return .serverError
      }
      content["device_name"] = deviceID
    }
    if content["device_id"] == nil { content["device_id"] = .string(random(16).hexadecimal) }
    if !household.givesKeysAtOnce { content["supports_encryption"] = false }
    let supportsEncryption = content["supports_encryption"] == true
    var newcomer = Registration(
      webhookID: random(32).hexadecimal,
      secret: supportsEncryption ? random(SealingKey.byteCount).hexadecimal : nil,
      registryID: random(16).hexadecimal, entryID: random(13).hexadecimal.uppercased(),
      content: content, now: now)
    let old = remove(appID: newcomer.appID, deviceID: newcomer.deviceID)
    newcomer.tracker = tracker(for: newcomer, inheriting: old?.tracker, now: now)
    registrations.append(newcomer)
    if let tracker = newcomer.tracker { person.add(tracker.entityID) }
    writeTracker(of: registrations.count - 1, now: now)
    writePerson(now: now)
    record(
      .registered(newcomer.description, replaced: old != nil), device: newcomer.deviceName,
      deviceID: newcomer.deviceID, sealed: supportsEncryption, at: now)
    return .open(
      [
        "cloudhook_url": JSON(household.cloud.cloudhook),
        "remote_ui_url": JSON(household.cloud.remoteUI), "secret": JSON(newcomer.secret),
        "webhook_id": .string(newcomer.webhookID),
      ], status: 201)
  }

  mutating func remove(appID: String, deviceID: String) -> Registration? {
    guard
      let index = registrations.firstIndex(where: {
        $0.appID == appID && $0.deviceID == deviceID
      })
    else { return nil }
    let old = registrations.remove(at: index)
    superseded.insert(old.webhookID)
    old.sensors.forEach { takeDown($0) }
    channels[old.webhookID] = nil
    if let tracker = old.tracker {
      states.remove(tracker.entityID)
      person.remove(tracker.entityID)
    }
    return old
  }

  private mutating func tracker(
    for newcomer: Registration, inheriting old: Tracker?, now: Moment
  ) -> Tracker? {
    let isTaken = registrations.contains {
      $0.deviceID == newcomer.deviceID && $0.tracker != nil
    }
    if isTaken || !newcomer.isAlive { return nil }
    let entityID =
      trackerIDs[newcomer.deviceID]
      ?? freeEntityID(domain: "device_tracker", name: newcomer.deviceName)
    trackerIDs[newcomer.deviceID] = entityID
    var tracker =
      old
      ?? Tracker(
        entityID: entityID, entry: RegistryEntry(id: random(16).hexadecimal, now: now))
    tracker.restore()
    return tracker
  }

  /// "sensor.boat_cpu", or with "_2" behind it if that is taken.
  func freeEntityID(domain: String, name: String) -> String {
    let taken = Set(
      registrations.flatMap { $0.sensors.map(\.entityID) } + trackerIDs.values
        + states.all.map(\.entityID))
    let preferred = "\(domain).\(Slug.make(name))"
    if !taken.contains(preferred) { return preferred }
    var number = 2
    while taken.contains("\(preferred)_\(number)") { number += 1 }
    return "\(preferred)_\(number)"
  }
}

extension Home {
  /// Deletes every registration, as a person can do in the user interface.
  public mutating func forgetAll() {
    for registration in registrations {
      _ = remove(appID: registration.appID, deviceID: registration.deviceID)
    }
  }

  /// Deletes the sensor behind an entity, as a person can do there too.
  public mutating func forget(_ entityID: String) {
    for index in registrations.indices {
      registrations[index].sensors.filter { $0.entityID == entityID }.forEach { takeDown($0) }
      registrations[index].sensors.removeAll { $0.entityID == entityID }
    }
  }

  mutating func bringBackEntities(_ now: Moment) {
    for index in registrations.indices {
      for place in registrations[index].sensors.indices {
        guard let time = registrations[index].sensors[place].returnsAt, time <= now else {
          continue
        }
        startSensor(place, of: index, now: now)
      }
      if let time = registrations[index].tracker?.returnsAt, time <= now {
        registrations[index].tracker?.restore()
        writeTracker(of: index, now: now)
      }
    }
  }

  /// Disables a sensor, or enables it again: then Home Assistant takes half a minute.
  mutating func disableSensor(
    _ place: Int, of index: Int, by user: String?, now: Moment
  ) {
    let sensor = registrations[index].sensors[place]
    registrations[index].sensors[place].entry.disable(by: user, now: now)
    registrations[index].sensors[place].isListening = false
    registrations[index].sensors[place].returnsAt =
      user == nil ? now + Self.reloadDelay : nil
    if user != nil { takeDown(sensor) }
  }

  @discardableResult
  mutating func startSensor(_ place: Int, of index: Int, now: Moment) -> Sensor.Rendering {
    let entityID = registrations[index].sensors[place].entityID
    registrations[index].sensors[place].start(from: remains[entityID])
    return writeSensor(place, of: index, now: now)
  }

  /// Removes an entity, and keeps what it leaves behind.
  mutating func takeDown(_ sensor: Sensor) {
    guard let shown = states[sensor.entityID] else { return }
    remains[sensor.entityID] = sensor.remains(shown: shown)
    states.remove(sensor.entityID)
  }

  /// Writes what a sensor shows now, unless it does not come up.
  mutating func writeSensor(_ place: Int, of index: Int, now: Moment) -> Sensor.Rendering {
    let sensor = registrations[index].sensors[place]
    return sensor.isListening ? show(sensor, now: now) : .ignored(sensor.silence)
  }

  mutating func show(_ sensor: Sensor, now: Moment) -> Sensor.Rendering {
    let rendering = sensor.rendering
    if case .shown(let state) = rendering {
      states.write(sensor.entityID, state: state, attributes: sensor.attributes, now: now)
    }
    return rendering
  }

  /// Writes the tracker's state; every write counts as a change.
  mutating func writeTracker(of index: Int, now: Moment) {
    guard let tracker = registrations[index].tracker, tracker.isListening else { return }
    states.write(
      tracker.entityID, state: tracker.state(in: zone),
      attributes: tracker.attributes(friendlyName: registrations[index].deviceName),
      force: true, now: now)
  }
}

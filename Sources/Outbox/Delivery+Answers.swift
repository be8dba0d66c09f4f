public import Bytes
public import HomeAssistant
import Sensing

// What Home Assistant answers, and what it means for the batch.

extension Delivery {
  /// Home Assistant, or a server in its place, answered. `body` is the buffer that `answer` was
  /// read from.
  public mutating func answerReceived(
    _ answer: Answer, body: borrowing ByteBuffer, now: Instant
  ) {
    guard case .awaitingAnswer(let message, _) = state else { return }
    switch answer {
    case .opened(let range), .content(let range):
      answered(message, body.bytes.extracting(range), now: now)
    case .unproven: unproven(message, now: now)
    default: failed(Outage.Cause(answer), now: now)
    }
  }

  mutating func answered(_ message: Message, _ content: Span<UInt8>, now: Instant) {
    switch message {
    case .key: preconditionFailure("a key does not come in an answer of this kind")
    case .configuration: configurationAnswered(content, now: now)
    case .registration: registrationAnswered(content)
    case .sensor(let sensor):
      if (try? isSuccess(content)) == true {
        registered(sensor, isWanted: true)
      } else {
        batch.setStatus(.declined, of: sensor)
      }
    case .location: return locationAnswered(now: now)
    case .readBack: return readBackAnswered(content, now: now)
    case .states: return statesAnswered(content, now: now)
    case .history: historyAnswered(now: now)
    }
    next(now: now)
  }

  /// An answer of nothing: the right one to a location and to history.
  mutating func unproven(_ message: Message, now: Instant) {
    switch message {
    case .sensor(let sensor):
      // One sensor that Home Assistant drops says nothing about the others.
      batch.setStatus(.declined, of: sensor)
      next(now: now)
    case .registration:
      // The same holds for what it does not like about the device.
      registrationDropped()
      next(now: now)
    case .location: locationAnswered(now: now)
    case .history:
      historyAnswered(now: now)
      next(now: now)
    case .key, .configuration, .readBack, .states: failed(.dropped, now: now)
    }
  }

  /// The proof follows with the states.
  private mutating func historyAnswered(now: Instant) {
    cycle.isHistoryAnswered = true
    history.chunkAnswered(now: now)
  }

  mutating func registered(_ sensor: SensorIndex, isWanted: Bool) {
    batch.setStatus(isWanted ? .registered : .refused, of: sensor)
    tell(isWanted ? .sensorRegistered(sensor) : .sensorRefused(sensor))
  }

  mutating func statesAnswered(_ answer: Span<UInt8>, now: Instant) {
    guard let challenge, challenge.isRepeated(inVerdicts: answer) else {
      return failed(.otherAnswer, now: now)
    }
    var hasForgotten = false
    do throws(JSONError) {
      try forEachVerdict(in: answer) { uniqueID, verdict in
        guard let sensor = batch.index(of: uniqueID) else { return }
        hasForgotten = judge(sensor, verdict) || hasForgotten
      }
    } catch {
      return failed(.unreadableAnswer, now: now)
    }
    if hasForgotten, !cycle.hasRegisteredAgain {
      cycle.hasRegisteredAgain = true
      next(now: now)
    } else {
      proven(now: now)
    }
  }

  /// Returns whether Home Assistant does not know the sensor.
  mutating func judge(_ sensor: SensorIndex, _ verdict: SensorVerdict) -> Bool {
    if batch.status(of: sensor) == .declined {
      // That it does not know the sensor confirms that it does not want it.
      guard verdict != .notRegistered else { return false }
      registered(sensor, isWanted: true)
    }
    switch verdict {
    case .accepted, .disabled:
      batch.acknowledge(sensor)
      cycle.acceptedReadings += 1
    case .refused:
      // The same value would be refused again; the next one may not be.
      batch.refuse(sensor)
      tell(.readingRefused(sensor))
    case .notRegistered:
      batch.setStatus(.unregistered, of: sensor)
      tell(.sensorForgotten(sensor))
    }
    return verdict == .notRegistered
  }
}

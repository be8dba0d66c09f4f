import Board
import Bytes
import CLinux
import HomeAssistant
import Outbox
import Sensing

/// JSON events on standard output, one object per line, for scripts. Without `--json` it writes
/// nothing.
struct EventStream {
  private let isOn: Bool
  private let descriptor: Int32
  private let output: LineOutput?

  /// With `waits`, a slow reader delays the agent.
  init(isOn: Bool, waits: Bool, descriptor: Int32 = STDOUT_FILENO) {
    self.isOn = isOn
    self.descriptor = descriptor
    output = waits ? nil : LineOutput(descriptor)
  }

  func write(_ event: StaticString, _ writeMembers: (inout ByteBuffer) -> Void = { _ in }) {
    guard isOn else { return }
    var line = Self.begin(event)
    writeMembers(&line)
    put(line, of: event)
  }

  @inline(never)
  func write(_ event: StaticString, _ key: StaticString, _ value: StaticString) {
    write(event) { $0.appendMember(key, value) }
  }

  @inline(never)
  private func put(_ line: consuming ByteBuffer, of event: StaticString) {
    Self.end(&line, of: event)
    let line = [UInt8](line.bytes)
    if let output {
      output.write(line, missing: missing)
    } else {
      writeToTerminal(line, descriptor)
    }
  }

  /// Returns the line for this number of missing events.
  private func missing(_ count: Int) -> [UInt8] {
    var line = Self.begin("missing")
    line.appendMember("lines", count)
    Self.end(&line, of: "missing")
    return [UInt8](line.bytes)
  }

  // The compiler copies `write` for each closure; code that does not depend on the closure stays
  // outside.
  @inline(never)
  static func begin(_ event: StaticString) -> ByteBuffer {
    // Created only if a program reads it: the agent allocates nothing in normal operation.
    var line = ByteBuffer(capacity: 64 * 1024)
    line.openJSONObject()
    line.appendMember("event", event)
    return line
  }

  /// Ends the line. If the members do not fit, only the name of the event is written.
  @inline(never)
  static func end(_ line: inout ByteBuffer, of event: StaticString) {
    if line.isOverflowed { line = begin(event) }
    line.closeJSONObject()
    line.append(UInt8(ascii: "\n"))
  }
}

extension ByteBuffer {
  mutating func appendMembers(of counts: Uplink.Counts) {
    appendMember("readings", counts.readings)
    appendMember("locations", counts.locations)
    appendMember("refused", counts.refused)
    appendMember("superseded", counts.superseded)
    appendMember("history", counts.history)
    appendMember("lost", counts.lost)
    appendMember("sealed", counts.sealed)
    appendMember("plain", counts.plain)
    appendMember("proven", counts.proven)
    appendMember("unproven", counts.unproven)
  }

  /// Appends every value as the drivers read it, and the position.
  mutating func appendMembers(of batch: Batch, lastFix: Fix?) {
    appendJSON(key: "sensors")
    openJSONObject()
    for index in 0..<batch.sensors.count {
      let sensor = SensorIndex(index)
      guard let value = batch.value(of: sensor) else { continue }
      let uniqueID = batch.sensors[sensor].uniqueID
      appendWhole(leaving: endsByteCount) {
        $0.appendJSON(key: uniqueID.span)
        $0.appendJSON(state: value)
      }
    }
    closeJSONObject()
    guard let lastFix else { return }
    appendJSON(key: "location")
    openJSONObject()
    append("latitude", lastFix.latitude, decimals: 7)
    append("longitude", lastFix.longitude, decimals: 7)
    append("altitude", lastFix.altitudeMeters, decimals: 1)
    append("speed", lastFix.speedMetersPerSecond, decimals: 3)
    append("track", lastFix.trackDegrees, decimals: 2)
    append("horizontal_error", lastFix.horizontalErrorMeters, decimals: 2)
    append("vertical_error", lastFix.verticalErrorMeters, decimals: 2)
    closeJSONObject()
  }

  private mutating func append(_ key: StaticString, _ value: Double?, decimals: UInt8) {
    guard let number = value.flatMap({ FixedPoint(rounding: $0, decimals: decimals) }) else {
      return
    }
    appendJSON(key: key)
    appendJSON(number)
  }
}

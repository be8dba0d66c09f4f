import Bytes
import Sensing
import YAML

// `power`: changes while the supply is low.

extension ConfigurationField {
  private static let levelsMax = 16
  /// A higher limit would hold for a full battery.
  private static let percentRange = 1...95
  private static let voltsRange = 1...1000
  private static let example: StaticString = "power: [{ below: 30%, every: 15min }]"

  /// Reads `power`. Returns the valid levels, in the order of the file.
  func powerLevels(hasBattery: Bool, hasReceiver: Bool) -> [PowerLevel] {
    guard hasBattery else {
      report(
        "battery is off, so no level can be measured",
        remedy: "write battery: auto, or leave out power")
      return []
    }
    var seen = SeenConditions()
    return items(count: 1...Self.levelsMax, example: Self.example).compactMap { item in
      item.powerLevel(hasReceiver: hasReceiver, among: &seen)
    }
  }

  private func powerLevel(hasReceiver: Bool, among seen: inout SeenConditions) -> PowerLevel? {
    guard let keys = section(example: "{ below: 30%, every: 15min }") else { return nil }
    defer { keys.reportUnknownKeys() }
    let effect = powerEffect(keys, hasReceiver: hasReceiver)
    let below = keys.optional("below")
    let mains = keys.optional("mains")
    if below != nil, mains != nil {
      report(
        "a level can have only one condition",
        remedy: "write a level for below, and another for mains")
      return nil
    }
    if let mains {
      guard mains.isOff("mains: off, for the time without external power"),
        seen.isNew(.withoutMains, mains)
      else { return nil }
      return effect.map { PowerLevel(.withoutMains, $0) }
    }
    guard let below else {
      report("this level has no condition", remedy: "write for example below: 30%, or mains: off")
      return nil
    }
    guard let condition = below.limit(), seen.isNew(condition, below), let effect else {
      return nil
    }
    return PowerLevel(condition, effect)
  }

  private func powerEffect(_ keys: SectionReader, hasReceiver: Bool) -> PowerEffect? {
    var effect = PowerEffect()
    effect.every = keys.optional("every")?
      .duration(in: Configuration.everyRange, example: "15min")
    effect.uploadEvery = keys.optional("upload")?
      .duration(in: Configuration.everyRange, example: "1h")
    if let gps = keys.optional("gps"), gps.isOff("off, or leave out gps") {
      effect.isReceiverOff = true
      if !hasReceiver {
        gps.report(
          "the configuration has no location", remedy: "leave out gps, or write a location")
      }
    }
    if keys.index(ofFirst: ["every", "upload", "gps"]) == nil {
      report("this level changes nothing", remedy: "write every, upload or gps: off")
    }
    // Every mistake in the present keys is reported.
    return effect == PowerEffect() ? nil : effect
  }

  private func isOff(_ remedy: MessageText) -> Bool {
    word(of: ["off"], remedy: "write \(remedy)") != nil
  }

  private func limit() -> PowerLevel.Condition? {
    let example: StaticString = "30% or 11.8V"
    guard isMeasure(in: "%") else {
      return volts(in: Self.voltsRange, example: example)
        .map { .voltageBelow(microvolts: Int64($0 * 1_000_000)) }
    }
    guard let percent = percent(in: Self.percentRange, example: example) else { return nil }
    guard percent == percent.rounded() else {
      report("a level in percent has no decimals", remedy: "write a whole number of percent")
      return nil
    }
    return .chargeBelow(percent: Int64(percent))
  }
}

/// The conditions so far. Limits of one unit have to fall from level to level: later levels
/// override, so a higher one after an earlier one would hide it forever. So would a second one
/// without mains.
private struct SeenConditions {
  private var percent = Int64.max
  private var microvolts = Int64.max
  private var hasMains = false

  /// Returns whether the condition neither hides an earlier one nor is hidden by it; reports the
  /// problem otherwise.
  mutating func isNew(_ condition: PowerLevel.Condition, _ field: ConfigurationField) -> Bool {
    var isFalling = true
    switch condition {
    case .chargeBelow(let limit):
      isFalling = limit < percent
      percent = limit
    case .voltageBelow(let limit):
      isFalling = limit < microvolts
      microvolts = limit
    case .withoutMains:
      if hasMains {
        field.report(
          "an earlier level already has mains: off",
          remedy: "write one level for mains: off, with all its changes")
      }
      defer { hasMains = true }
      return !hasMains
    }
    if !isFalling {
      field.report(
        "an earlier level has the same or a lower limit and would never apply",
        remedy: "write the levels from the highest limit to the lowest")
    }
    return isFalling
  }
}

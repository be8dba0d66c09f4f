/// What the model takes for true and does not measure: each with its unit and where it is from.
public enum Assumption: String, CaseIterable, Sendable {
  case zeroIdle, zeroCore, zeroSlowdown, zeroBootPower, zeroBootTime
  case fourIdle, fourCore, fourSlowdown, fourBootPower, fourBootTime
  case wakeUp, offPower, haltTime
  case lteRegistered, lteConnected, lteSetup, lteTail, lteAttach
  case wifiActive, wifiTail
  case receiver, receiverStart, receiverClosing
  case headerBytes, connectionSegments
  case converter, converterIdle
  case leadEnergy, leadUsable, leadSelfDischarge
  case lithiumEnergy, lithiumUsable, lithiumSelfDischarge

  public struct Entry: Sendable {
    public let value: Double
    public let unit: String
    public let source: String
  }

  public var value: Double { entry.value }

  /// The one table of them. "Ours" is what has no source: an estimate of this project.
  public var entry: Entry {
    switch self {
    case .zeroIdle: Entry(0.55, "W", "90-130 mA with Wi-Fi on: OpenTrafficCam/OTCamera#70")
    case .zeroCore:
      Entry(0.4, "W", "a quarter of what all four cores add: A. Jacobs' 270 mA over a busy Zero W")
    case .zeroSlowdown:
      Entry(12, "times", "ours: one core of it against one of the PC that measured")
    case .zeroBootPower:
      Entry(
        1.25, "W", "ours, between a Zero's 150 mA and a Pi 4's 700 (Raspberry Pi documentation)")
    case .zeroBootTime: Entry(25, "s", "ours; a Zero W takes 35-50: motioneyeos#961")
    case .fourIdle:
      Entry(2.5, "W", "400-600 mA: seamusdemora, PidRamble, Raspberry Pi documentation")
    case .fourCore:
      Entry(0.9, "W", "a quarter of what all four cores add: 1200-1280 mA busy, the same sources")
    case .fourSlowdown: Entry(4, "times", "ours, as above")
    case .fourBootPower: Entry(3.5, "W", "700 mA: Raspberry Pi documentation")
    case .fourBootTime: Entry(15, "s", "DietPi#5237")
    case .wakeUp: Entry(0.0003, "J", "ours: a millisecond of a busy core, besides what it computes")
    case .offPower: Entry(0.03, "W", "a power HAT between two starts: 4-60 mW")
    case .haltTime: Entry(10, "s", "ours: from the end of the run to the power cut")
    case .lteRegistered:
      Entry(0.465, "W", "Huawei E3276, 93 mA at 5 V: grunenberger.net, power monitor")
    case .lteConnected: Entry(0.92, "W", "the same, 184 mA")
    case .lteSetup: Entry(1, "s", "ours: from asleep to the first byte")
    case .lteTail: Entry(12, "s", "the same stick; the operator decides it, about 10 s")
    case .lteAttach: Entry(30, "s", "ours: from power to a network")
    case .wifiActive: Entry(0.4, "W", "60-100 mA more than with power save: believed, not measured")
    case .wifiTail: Entry(1, "s", "ours, so that a message costs 0.1-0.5 J")
    case .receiver: Entry(0.225, "W", "a u-blox on USB, 30-60 mA: believed, not measured")
    case .receiverStart: Entry(30, "s", "26-29 s from cold: SparkFun, M8 and M9")
    case .receiverClosing:
      Entry(60, "s", "gpsd's source: a device without a watcher is closed then")
    case .headerBytes: Entry(52, "bytes", "IPv4 20, TCP 20, its timestamps 12, for each segment")
    case .connectionSegments:
      Entry(6, "segments", "SYN and its answer, and the end: the kernel counts them nowhere")
    case .converter: Entry(0.88, "of 1", "12 V to 5 V, 0.85-0.90: believed, not measured")
    case .converterIdle: Entry(0.12, "W", "10 mA at 12 V, of 5-20: believed, not measured")
    case .leadEnergy: Entry(1200, "Wh", "a lead battery of 12 V, 100 Ah")
    case .leadUsable:
      Entry(0.5, "of 1", "ours: deeper costs years of its life; in frost it is less")
    case .leadSelfDischarge: Entry(0.8, "Wh a day", "1-3 % a month: believed, not measured")
    case .lithiumEnergy: Entry(256, "Wh", "a LiFePO4 battery of 12.8 V, 20 Ah")
    case .lithiumUsable: Entry(0.9, "of 1", "ours")
    case .lithiumSelfDischarge: Entry(0.17, "Wh a day", "ours: 2 % a month")
    }
  }
}

extension Assumption.Entry {
  init(_ value: Double, _ unit: String, _ source: String) {
    self.init(value: value, unit: unit, source: source)
  }
}

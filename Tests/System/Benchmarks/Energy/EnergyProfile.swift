import EnergyModel

/// A board as people have one, and how it is measured.
struct EnergyProfile {
  let name: String
  /// From one cycle to the next, in seconds.
  let every: Int
  /// From one upload to the next, in seconds.
  let uploadEvery: Int
  var hasReceiver = true
  /// Whether a thermometer on 1-Wire is connected besides.
  var hasThermometer = false
  let radio: Radio
  /// Whether the board is off between its reports.
  var isSwitchedOff = false
  /// How many times faster its time goes than the clock.
  var rate = 1
  /// Uploads before those that are measured: the first one registers each sensor.
  var warmUps = 1
  /// Uploads that are measured, with all that lies between them.
  let uploads: Int

  var cyclesPerDay: Double { 86_400 / Double(every) }
  var uploadsPerDay: Double { 86_400 / Double(uploadEvery) }

  private static let sixHours = 6 * 3600
  private static let day = 24 * 3600

  /// Those of a day, which `--energy` measures.
  static let measured = [
    EnergyProfile(
      name: "tracker, each 10 s", every: 10, uploadEvery: 10, radio: .lte, warmUps: 3, uploads: 6),
    EnergyProfile(
      name: "tracker, upload: 5min", every: 10, uploadEvery: 300, radio: .lte, uploads: 1),
    EnergyProfile(
      name: "garden, 15 min", every: 900, uploadEvery: 900, hasReceiver: false,
      hasThermometer: true, radio: .wifi, rate: 60, warmUps: 2, uploads: 6),
    // The connection that registers is closed an hour later, once in its life.
    EnergyProfile(
      name: "boat in winter, 6 h", every: sixHours, uploadEvery: sixHours, radio: .lte, rate: 60,
      warmUps: 2, uploads: 1),
    EnergyProfile(
      name: "boat, off in between", every: sixHours, uploadEvery: sixHours, radio: .lte,
      isSwitchedOff: true, uploads: 2),
  ]

  /// With nothing due for a day.
  static let parked = EnergyProfile(
    name: "parked", every: day, uploadEvery: day, radio: .lte, rate: 60, uploads: 0)

  /// So the kernel calls the thermometer.
  static let thermometer = "28-000000000001"

  /// What stands in its configuration besides the addresses.
  var configuration: String {
    var lines = ["every: \(every)s"]
    if uploadEvery != every { lines.append("upload: { every: \(uploadEvery)s }") }
    if hasThermometer {
      lines.append("sensors: [{ one_wire: \(Self.thermometer), name: Soil }]")
    }
    return lines.joined(separator: "\n")
  }

  /// Where cycles are longer, the agent leaves gpsd after each fix, and gpsd the receiver.
  private static let receiverKeptSeconds = 300

  /// So long the receiver runs in a day, where the board is always on.
  var receiverSeconds: Double {
    guard hasReceiver else { return 0 }
    let perCycle = Assumption.receiverStart.value + Assumption.receiverClosing.value
    return every <= Self.receiverKeptSeconds ? 86_400 : cyclesPerDay * perCycle
  }
}

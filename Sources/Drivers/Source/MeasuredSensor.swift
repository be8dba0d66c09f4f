/// A sensor with a unit that an entry of `sensors` can bring, as other keys of the configuration
/// may name it.
public struct MeasuredSensor: Equatable, Sendable {
  /// What Home Assistant calls it.
  public let name: [UInt8]
  /// Its unique id; nil where only the device tells it.
  public let uniqueID: [UInt8]?
  /// Its unit, such as `V`.
  public let unit: [UInt8]
  /// The name of the sensor by which the same device tells how full its battery is, in percent,
  /// should it know.
  public let chargeName: [UInt8]?

  public init(name: [UInt8], uniqueID: [UInt8]?, unit: [UInt8], chargeName: [UInt8]? = nil) {
    self.name = name
    self.uniqueID = uniqueID
    self.unit = unit
    self.chargeName = chargeName
  }

  /// Whether it is the sensor that a person calls so.
  func isCalled(_ text: [UInt8]) -> Bool { name == text || uniqueID == text }
}

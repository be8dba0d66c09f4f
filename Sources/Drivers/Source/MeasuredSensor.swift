/// A sensor with a unit from an entry of `sensors`, for reference by other keys.
public struct MeasuredSensor: Equatable, Sendable {
  /// Name in Home Assistant.
  public let name: [UInt8]
  /// Unique id; nil if only the device knows it.
  public let uniqueID: [UInt8]?
  /// Unit, such as `V`.
  public let unit: [UInt8]
  /// Name of the sensor with which the same device reports the charge of its battery in percent, if
  /// it knows it.
  public let chargeName: [UInt8]?

  public init(name: [UInt8], uniqueID: [UInt8]?, unit: [UInt8], chargeName: [UInt8]? = nil) {
    self.name = name
    self.uniqueID = uniqueID
    self.unit = unit
    self.chargeName = chargeName
  }

  /// Whether `text` is the name or the unique id of the sensor.
  func isCalled(_ text: [UInt8]) -> Bool { name == text || uniqueID == text }
}

public import Bytes
public import LinuxIO

extension BoardSearch {
  /// Finders of the kinds of `sensors` entries, in the order for people. A new kind is a line here.
  private static var finders: [(key: StaticString, find: (BoardSearch) -> FoundKind)] {
    [
      ("one_wire", OneWireSettings.found), ("iio", IIOSettings.found),
      ("hwmon", MonitorSettings.found), ("ve_direct", VEDirectSettings.found),
      ("network", InterfaceSettings.found), ("gpio", GPIOLineSettings.found),
    ]
  }

  /// Returns all that this board has, kind by kind; kinds without items are empty.
  ///
  /// - Parameters:
  ///   - battery: settings of the reported power supplies.
  ///   - system: settings of the board's own sensors.
  ///   - location: source of the position.
  ///   - loop: the loop for the request to gpsd.
  /// - Returns: a kind for each finder.
  public func everything(
    battery: BatterySettings, system: SystemSettings, location: GPSDSettings?, loop: EventLoop
  ) -> [FoundKind] {
    [
      battery.found(in: self), system.found(in: self),
      GPSDSettings.found(of: location, loop: loop),
    ] + Self.finders.map { $0.find(self) }
  }

  /// Limit of the list: more would not help, and a status document holds many remedies.
  private static let othersShownMax = 8

  /// Lists the items of the same kind as a missing entry, those of the same device first:
  /// `here: bme280/temp, bme280/pressure`. Nil if there are none.
  public func others(than entry: ConfiguredEntry) -> MessageText? {
    let key = entry.key
    let finder = Self.finders.first { [UInt8]($0.key).span.elementsEqual(key) }
    let all = finder?.find(self).items.filter { $0.line != nil }.map { $0.address } ?? []
    let device = entry.address.prefix(
      (entry.address.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)
    let near = all.filter { !device.isEmpty && $0.starts(with: device) }
    let sorted = near + all.filter { !near.contains($0) }
    return sorted.isEmpty ? nil : "here: \(listed: sorted, max: Self.othersShownMax)"
  }
}

public import Bytes
public import LinuxIO

extension BoardSearch {
  /// The kinds of entries of `sensors` that can be found, in the order in which people read them. A
  /// new kind is a line here.
  private static var finders: [(key: StaticString, find: (BoardSearch) -> FoundKind)] {
    [
      ("one_wire", OneWireSettings.found), ("iio", IIOSettings.found),
      ("hwmon", MonitorSettings.found), ("ve_direct", VEDirectSettings.found),
      ("network", InterfaceSettings.found), ("gpio", GPIOLineSettings.found),
    ]
  }

  /// All that this board has, kind by kind; kinds of which it has nothing are empty.
  ///
  /// - Parameters:
  ///   - battery: which power supplies are reported.
  ///   - system: what of the board itself is reported.
  ///   - location: where the position comes from.
  ///   - loop: what asks gpsd whether it is there.
  /// - Returns: a kind for each finder.
  public func everything(
    battery: BatterySettings, system: SystemSettings, location: GPSDSettings?, loop: EventLoop
  ) -> [FoundKind] {
    [
      battery.found(in: self), system.found(in: self),
      GPSDSettings.found(of: location, loop: loop),
    ] + Self.finders.map { $0.find(self) }
  }

  /// More would not help, and a status document holds many remedies.
  private static let othersShownMax = 8

  /// What there is of the same kind as an entry that is not there, those of the same device first:
  /// `here are bme280/temp, bme280/pressure`. Nil where there is nothing.
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

public import Bytes
import Drivers
import LinuxIO
public import Sensing
import YAML

extension Configuration {
  /// Returns this configuration with the addresses of its GPIO lines on this board. If the kernel
  /// has no line with a configured name, the board file supplies the address; the sensor keeps its
  /// identity in Home Assistant.
  ///
  /// - Returns: the configuration, and the problems of a board file or a pin, which affect no other
  ///   sensor.
  @inline(never)
  public func findingLines() -> (Configuration, flaws: [MessageText]) {
    let hasNames = lineAddresses.contains { if case .name = $0 { true } else { false } }
    guard hasNames else { return (self, []) }
    let uses = GPIOLineUses()
    var flaws: [MessageText] = []
    do throws(BoardFileFailure) {
      let pins = try boardPins()
      let found = findingLines(as: uses, pins) { flaws.append($0) }
      return (found, flaws)
    } catch { return (self, [CommandFailure(error).text]) }
  }

  /// Addresses of the GPIO lines of sensors, outputs and the anchor watch.
  public var lineAddresses: [GPIOLineAddress] {
    sensors.compactMap { $0.line } + outputs.map { $0.address }
      + (location?.anchor?.line.map { [$0.address] } ?? [])
  }

  /// Returns this configuration with its lines found by the kernel's lines and these pins.
  func findingLines(
    as uses: GPIOLineUses, _ pins: BoardPins, warning: (MessageText) -> Void
  ) -> Configuration {
    var found = self
    func place(of address: GPIOLineAddress, _ name: [UInt8]) -> GPIOLineAddress {
      do throws(Refusal) { return try pins.place(of: address, as: uses) } catch {
        warning("\(bytes: name): \(error.problem); \(error.remedy)")
        return address
      }
    }
    found.sensors = sensors.map { sensor in
      guard case .line(let address, let moved) = sensor.input else { return sensor }
      return moved(place(of: address, sensor.entry.name))
    }
    found.outputs = outputs.map { $0.moved(to: place(of: $0.address, $0.entity.name)) }
    if let line = location?.anchor?.line {
      found.location?.anchor?.line = line.moved(to: place(of: line.address, line.entity.name))
    }
    return found
  }
}

extension BoardPins {
  /// Returns the line in the board file, if the kernel has it and no line with the written name;
  /// otherwise the written address. If not all chips can be read, one of them may have the written
  /// line.
  fileprivate func place(
    of address: GPIOLineAddress, as uses: GPIOLineUses
  ) throws(Refusal) -> GPIOLineAddress {
    guard !uses.isIncomplete, uses.line(at: address) == nil else { return address }
    for other in try addresses(of: address) where uses.line(at: other) != nil { return other }
    return address
  }
}

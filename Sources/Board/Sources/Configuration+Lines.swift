public import Bytes
import Drivers
import LinuxIO
public import Sensing
import YAML

extension Configuration {
  /// The same, with each GPIO line where this board has it. Where the kernel has no line of the
  /// name that a person wrote, the board file says where it is; the sensor stays the same one in
  /// Home Assistant.
  ///
  /// - Returns: it, and what is wrong with a board file or a pin, which harms no other sensor.
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

  /// Where its sensors, its outputs and the anchor watch have GPIO lines.
  public var lineAddresses: [GPIOLineAddress] {
    sensors.compactMap { $0.line } + outputs.map { $0.address }
      + (location?.anchor?.line.map { [$0.address] } ?? [])
  }

  /// The same, for a kernel that says this of its lines, and these pins.
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
  /// The line that the board file means, where the kernel has that one and none of the name that
  /// was written; else what was written. Where not all chips can be asked, one of them may have it.
  fileprivate func place(
    of address: GPIOLineAddress, as uses: GPIOLineUses
  ) throws(Refusal) -> GPIOLineAddress {
    guard !uses.isIncomplete, uses.line(at: address) == nil else { return address }
    for other in try addresses(of: address) where uses.line(at: other) != nil { return other }
    return address
  }
}

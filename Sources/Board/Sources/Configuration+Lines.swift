import Bytes
import Drivers
import LinuxIO
import Sensing
import YAML

extension Configuration {
  /// The same, with each GPIO line where this board has it. Where the kernel has no line of the
  /// name that a person wrote, the board file says where it is; the sensor stays the same one in
  /// Home Assistant. What is wrong with a board file, or with a pin, is told, and harms no other
  /// sensor.
  public func findingLines(_ log: Log) -> Configuration {
    let hasNames = sensors.contains { sensor in
      guard case .gpio(let line) = sensor, case .name = line.address else { return false }
      return true
    }
    guard hasNames else { return self }
    let uses = GPIOLineUses()
    do throws(BoardFileFailure) {
      return findingLines(as: uses, try boardPins()) { log.warning($0) }
    } catch {
      log.warning(CommandFailure(error).text)
      return self
    }
  }

  /// The same, for a kernel that says this of its lines, and these pins.
  func findingLines(
    as uses: GPIOLineUses, _ pins: BoardPins, warning: (MessageText) -> Void
  ) -> Configuration {
    var found = self
    found.sensors = sensors.map { sensor in
      guard case .gpio(var line) = sensor else { return sensor }
      do throws(Refusal) { try line.find(as: uses, pins) } catch {
        warning("\(bytes: line.entity.name): \(error.problem); \(error.remedy)")
      }
      return .gpio(line)
    }
    return found
  }
}

extension GPIOLineSettings {
  /// Moves to the line that the board file means, where the kernel has that one and none of the
  /// name that was written. Where not all chips can be asked, one of them may have it.
  fileprivate mutating func find(
    as uses: GPIOLineUses, _ pins: BoardPins
  ) throws(Refusal) {
    guard !uses.isIncomplete, uses.line(at: address) == nil else { return }
    for other in try pins.addresses(of: address) where uses.line(at: other) != nil {
      entity.uniqueID = entity.uniqueID ?? address.uniqueID
      address = other
      return
    }
  }
}

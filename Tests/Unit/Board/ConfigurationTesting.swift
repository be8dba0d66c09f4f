import Board
import Bytes
import LinuxIO
import Sensing
import YAML

@testable import Drivers

/// What every table of these tests needs: text in, text out.
enum Outcome {
  static func configuration(_ text: String) throws(ConfigurationErrors) -> Configuration {
    try Configuration.parse(Array(text.utf8))
  }

  /// The problems of a file called `f`, one line each; empty for a file without any.
  static func problems(_ text: String) -> [String] { problems(Array(text.utf8)) }

  static func problems(_ bytes: [UInt8]) -> [String] {
    do throws(ConfigurationErrors) {
      _ = try Configuration.parse(bytes)
      return []
    } catch {
      return error.lines
    }
  }

  /// The only problem; with more than one, a text that no test expects.
  static func problem(_ text: String) -> String { problems(text).joined(separator: "\n") }
}

/// The required part of a file, on one line, so that what a test adds begins on line 2.
let minimum = "home_assistant: { url: http://192.168.1.5:8123 }\n"

/// A file whose line 2 is one sensor, complete, with more settings from column 40 on.
func sensor(_ settings: String) -> String {
  minimum + "sensors: [{ gpio: GPIO17, name: Bilge, \(settings) }]\n"
}

func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

extension ConfigurationErrors {
  /// What is wrong with a file called `f`, one line each.
  var lines: [String] {
    String(decoding: rendered(fileName: Array("f".utf8)), as: UTF8.self).split(separator: "\n")
      .map(String.init)
  }
}

extension Configuration {
  /// The sensors that are GPIO lines.
  var lines: [GPIOLineSettings] {
    sensors.compactMap { ($0 as? SensorEntry<GPIOLineSettings>)?.settings }
  }
}

/// A suite that takes what the sources of a configuration bring, and notes which of them fail.
class WiringSuite: ReadingSink, SupervisorOwner {
  private(set) var sensors: [SensorDescription] = []
  private(set) var values: [String: Value] = [:]
  private(set) var failed: [String] = []
  lazy var supervisor = Supervisor(owner: self)
  let loop: EventLoop

  init() throws { loop = try EventLoop() }

  func context(_ configuration: Configuration) -> SourceContext {
    configuration.sourceContext(
      loop: loop, sink: self, supervisor: supervisor, cycle: configuration.every,
      answerTimeout: .seconds(1), now: Moment.now.instant)
  }

  func declare(_ sensor: SensorDescription) -> SensorIndex? {
    sensors.append(sensor)
    return SensorIndex(sensors.count - 1)
  }

  func record(_ reading: Reading) {
    values[text(sensors[reading.sensor.value].uniqueID) ?? ""] = reading.value
  }

  func record(_ fix: Fix) {}
  func sourceFailed(_ source: InlineText, _ failure: SourceFailure) {
    failed.append(text([UInt8](source.bytes)) ?? "")
  }
  func sourceRecovered(_ source: InlineText) {}
  func receiverChosen(_ source: InlineText, _ receiver: InlineText) {}
}

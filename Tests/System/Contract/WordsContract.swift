import Foundation
import Testing

@testable import PracticeHome
@testable import Sensing

extension Contract {
  /// The words for sensors that we use, and that the practice home knows, against those that are
  /// written down in the source of Home Assistant.
  ///
  /// `HOMEWARD_CONTRACT_WORDS` is the file that `deploy/lab/home-assistant words` printed.
  @Suite struct Words {}
}

extension Contract.Words {
  private static var file: String? {
    ProcessInfo.processInfo.environment["HOMEWARD_CONTRACT_WORDS"]
  }

  static let areKnown = file != nil
  static let reason: Comment = "only a real Home Assistant has a source"

  /// What a release knows, of which we use what all of them since 2025.4 have.
  private struct Known: Decodable {
    let sensor_classes, binary_sensor_classes, entity_categories: Set<String>
    let units, state_classes: [String: Set<String>]

    init() throws {
      let file = try #require(Contract.Words.file)
      self = try JSONDecoder().decode(
        Known.self, from: try Data(contentsOf: URL(filePath: file)))
    }
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test(
    .enabled(if: areKnown, reason), arguments: SensorClass.all.map { text($0.name) })
  func theUnitsAndStateClassesOfADeviceClassAreHomeAssistants(name: String) throws {
    let known = try Known()
    let sensorClass = try #require(SensorClass(named: [UInt8](name.utf8)))
    #expect(known.sensor_classes.contains(name))
    let units = Set(sensorClass.units.map(Self.text))
    #expect(units.subtracting(known.units[name] ?? []).isEmpty)
    let stateClasses = Set(sensorClass.stateClasses.map(Self.text))
    #expect(!stateClasses.isEmpty)
    #expect(stateClasses.subtracting(known.state_classes[name] ?? []).isEmpty)
  }

  @Test(.enabled(if: areKnown, reason))
  func thePracticeHomeKnowsNoWordThatHomeAssistantDoesNot() throws {
    let known = try Known()
    #expect(Vocabulary.sensorClasses.subtracting(known.sensor_classes).isEmpty)
    #expect(Vocabulary.binarySensorClasses.subtracting(known.binary_sensor_classes).isEmpty)
    let stateClasses = known.state_classes.values.reduce(into: Set()) { $0.formUnion($1) }
    #expect(Vocabulary.stateClasses.subtracting(stateClasses).isEmpty)
    #expect(known.entity_categories.contains("diagnostic"))
  }
}

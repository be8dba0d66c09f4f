import Bytes
import CLinux
import LinuxIO
import Sensing
import Testing

@testable import Drivers

@Suite final class TextFileTests: DriverSuite {
  private func rig(_ rest: String = "") throws -> SensorRig {
    try SensorRig("file: \"\(string(tree.path.bytes))/tank\"\(rest)", in: tree)
  }

  private func name(_ rest: String = "") -> String {
    String((string(tree.path.bytes) + "/tank" + rest).suffix(47))
  }

  @Test(arguments: [
    ("", "42.25\n", "42.25"), (", unit: L", "-3", "-3.00"),
    (", pattern: \"level=*\"", "ok\nlevel=17 L\n", "17.00"), (", line: 2", "1\n2\n3\n", "2.00"),
    (", line: 2, pattern: \"=*%\"", "a=1%\nb=2%\n", "2.00"),
    (", pattern: '\"t\": \"*\"'", "{\"t\": \"21.5\"}\n", "21.50"),
    (", pattern: \",TEMP*\"", ",AA,TEMP22.1\n,AA,TEMP22.4\n", "22.10"),
    (", factor: 0.5, offset: 1, decimals: 0", "9\n", "6"),
    (", scale: [0, 10], to: [100, 0], clamp: true", "-1\n", "100.00"),
    (", table: [[0, 0], [10, 50], [20, 200]], unit: L", "15\n", "125.00"),
    (", factor: 0.000001, device_class: data_size, unit: MB", "12345678901\n", "12346"),
  ])
  func theNumberOfAFileIsRead(rest: String, text: String, wanted: String) throws {
    try tree.write(text, to: "tank")
    #expect(try rig(rest).answer() == wanted)
  }

  /// A disk on a network, or a program that stands behind a file system.
  @Test func aFileThatIsSlowHoldsNothingUp() throws {
    try tree.write("42\n", to: "tank")
    let rig = try rig()
    try rig.source.sample(at: at(seconds: 1))
    #expect(rig.source.isGathering, "it is not known to be fast")
    #expect(rig.value == nil)
    rig.wait()
    #expect(rig.number == "42.00")
  }

  @Test(arguments: [("here", false), ("nfs", true)])
  func aFileOfAnotherMachineNeverHoldsTheLoopUp(folder: String, isRemote: Bool) throws {
    try tree.write("42\n", to: "\(folder)/tank")
    let rig = try SensorRig("file: \"\(string(tree.path.bytes))/\(folder)/tank\"", in: tree)
    #expect(rig.failure() == nil)
    for second in Int64(2)..<20 {
      try rig.source.sample(at: at(seconds: second))
      #expect(rig.source.isGathering == isRemote)
      rig.wait()
    }
    #expect(rig.number == "42.00")
  }

  @Test func homeAssistantIsToldWhatThePersonSays() throws {
    try tree.write("42\n", to: "tank")
    let rig = try rig(", unit: L, device_class: volume_storage, unique_id: tank, icon: mdi:cup")
    #expect(rig.failure() == nil)
    let sensor = try #require(rig.sensor)
    #expect(string(sensor.uniqueID) == "tank")
    #expect(sensor.unit.map(string) == "L")
    #expect(sensor.deviceClass.map(string) == "volume_storage")
    #expect(sensor.stateClass.map(string) == "measurement")
    #expect(sensor.icon.map(string) == "mdi:cup")
    #expect(rig.number == "42")
  }

  @Test func aFileThatIsReplacedIsReadAnew() throws {
    try tree.write("1\n", to: "tank")
    let rig = try rig()
    #expect(rig.failure() == nil)
    try tree.remove("tank")
    #expect(rig.failure() == "missing \(name())")
    #expect(rig.value == .unavailable)
    try tree.write("2\n", to: "tank")
    #expect(rig.answer() == "2.00")
  }

  @Test(arguments: [("", "nothing"), ("full\n", "full"), ("1\n2\n", "1?2")])
  func whatIsNoNumberIsUnknownAndSaid(text: String, found: String) throws {
    try tree.write(text, to: "tank")
    let rig = try rig()
    #expect(rig.failure() == "malformed \(name()) '\(found)'")
    #expect(rig.value == .unknown)
  }

  @Test(arguments: [
    (", pattern: \"Core 2:*\"", " Core 2:*", "Core 2:       +40,8°C"),
    (", line: 1", ":1", "40,78"),
  ])
  func wherePatternFitsItsPlaceIsShown(rest: String, end: String, found: String) throws {
    try tree.write("40,78\nCore 2:       +40,8°C\n", to: "tank")
    let rig = try rig(rest)
    #expect(
      rig.failure()
        == "implausible \(name(end)) '\(found)', but a number such as -2.5 is expected")
    #expect(rig.value == .unknown)
  }

  @Test func aNumberStandsInTheFirstFourKibibytes() throws {
    func text(_ blankCount: Int) -> String { String(repeating: " ", count: blankCount) + "a=12" }
    let rig = try rig(", pattern: \"a=*\"")
    try tree.write(text(TextFileSensor.byteCountMax - 4), to: "tank")
    #expect(rig.answer() == "12.00")
    // The next digit would be behind it.
    try tree.write(text(TextFileSensor.byteCountMax - 4) + "3", to: "tank")
    #expect(rig.failure() != nil)
    #expect(rig.value == .unknown)
  }

  @Test func whatIsNoFileIsNotWaitedFor() throws {
    try tree.write("1", to: "tank/x")
    let directory = try rig()
    #expect(directory.failure() == "failed \(name()) \(EISDIR)")
    #expect(directory.value == .unavailable)
    #expect(try answer("file: /dev/zero") == "failed /dev/zero \(ESPIPE)")
  }

  @Test func anErrorOfTheKernelIsUnavailableWithItsNumber() throws {
    try tree.fail("tank")
    let rig = try rig()
    #expect(rig.failure() == "failed \(name()) \(EIO)")
    #expect(rig.value == .unavailable)
  }

  private func uniqueID(_ file: String) throws -> String {
    let entry = sensorSettings("file: \(file)").settings as? SensorEntry<TextFileSettings>
    return string(try #require(entry).settings.uniqueID)
  }

  @Test func twoNumbersOfAFileAreTwoSensors() throws {
    let ids = try ["", ", line: 1", ", pattern: \"a=*\"", ", pattern: \"a:*\""].map { rest in
      let id = try uniqueID("/run/tank\(rest)")
      #expect(id.utf8.count <= 64)
      return id
    }
    #expect(ids[0] == "file_run_tank")
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { $0.hasPrefix("file_run_tank") })
    let long = "/" + String(repeating: "a", count: 80)
    let longIDs = try ["x", "y"].map { try uniqueID("\(long)\($0)") }
    #expect(Set(longIDs).count == 2)
    #expect(longIDs.allSatisfy { $0.utf8.count <= 64 })
  }
}

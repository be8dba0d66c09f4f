import Bytes
import LinuxIO
import Sensing
import Testing

@testable import Drivers

@Suite final class InterfaceStatisticsTests: DriverSuite {
  private func rig(_ rest: String = "") throws -> SensorRig {
    try SensorRig("network: wwan0\(rest)", in: tree)
  }

  private func carry(received: String, sent: String) throws {
    try tree.write(
      ["rx_bytes": received, "tx_bytes": sent], in: "class/net/wwan0/statistics")
  }

  @Test func whatAnInterfaceCarriedIsCountedInMegabytes() throws {
    try carry(received: "1499999\n", sent: "100000000000000000\n")
    let rig = try rig()
    #expect(rig.failure() == nil)
    #expect(
      rig.sink.values == [
        "network_wwan0_received": .number(FixedPoint(1)),
        "network_wwan0_sent": .number(FixedPoint(100_000_000_000)),
      ])
    let sensor = try #require(rig.sensor)
    #expect(sensor.name == [UInt8]("Bench received".utf8))
    #expect(sensor.unit == [UInt8]("MB".utf8))
    #expect(sensor.deviceClass == [UInt8]("data_size".utf8))
    #expect(sensor.stateClass == [UInt8]("total_increasing".utf8))
    #expect(sensor.isDiagnostic)
  }

  @Test func aModemThatIsUnpluggedIsUnavailableAndCountsOnWhenItIsBack() throws {
    let rig = try rig()
    #expect(rig.failure() == "missing wwan0")
    #expect(
      rig.sink.values
        == ["network_wwan0_received": .unavailable, "network_wwan0_sent": .unavailable])
    try carry(received: "2000000\n", sent: "0\n")
    #expect(rig.failure() == nil)
    #expect(rig.sink.values["network_wwan0_received"] == .number(FixedPoint(2)))
    #expect(rig.sink.values["network_wwan0_sent"] == .number(FixedPoint(0)))
  }

  /// 163 PB of an armv7l with 6.1 (armbian-onecloud issue 93).
  @Test(arguments: ["", "-1", "1.5", "163000000000000000", "18446744073709551616", "much"])
  func whatIsNoCountIsUnknown(text: String) throws {
    try carry(received: text + "\n", sent: "0\n")
    let rig = try rig()
    #expect(rig.failure()?.hasPrefix("malformed wwan0 ") == true)
    #expect(rig.sink.values["network_wwan0_received"] == .unknown)
    #expect(rig.sink.values["network_wwan0_sent"] == .number(FixedPoint(0)), "it is not its fault")
  }

  @Test func theUniqueIDOfTheConfigurationIsTheBeginningOfThree() throws {
    try carry(received: "0\n", sent: "0\n")
    let rig = try rig(", icon: \"mdi:sail-boat\", unique_id: modem")
    #expect(rig.failure() == nil)
    #expect(rig.sink.values.keys.sorted() == ["modem_received", "modem_sent"])
    #expect(rig.sink.sensors.allSatisfy { $0.icon == [UInt8]("mdi:sail-boat".utf8) })
  }

  /// The kernel knows no radio of that number: the signal is that of no access point.
  @Test func aRadioThatHearsNothingHasASignalThatIsUnavailable() throws {
    try carry(received: "0\n", sent: "0\n")
    try tree.write("phy0\n", to: "class/net/wwan0/phy80211/name")
    try tree.write("2147483647\n", to: "class/net/wwan0/ifindex")
    let rig = try rig()
    let told = rig.failure()
    #expect(told == nil || told?.hasPrefix("failed wwan0") == true)
    #expect(rig.sink.values["network_wwan0_signal"] == .unavailable || told != nil)
  }

  @Test func aRadioWhoseNumberMakesNoSenseIsSaid() throws {
    try carry(received: "0\n", sent: "0\n")
    try tree.write("phy0\n", to: "class/net/wwan0/phy80211/name")
    try tree.write("0\n", to: "class/net/wwan0/ifindex")
    let rig = try rig()
    #expect(rig.failure() == "malformed wwan0 '0'")
    #expect(
      rig.sink.values == [
        "network_wwan0_received": .number(FixedPoint(0)),
        "network_wwan0_sent": .number(FixedPoint(0)),
      ], "what it carried is known, as on a Pi whose firmware answers -110 about the signal")
  }

  /// The loopback interface of this machine is no radio.
  @Test func theKernelsOwnInterfaceIsRead() throws {
    let rig = try SensorRig("network: lo", in: tree, sys: Path([UInt8]("/sys".utf8)))
    #expect(rig.failure() == nil)
    #expect(rig.sink.values.keys.sorted() == ["network_lo_received", "network_lo_sent"])
    guard case .number = rig.sink.values["network_lo_received"] else {
      Issue.record("\(rig.sink.values)")
      return
    }
  }
}

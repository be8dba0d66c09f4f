import Testing

@testable import Board
@testable import HomeAssistant

/// What Home Assistant shows of a board on its page: "MODEL by MANUFACTURER", and its firmware.
@Suite struct DeviceNamesTests {
  /// The registration of a board with these files of the kernel.
  private func request(_ files: [String: String]) throws -> RegistrationRequest {
    let machine = Machine()
    defer { withExtendedLifetime(machine) {} }
    for (name, text) in files { try machine.write(text, to: name) }
    let host = try ["sys", "proc"].map { name in
      "\(name): \(try #require(text(machine.path(name).bytes)))"
    }
    return try Outcome.configuration(minimum + "host: { \(host.joined(separator: ", ")) }\n")
      .registrationRequest(nil)
  }

  private func words(_ files: [String: String]) throws -> String {
    let request = try request(files)
    return String(decoding: request.model, as: UTF8.self) + " by "
      + String(decoding: request.manufacturer, as: UTF8.self)
  }

  private static let tree = "sys/firmware/devicetree/base"
  private static let dmi = "sys/class/dmi/id"

  @Test(
    arguments: [
      (
        "Raspberry Pi Zero 2 W Rev 1.0", "raspberrypi,model-zero-2-w\0brcm,bcm2837\0",
        "Raspberry Pi"
      ),
      ("Xunlong Orange Pi Zero", "xunlong,orangepi-zero\0allwinner,sun8i-h2-plus\0", "Orange Pi"),
      ("Radxa ROCK 5B", "radxa,rock-5b\0rockchip,rk3588\0", "Radxa"),
      ("Pine64 Rock64", "pine64,rock64\0rockchip,rk3328\0", "Pine64"),
      ("Hardkernel ODROID-C4", "hardkernel,odroid-c4\0amlogic,sm1\0", "Hardkernel"),
      ("Libre Computer AML-S905X-CC", "libretech,aml-s905x-cc\0", "Libre Computer"),
      ("TI AM335x BeagleBone Black", "ti,am335x-bone-black\0ti,am33xx\0", "Texas Instruments"),
      ("FriendlyElec NanoPi R4S", "friendlyarm,nanopi-r4s\0", "FriendlyELEC"),
      ("NVIDIA Jetson Nano", "nvidia,p3450-0000\0nvidia,tegra210\0", "NVIDIA"),
      // As the kernel has it, where people do not know it by another name.
      ("Turing RK1", "turing,rk1\0rockchip,rk3588\0", "turing"),
    ])
  func theVendorOfADeviceTreeHasItsName(model: String, compatible: String, name: String) throws {
    let files = ["\(Self.tree)/model": model + "\0", "\(Self.tree)/compatible": compatible]
    #expect(try words(files) == "\(model) by \(name)")
  }

  @Test func aPCHasWhatItsFirmwareSays() throws {
    #expect(
      try words([
        "\(Self.dmi)/sys_vendor": "LENOVO\n", "\(Self.dmi)/product_name": "20BWS0D100\n",
      ]) == "20BWS0D100 by LENOVO")
  }

  /// As on many boards of Asus, and on those that are sold without a name.
  @Test(arguments: [
    ("System manufacturer", "System Product Name"), ("To be filled by O.E.M.", "Default string"),
    ("Default string", "To Be Filled By O.E.M."), ("OEM", "Not Applicable"), ("Unknown", "INVALID"),
  ])
  func theBaseBoardIsNamedInPlaceOfADummy(vendor: String, product: String) throws {
    #expect(
      try words([
        "\(Self.dmi)/sys_vendor": "\(vendor)\n", "\(Self.dmi)/product_name": "\(product)\n",
        "\(Self.dmi)/board_vendor": "ASUSTeK COMPUTER INC.\n",
        "\(Self.dmi)/board_name": "Z170 PRO GAMING\n",
      ]) == "Z170 PRO GAMING by ASUSTeK COMPUTER INC.")
  }

  @Test func whatAMakerDidNotFillInIsLeftOut() throws {
    #expect(
      try words([
        "\(Self.dmi)/sys_vendor": "To Be Filled By O.E.M.\n",
        "\(Self.dmi)/board_vendor": "ASRock\n",
        "\(Self.dmi)/product_name": "Default string\n", "\(Self.dmi)/board_name": "J5040-ITX\n",
      ]) == "J5040-ITX by ASRock")
    #expect(try words(["\(Self.dmi)/sys_vendor": "Default string\n"]) == "Linux board by ")
    #expect(try words([:]) == "Linux board by ")
  }

  @Test func theFirmwareIsTheAgentAndTheKernel() throws {
    let request = try request(["proc/sys/kernel/osrelease": "6.12.47+rpt-rpi-v8\n"])
    let version = String(decoding: request.appVersion, as: UTF8.self)
    #expect(
      String(decoding: request.osVersion, as: UTF8.self)
        == "homeward \(version), Linux 6.12.47+rpt-rpi-v8")
  }
}

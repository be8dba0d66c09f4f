import Bytes
import CLinux
public import HomeAssistant
import LinuxIO
public import Outbox

/// What this board says about itself when it registers, read from the kernel.
public struct DeviceIdentity {
  private static let textByteCountMax = 256

  private let host: Configuration.HostPaths

  public init(host: Configuration.HostPaths) { self.host = host }

  func registrationRequest(
    name: [UInt8]?, push: PushRoutes
  ) -> RegistrationRequest {
    RegistrationRequest(
      deviceID: deviceID, deviceName: name ?? hostName, manufacturer: manufacturer, model: model,
      osName: [UInt8]("Linux"), osVersion: firmware, appVersion: [UInt8](homewardVersion),
      push: push)
  }

  /// The same after the card is flashed again on the same board with the same machine id, and
  /// another one on every other board, even where the card is a copy.
  public var deviceID: [UInt8] {
    let serial =
      text(sys / "firmware/devicetree/base/serial-number")
      ?? text(sys / "class/dmi/id/product_uuid")
    let machineID = text(Path("/etc/machine-id"))
    // A board without either is told apart by its name.
    let name = serial == nil && machineID == nil ? hostName : []
    return fingerprint(of: [serial ?? [], machineID ?? [], name], purpose: "device id")
  }

  private var model: [UInt8] {
    text(sys / "firmware/devicetree/base/model") ?? dmi("product_name") ?? dmi("board_name")
      ?? [UInt8]("Linux board")
  }

  /// Home Assistant shows "by" and this behind the model: a name for people, or what the kernel
  /// has. Empty where that is nothing.
  private var manufacturer: [UInt8] {
    // The device tree names the vendor first, such as "raspberrypi,4-model-b".
    if let compatible = text(sys / "firmware/devicetree/base/compatible"),
      let comma = compatible.firstIndex(of: UInt8(ascii: ","))
    {
      return Self.name(ofVendor: compatible[..<comma])
    }
    return dmi("sys_vendor") ?? dmi("board_vendor") ?? []
  }

  /// A text of a PC's firmware; nil where its maker left it as it came.
  private func dmi(_ name: StaticString) -> [UInt8]? {
    guard let text = text(sys / "class/dmi/id" / name) else { return nil }
    let words = text.lowercasedASCII
    return Self.placeholders.contains { words.elementsEqual([UInt8]($0)) } ? nil : text
  }

  private static let placeholders: [StaticString] = [
    "default string", "to be filled by o.e.m.", "system manufacturer", "system product name",
    "not specified", "not applicable", "unknown", "invalid", "oem",
  ]

  /// Prefixes of device trees (the kernel's `vendor-prefixes.yaml`), and what the vendors call
  /// themselves.
  private static let vendors: [(StaticString, StaticString)] = [
    ("bananapi", "Banana Pi"), ("beagle", "BeagleBoard.org"), ("friendlyarm", "FriendlyELEC"),
    ("hardkernel", "Hardkernel"), ("khadas", "Khadas"), ("libretech", "Libre Computer"),
    ("nvidia", "NVIDIA"), ("olimex", "Olimex"), ("pine64", "Pine64"), ("radxa", "Radxa"),
    ("raspberrypi", "Raspberry Pi"), ("sinovoip", "Banana Pi"), ("starfive", "StarFive"),
    ("ti", "Texas Instruments"), ("xunlong", "Orange Pi"),
  ]

  private static func name(ofVendor prefix: ArraySlice<UInt8>) -> [UInt8] {
    for (known, name) in vendors where prefix.elementsEqual([UInt8](known)) {
      return [UInt8](name)
    }
    return [UInt8](prefix)
  }

  /// Home Assistant shows it as the firmware of the device, and shows no other version.
  private var firmware: [UInt8] {
    [UInt8]("homeward ") + [UInt8](homewardVersion) + [UInt8](", Linux ") + kernelRelease
  }

  private var kernelRelease: [UInt8] {
    text(Path(host.proc) / "sys/kernel/osrelease") ?? [UInt8]("unknown")
  }

  public var hostName: [UInt8] {
    text(Path(host.proc) / "sys/kernel/hostname") ?? [UInt8]("homeward")
  }

  private var sys: Path { Path(host.sys) }

  /// The first text of a file of the kernel, up to its NUL or line end; nil where there is none.
  private func text(_ path: Path) -> [UInt8]? {
    guard let bytes = try? readFile(at: path, byteCountMax: Self.textByteCountMax) else {
      return nil
    }
    let text = bytes.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }
    return text.isEmpty ? nil : [UInt8](text)
  }
}

extension Configuration {
  /// What Home Assistant is told about this board. A server for notifications without its token is
  /// not named, and `withoutPushToken` is told why: a stranger who guessed the address could send
  /// to it.
  public func registrationRequest(
    withoutPushToken report: (Enrollment.TokenFlaw) -> Void
  ) -> RegistrationRequest {
    var push = PushRoutes(isWebSocketWanted: notifications.isWebSocketWanted)
    if let settings = notifications.push {
      switch readToken(settings.tokenFile) {
      case .success(let token):
        push.target = PushTarget(url: Text(settings.url), token: Text(token))
      case .failure(let flaw): report(flaw)
      }
    }
    return DeviceIdentity(host: host).registrationRequest(name: deviceName, push: push)
  }
}

public import Bytes
import CLinux
public import HomeAssistant
import LinuxIO
public import Outbox

/// What this board says about itself when it registers, read from the kernel.
public struct DeviceIdentity {
  private static let textByteCountMax = 256

  private let host: Configuration.HostPaths

  public init(host: Configuration.HostPaths) { self.host = host }

  /// What registers keeps the id of `registration`, where there is one, and its board.
  func registrationRequest(
    keeping registration: Registration?, name: [UInt8]?, push: PushRoutes
  ) -> RegistrationRequest {
    RegistrationRequest(
      deviceID: deviceID(of: registration), deviceName: name ?? hostName,
      manufacturer: manufacturer, model: model,
      osName: [UInt8]("Linux"), osVersion: firmware, appVersion: [UInt8](homewardVersion),
      push: push, board: registration?.board?.bytes ?? serial ?? [])
  }

  /// The serial number that the board has from its maker, which every user may read; nil where it
  /// has none, as a PC.
  public var serial: [UInt8]? {
    @inline(never)
    get {
      let serial = text(sys / "firmware/devicetree/base/serial-number")
      // A boot loader that does not know it writes zeros.
      return serial?.allSatisfy { $0 == UInt8(ascii: "0") } == true ? nil : serial
    }
  }

  /// The same after the card is flashed again on the same board with the same machine id, and
  /// another one on every other board, even where the card is a copy; root and the service have the
  /// same, for what only root may read, such as a PC's `product_uuid`, is no part of it.
  public var deviceID: [UInt8] { deviceID(serial: serial) }

  /// What is registered keeps its id. Earlier versions did not keep it, and took a PC's
  /// `product_uuid` into it, where they could read that.
  @inline(never)
  public func deviceID(of registration: Registration?) -> [UInt8] {
    guard let registration else { return deviceID }
    return registration.deviceID?.bytes
      ?? deviceID(serial: serial ?? text(sys / "class/dmi/id/product_uuid"))
  }

  /// Adds what an earlier version did not keep. Returns whether there was something to add.
  public func complete(_ registration: inout Registration) -> Bool {
    guard registration.deviceID == nil else { return false }
    registration.deviceID = Text(deviceID(of: registration))
    registration.board = serial.map { Text($0) }
    return true
  }

  /// The serial number of the other board that registered; nil where it was this one, as far as is
  /// known.
  public func otherBoard(of registration: Registration) -> [UInt8]? {
    guard let kept = registration.board?.bytes, let serial, kept != serial else { return nil }
    return kept
  }

  /// What a person has to know where the card of a paired board is in another one; `state` has the
  /// registration.
  public func otherBoardWords(
    of registration: Registration, in state: StateDirectory
  ) -> MessageText? {
    guard let other = otherBoard(of: registration) else { return nil }
    let own = (serial ?? []).printable
    return "\(state.path) was paired on another board, with the serial number"
      + " \(bytes: other.printable), and this one has \(bytes: own): if both run, Home Assistant"
      + " treats them as one device. To make this board a separate device, stop the agent and run:"
      + " \(Arguments.command("pair")). If the other board is no longer used:"
      + " \(Arguments.command("pair --same-device"))"
  }

  private func deviceID(serial: [UInt8]?) -> [UInt8] {
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
    keeping registration: Registration? = nil,
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
    return DeviceIdentity(host: host)
      .registrationRequest(keeping: registration, name: deviceName, push: push)
  }
}

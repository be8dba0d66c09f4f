public import Bytes
import CLinux
public import HomeAssistant
import LinuxIO
public import Outbox

/// The identity of this board for the registration, read from the kernel.
public struct DeviceIdentity {
  private static let textByteCountMax = 256

  private let host: Configuration.HostPaths

  public init(host: Configuration.HostPaths) { self.host = host }

  /// Returns a request that keeps the id and the board of `registration`, if given.
  func registrationRequest(
    keeping registration: Registration?, name: [UInt8]?, push: PushRoutes
  ) -> RegistrationRequest {
    RegistrationRequest(
      deviceID: deviceID(of: registration), deviceName: name ?? hostName,
      manufacturer: manufacturer, model: model,
      osName: [UInt8]("Linux"), osVersion: firmware, appVersion: [UInt8](homewardVersion),
      push: push, board: registration?.board?.bytes ?? serial ?? [])
  }

  /// Serial number from the board's maker, which every user may read; nil if there is none, as on a
  /// PC.
  public var serial: [UInt8]? {
    @inline(never)
    get {
      let serial = text(sys / "firmware/devicetree/base/serial-number")
      // A boot loader that does not know the number writes zeros.
      return serial?.allSatisfy { $0 == UInt8(ascii: "0") } == true ? nil : serial
    }
  }

  /// Id of the device: unchanged after the card is flashed again on the same board with the same
  /// machine id, and different on every other board, even if the card is a copy. Root and the
  /// service get the same id, because it contains nothing that only root may read, such as a PC's
  /// `product_uuid`.
  public var deviceID: [UInt8] { deviceID(serial: serial) }

  /// Returns the id of a registration, which keeps its id. Earlier versions did not store it, and
  /// included a PC's `product_uuid` if they could read it.
  @inline(never)
  public func deviceID(of registration: Registration?) -> [UInt8] {
    guard let registration else { return deviceID }
    return registration.deviceID?.bytes
      ?? deviceID(serial: serial ?? text(sys / "class/dmi/id/product_uuid"))
  }

  /// Adds the values that an earlier version did not store. Returns whether any were missing.
  public func complete(_ registration: inout Registration) -> Bool {
    guard registration.deviceID == nil else { return false }
    registration.deviceID = Text(deviceID(of: registration))
    registration.board = serial.map { Text($0) }
    return true
  }

  /// Returns the serial number of the other board that registered; nil if it was this one, or is
  /// unknown.
  public func otherBoard(of registration: Registration) -> [UInt8]? {
    guard let kept = registration.board?.bytes, let serial, kept != serial else { return nil }
    return kept
  }

  /// Returns the message for the card of a paired board in another board; `state` has the
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
    // A board without both is identified by its name.
    let name = serial == nil && machineID == nil ? hostName : []
    return fingerprint(of: [serial ?? [], machineID ?? [], name], purpose: "device id")
  }

  private var model: [UInt8] {
    text(sys / "firmware/devicetree/base/model") ?? dmi("product_name") ?? dmi("board_name")
      ?? [UInt8]("Linux board")
  }

  /// Manufacturer, which Home Assistant shows after the model: a name for people, or the kernel's.
  /// Empty if there is none.
  private var manufacturer: [UInt8] {
    // The device tree has the vendor first, such as "raspberrypi,4-model-b".
    if let compatible = text(sys / "firmware/devicetree/base/compatible"),
      let comma = compatible.firstIndex(of: UInt8(ascii: ","))
    {
      return Self.name(ofVendor: compatible[..<comma])
    }
    return dmi("sys_vendor") ?? dmi("board_vendor") ?? []
  }

  /// Returns a text of a PC's firmware; nil for a placeholder of the maker.
  private func dmi(_ name: StaticString) -> [UInt8]? {
    guard let text = text(sys / "class/dmi/id" / name) else { return nil }
    let words = text.lowercasedASCII
    return Self.placeholders.contains { words.elementsEqual([UInt8]($0)) } ? nil : text
  }

  private static let placeholders: [StaticString] = [
    "default string", "to be filled by o.e.m.", "system manufacturer", "system product name",
    "not specified", "not applicable", "unknown", "invalid", "oem",
  ]

  /// Prefixes of device trees (the kernel's `vendor-prefixes.yaml`), and the names of the vendors.
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

  /// Firmware version in Home Assistant, which shows no other version.
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

  /// Returns the first text of a kernel file, up to its NUL or line end; nil if there is none.
  private func text(_ path: Path) -> [UInt8]? {
    guard let bytes = try? readFile(at: path, byteCountMax: Self.textByteCountMax) else {
      return nil
    }
    let text = bytes.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }
    return text.isEmpty ? nil : [UInt8](text)
  }
}

extension Configuration {
  /// Returns the registration request of this board. The push relay is left out without its token.
  public func registrationRequest(
    keeping registration: Registration? = nil, _ token: PushRelayToken?
  ) -> RegistrationRequest {
    var routes = PushRoutes(isWebSocketWanted: takesNotifications)
    if let push, let token {
      routes.target = PushTarget(
        url: Text(push.url + [UInt8]("/push")), token: token.pushToken)
    }
    return DeviceIdentity(host: host)
      .registrationRequest(keeping: registration, name: deviceName, push: routes)
  }

  /// Returns the token of the push relay; nil without a relay.
  public func relayToken() throws(Enrollment.TokenFlaw) -> PushRelayToken? {
    guard let push else { return nil }
    guard let token = PushRelayToken(try readToken(push.tokenFile).get()) else { throw .notAToken }
    return token
  }
}

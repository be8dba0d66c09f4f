import Bytes
import Testing

@testable import Sensing

func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }

/// The number that a text of the kernel is.
func number(_ text: String) throws -> FixedPoint {
  let number = KernelText.decimal([UInt8](text.utf8).span)
  return try #require(number)
}

/// A number with all its digits; nil for none.
func written(_ number: FixedPoint?) -> String? {
  guard let number else { return nil }
  var digits = ByteBuffer(capacity: 24)
  digits.append(number)
  return String(decoding: [UInt8](digits.bytes), as: UTF8.self)
}

/// The bytes of a kept file with the checksum that they have.
func sealed(_ bytes: [UInt8]) -> [UInt8] {
  let checksum = CRC32C(of: bytes.span).value
  return bytes + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> ($0 * 8)) }
}

// MARK: Networks

let eth: UInt32 = 2
let wlan: UInt32 = 3
let tun: UInt32 = 7

func interface(_ index: UInt32) -> NetworkInterface {
  NetworkInterface(
    index: index, name: InlineText(index == eth ? "eth0" : index == wlan ? "wlan0" : "tun0"))
}

func wired(_ gateway: [UInt8]?) throws -> NetworkPlace {
  .wired(gateway: try gateway.map { try address($0) }, interface(eth))
}

func wireless(_ name: String, _ bssid: [UInt8]) throws -> NetworkPlace {
  let network = WirelessNetwork(ssid: try ssid(name), bssid: try address(bssid))
  return .wireless(network, interface(wlan))
}

func ssid(_ bytes: [UInt8]) -> SSID? { SSID(bytes.span) }

func ssid(_ name: String) throws -> SSID { try #require(ssid([UInt8](name.utf8))) }

func address(_ bytes: [UInt8]) throws -> HardwareAddress {
  let address = HardwareAddress(bytes.span)
  return try #require(address)
}

func address(_ text: String) -> HardwareAddress? { HardwareAddress(text: [UInt8](text.utf8).span) }

import Sensing
import Testing

func ssid(_ bytes: [UInt8]) -> SSID? { SSID(bytes.span) }

func ssid(_ name: String) throws -> SSID { try #require(ssid([UInt8](name.utf8))) }

func address(_ bytes: [UInt8]) throws -> HardwareAddress {
  let address = HardwareAddress(bytes.span)
  return try #require(address)
}

func address(_ text: String) -> HardwareAddress? { HardwareAddress(text: [UInt8](text.utf8).span) }

import Bytes
import CLinux
import HomeAssistant
import LinuxIO

/// Seals as many messages of 20 readings as its argument says: what `floor seal` does in C. It is
/// built as what ships is built, and Valgrind counts its instructions.
@main struct Main {
  private static let readings = 20
  private static let dataByteCountMax = 4 * 1024

  static func main() {
    guard prepareSodium(),
      let key = SecretKey(hexadecimal: [UInt8](repeating: 0x61, count: 64).span)
    else { preconditionFailure("this machine has no source of random numbers") }
    var buffer = ByteBuffer(
      capacity: Envelope.byteCount(sealing: dataByteCountMax))
    let sensor = SensorRegistration(
      uniqueID: [UInt8]("load_15_minutes"), name: [UInt8]("Load"), kind: .sensor,
      icon: [UInt8]("mdi:gauge"))
    for batch in 0..<batches {
      Envelope.seal(
        .updateSensorStates, with: key, nonce: Nonce(randomBytes: randomBytes()), into: &buffer
      ) { data in
        data.openJSONArray()
        for reading in 0..<readings {
          let value = FixedPoint(
            rounding: 12.34 + Double(reading + batch % 10), decimals: 2)
          sensor.writeUpdate(into: &data) { state in
            if let value { state.appendJSON(value) } else { state.appendJSONNull() }
          }
        }
        data.closeJSONArray()
      }
    }
    precondition(!buffer.isOverflowed, "the buffer was made for them")
  }

  private static var batches: Int {
    guard clinux_argument_count() == 2, let text = unsafe clinux_argument(1) else { return 0 }
    return unsafe atol(text)
  }
}

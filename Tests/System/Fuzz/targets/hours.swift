import Bytes

@testable import Outbox

/// Any file of hours for the statistics: what it is read as is written and read again, and there
/// are never too many.
///
/// What stands before the sensors and the checksum are ours, so that the inputs get past them.
func fuzz(_ input: Span<UInt8>) {
  _ = try? WaitingHours(file: input, of: device)
  guard let hours = try? WaitingHours(file: file(input).span, of: device) else { return }
  expect("there are not too many", hours.count <= WaitingHours.countMax)
  let written = hours.file(of: device)
  let again = try? WaitingHours(file: written.bytes, of: device)
  expect("what was written is read again alike", again == hours)
  for sensor in hours.sensors {
    let numbers = sensor.hours.map { $0.number }
    expect("hours are in order", zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
    expect("each is a time", sensor.hours.allSatisfy { $0.start < $0.end })
  }
}

private let device = DeviceFingerprint(low: 1, high: 2)

private func file(_ sensors: Span<UInt8>) -> [UInt8] {
  var buffer = ByteBuffer(capacity: sensors.count + 64)
  buffer.append("HWHR")
  buffer.append(littleEndian: UInt16(2))
  buffer.append(littleEndian: device.low)
  buffer.append(littleEndian: device.high)
  buffer.append(sensors)
  var checksum = CRC32C()
  checksum.update(buffer.bytes)
  buffer.append(littleEndian: checksum.value)
  return [UInt8](buffer.bytes)
}

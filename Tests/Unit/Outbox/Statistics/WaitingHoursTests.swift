import Bytes
import Sensing
import Testing

@testable import Outbox

@Suite struct WaitingHoursTests {
  private static let device = DeviceFingerprint(low: 1, high: 2)
  private static let bilge = sensor("bilge")
  private static let cabin = sensor("cabin")
  private static let rain = StatisticsSensor(uniqueID: [UInt8]("rain".utf8), unit: [], .sum)

  private static func sensor(_ name: String) -> StatisticsSensor {
    StatisticsSensor(uniqueID: [UInt8](name.utf8), unit: [UInt8]("°C".utf8))
  }

  private static func hour(_ number: Int64, mean: Double = 20.25) -> SensorHour {
    SensorHour(number: number, .measured(mean: mean, lowest: -3.5, highest: 1e9))
  }

  private static func some() -> WaitingHours {
    var hours = WaitingHours()
    hours.insert(hour(498_682), of: bilge)
    hours.insert(hour(498_682), of: cabin)
    hours.insert(hour(498_683), of: bilge)
    hours.insert(SensorHour(number: 498_683, .counted(17.5)), of: rain)
    return hours
  }

  @Test func hoursAreInOrderHoweverTheyCome() {
    var hours = WaitingHours()
    for number: Int64 in [5, 3, 9, 4] { hours.insert(Self.hour(number), of: Self.bilge) }
    #expect(hours.hours(of: Self.bilge).map { $0.number } == [3, 4, 5, 9])
    #expect(hours.count == 4)
  }

  @Test func anHourThatComesTwiceIsTheLaterOne() {
    var hours = WaitingHours()
    hours.insert(Self.hour(5, mean: 1), of: Self.bilge)
    hours.insert(Self.hour(5, mean: 2), of: Self.bilge)
    #expect(hours.hours(of: Self.bilge).map { $0.mean } == [2])
    #expect(hours.count == 1)
  }

  @Test func whereThereAreTooManyTheOldestOfAllGoes() {
    var hours = WaitingHours()
    hours.insert(Self.hour(7), of: Self.cabin)
    for number in 0..<Int64(WaitingHours.countMax) {
      hours.insert(Self.hour(10 + number), of: Self.bilge)
    }
    #expect(hours.count == WaitingHours.countMax)
    #expect(hours.hours(of: Self.cabin).isEmpty)
    #expect(hours.hours(of: Self.bilge).count == WaitingHours.countMax)
    hours.insert(Self.hour(1_000_000), of: Self.bilge)
    #expect(hours.hours(of: Self.bilge).first?.number == 11)
    #expect(hours.count == WaitingHours.countMax)
  }

  @Test func whatWasRemovedIsGoneAndNothingElse() {
    var hours = Self.some()
    hours.remove(hours.hours(of: Self.bilge)[...0], of: Self.bilge)
    #expect(hours.hours(of: Self.bilge).map { $0.number } == [498_683])
    #expect(hours.hours(of: Self.cabin).count == 1)
    #expect(hours.count == 3)
  }

  // MARK: The file

  private static func read(
    _ bytes: [UInt8], of device: DeviceFingerprint = device
  ) throws(KeptFrameError) -> WaitingHours {
    try WaitingHours(file: bytes.span, of: device)
  }

  private static func file(_ hours: WaitingHours = some()) -> [UInt8] {
    [UInt8](hours.file(of: device).bytes)
  }

  @Test func hoursOutliveARestart() throws {
    #expect(try Self.read(Self.file()) == Self.some())
    #expect(try Self.read(Self.file(WaitingHours())).isEmpty)
  }

  /// So a later version of ours reads what this one wrote.
  @Test func theFormatIsWhatTheTableSays() {
    var hours = WaitingHours()
    hours.insert(
      SensorHour(number: 498_682, .measured(mean: 20.25, lowest: -3.5, highest: 1)), of: Self.bilge)
    hours.insert(SensorHour(number: 498_683, .counted(1)), of: Self.rain)
    let header: [UInt8] =
      [UInt8]("HWHR".utf8) + [2, 0] + [1, 0, 0, 0, 0, 0, 0, 0] + [2, 0, 0, 0, 0, 0, 0, 0]
    let bilge: [UInt8] =
      [5] + [UInt8]("bilge".utf8) + [3, 0xC2, 0xB0, 0x43] + [0] + [1, 0]
      + [0xFA, 0x9B, 7, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0x40, 0x34, 0x40]
      + [0, 0, 0, 0, 0, 0, 0x0C, 0xC0] + [0, 0, 0, 0, 0, 0, 0xF0, 0x3F]
    let rain: [UInt8] =
      [4] + [UInt8]("rain".utf8) + [0] + [1] + [1, 0] + [0xFB, 0x9B, 7, 0, 0, 0, 0, 0]
      + [0, 0, 0, 0, 0, 0, 0xF0, 0x3F]
    let file = Self.file(hours)
    #expect(file.dropLast(4).elementsEqual(header + bilge + rain))
  }

  @Test func aFileWithAnyByteFlippedIsDamaged() {
    let file = Self.file()
    for index in file.indices {
      var damaged = file
      damaged[index] ^= 0x10
      #expect(throws: KeptFrameError.self) { try Self.read(damaged) }
    }
  }

  @Test func aFileThatWasCutIsDamaged() {
    let file = Self.file()
    for count in file.indices {
      #expect(throws: KeptFrameError.damaged) { try Self.read([UInt8](file[..<count])) }
    }
  }

  /// The file with another body, and the checksum of that.
  private static func sealed(_ body: some Sequence<UInt8>) -> [UInt8] {
    var checksum = CRC32C()
    let body = [UInt8](body)
    checksum.update(body.span)
    return body + checksum.value.bytesInFile
  }

  @Test func aFileOfANewerVersionSaysSo() {
    var body = [UInt8](Self.file().dropLast(4))
    body[4] = 3
    #expect(throws: KeptFrameError.unknownVersion(3)) { try Self.read(Self.sealed(body)) }
  }

  @Test func theHoursOfAnotherDeviceAreNotOurs() {
    #expect(throws: KeptFrameError.damaged) {
      try Self.read(Self.file(), of: DeviceFingerprint(low: 1, high: 3))
    }
  }

  @Test func figuresThatAreNoNumbersAreNotRead() {
    let body = [UInt8](Self.file().dropLast(4))
    let infinity: [UInt8] = [0, 0, 0, 0, 0, 0, 0xF0, 0x7F]
    #expect(throws: KeptFrameError.damaged) {
      try Self.read(Self.sealed(body.dropLast(8) + infinity))
    }
  }

  @Test func theLargestFileHasRoomInTheBufferOfWhoReadsIt() {
    var hours = WaitingHours()
    for number in 0..<WaitingHours.countMax {
      let name = String(repeating: "x", count: 190) + String(number % 256)
      hours.insert(Self.hour(Int64(number)), of: Self.sensor(name))
    }
    #expect(hours.sensors.count == SensorTable.sensorsMax)
    #expect(Self.file(hours).count <= WaitingHours.fileByteCountMax)
  }
}

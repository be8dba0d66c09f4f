import Bytes
import Drivers
import LinuxIO
import Sensing
import Testing

/// A machine without GPIO: what can be seen of a line there. With lines that exist, the tests of
/// the virtual hardware go on.
@Suite final class GPIOLineTests {
  private let tree: FakeTree
  private let sink = RecordingSink()
  private let loop: EventLoop

  init() throws {
    tree = try FakeTree()
    loop = try EventLoop()
  }

  private func line(_ address: GPIOLineAddress = .name([UInt8]("GPIO17"))) -> GPIOLine {
    let settings = GPIOLineSettings(
      address: address, name: [UInt8]("Bilge"), deviceClass: [UInt8]("moisture"),
      isUrgent: true)
    return GPIOLine(settings, devices: tree.path, loop: loop, sink: sink)
  }

  @Test func aMachineWithoutChipsIsSaidOnceAndTheSensorIsUnavailable() throws {
    let line = line()
    #expect(line.deadline == nil)
    #expect(sink.sensors.isEmpty)
    line.sample(at: at(seconds: 1))
    #expect(sink.values == ["gpio_gpio17": .unavailable])
    #expect(sink.reports == ["GPIO17: missing a chip for GPIO17"])
    let sensor = try #require(sink.sensors.first)
    #expect(sensor.kind == .binarySensor)
    #expect(sensor.isUrgent)
    #expect(sensor.deviceClass == [UInt8]("moisture"))

    line.deadlineReached(at: at(seconds: 10))
    #expect(sink.reports.count == 1)
  }

  @Test func aMissingLineIsLookedForAgainEverMoreSeldom() throws {
    let line = line(.chip(label: [UInt8]("pinctrl-bcm2711"), offset: 17))
    line.sample(at: at(seconds: 0))
    let first = at(seconds: 0).instant + Supervision.firstDelay
    #expect(line.deadline == first)
    // A cycle in between does not ask.
    let readingCount = sink.readingCount
    line.sample(at: at(seconds: 1))
    #expect(sink.readingCount == readingCount)
    #expect(line.deadline == first)
    line.deadlineReached(at: at(seconds: 5))
    #expect(line.deadline == at(seconds: 5).instant + Supervision.firstDelay * 2)
    #expect(sink.reports == ["pinctrl-bcm2711/17: missing a chip for pinctrl-bcm2711/17"])
  }

  @Test func aFileThatIsNoChipIsNoChip() throws {
    try tree.write("not a device", to: "gpiochip0")
    line().sample(at: at(seconds: 1))
    #expect(sink.reports == ["GPIO17: missing a chip for GPIO17"])
  }
}

import Bytes
import Testing

@testable import Sensing

@Suite struct DeviceKindsTests {
  private func kinds(_ message: String) -> DeviceKinds {
    DeviceKinds(announcedBy: [UInt8](message.utf8).span)
  }

  /// As Linux 6.1 sent them, the first one for the simulated battery `test_power`.
  @Test(arguments: [
    (
      "change@/devices/virtual/power_supply/test_ac\0ACTION=change\0"
        + "DEVPATH=/devices/virtual/power_supply/test_ac\0SUBSYSTEM=power_supply\0"
        + "POWER_SUPPLY_NAME=test_ac\0POWER_SUPPLY_TYPE=Mains\0POWER_SUPPLY_ONLINE=0\0SEQNUM=991\0",
      DeviceKinds.powerSupply
    ),
    ("remove@/devices/x/BAT0\0ACTION=remove\0SUBSYSTEM=power_supply\0", .powerSupply),
    ("add@/devices/i2c-1/1-0076/iio:device0\0SUBSYSTEM=iio\0DEVNAME=iio:device0\0", .industrialIO),
    ("add@/devices/hwmon/hwmon0\0ACTION=add\0SUBSYSTEM=hwmon\0SEQNUM=1\0", .hardwareMonitor),
    ("add@/devices/w1_bus_master1/28-0316a2796cff\0SUBSYSTEM=w1\0", .oneWire),
    (
      "change@/devices/virtual/net/lo\0ACTION=change\0DEVPATH=/devices/virtual/net/lo\0"
        + "SUBSYSTEM=net\0SYNTH_UUID=0\0INTERFACE=lo\0IFINDEX=1\0SEQNUM=1255\0", .network
    ),
  ])
  func theKindOfAnAnnouncedDeviceIsItsSubsystem(message: String, kind: DeviceKinds) {
    #expect(kinds(message) == kind)
  }

  @Test(arguments: [
    "", "\0", "\0\0\0", "add", "add@/devices/x", "add@/devices/x\0", "@/devices/x\0SUBSYSTEM=iio\0",
    "add@devices/x\0SUBSYSTEM=iio\0", "add@\0SUBSYSTEM=iio\0", "SUBSYSTEM=iio\0SUBSYSTEM=iio\0",
    "add@/devices/x\0SUBSYSTEM=iio", "add@/devices/x\0SUBSYSTEM=usb\0", "add@/x\0SUBSYSTEM=\0",
    "add@/devices/x\0SUBSYSTEM=iio2\0", "add@/devices/x\0 SUBSYSTEM=iio\0",
    "add@/devices/x\0DEVTYPE=SUBSYSTEM=iio\0", "libudev\0\u{fe}\u{ed}ca@/\0SUBSYSTEM=iio\0",
  ])
  func whatIsTornOrNoAnnouncementIsOfNoKind(message: String) {
    #expect(kinds(message).isEmpty)
  }

  /// A battery can call itself anything.
  @Test func theFirstSubsystemIsBelieved() {
    #expect(kinds("change@/x\0SUBSYSTEM=usb\0MODEL=a\0SUBSYSTEM=iio\0").isEmpty)
  }
}

@Suite struct DeviceMonitorTests {
  private var monitor = DeviceMonitor()
  private var now = Instant(nanoseconds: 5_000_000_000)

  private mutating func announce(_ subsystem: String) {
    monitor.received([UInt8]("add@/devices/x\0SUBSYSTEM=\(subsystem)\0".utf8).span)
    monitor.socketRead(count: 1, now: now)
  }

  private mutating func wait(_ duration: Duration) {
    now = now + duration
    monitor.deadlineReached(now: now)
  }

  private mutating func news() -> DeviceKinds { monitor.takeNews(now: now) }

  @Test mutating func theFirstAnnouncementIsToldAtOnce() {
    #expect(monitor.deadline == nil)
    #expect(news().isEmpty)
    announce("power_supply")
    #expect(news() == .powerSupply)
    #expect(news().isEmpty)
    #expect(monitor.deadline == nil)
  }

  @Test mutating func thoseThatFollowAreToldTogetherAfterAPause() {
    announce("power_supply")
    _ = news()
    for _ in 0..<5 {
      announce("power_supply")
      announce("hwmon")
      wait(.milliseconds(100))
      #expect(news().isEmpty)
    }
    #expect(monitor.deadline == now + .milliseconds(500))
    wait(.milliseconds(500))
    #expect(news() == [.powerSupply, .hardwareMonitor])
    #expect(monitor.deadline == nil)
    wait(.seconds(1))
    announce("iio")
    #expect(news() == .industrialIO)
  }

  @Test mutating func otherDevicesWakeNoSource() {
    announce("usb")
    #expect(news().isEmpty)
    #expect(monitor.deadline == nil)
  }

  @Test mutating func whatWasLostMayHaveBeenAboutAnyDevice() {
    monitor.lost()
    #expect(news() == .all)
    #expect(DeviceKinds.all.isSuperset(of: [.powerSupply, .industrialIO, .hardwareMonitor]))
    #expect(DeviceKinds.all.isSuperset(of: [.oneWire, .network]))
  }

  @Test mutating func aStormMakesTheSocketRestAndEachSecondOneReading() {
    var newsCount = 0
    var readCount = 0
    let end = now + .seconds(10)
    while now < end {
      if !monitor.isResting {
        announce("power_supply")
        readCount += 1
      }
      if !news().isEmpty { newsCount += 1 }
      wait(.milliseconds(1))
    }
    #expect(newsCount == 10)
    #expect((1000...1700).contains(readCount))
    wait(.seconds(1))
    #expect(!monitor.isResting, "no rest is for ever")
  }
}

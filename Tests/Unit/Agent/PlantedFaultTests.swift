import Foundation
import PracticeHome
import Testing

extension SetUp {
  /// Each fault that a person can meet, what the shipped binary says of it, and how it ends.
  @Suite struct PlantedFaults {}
}

/// A fault, and all that is wrong then, line by line. `{…}` is a part of the world.
struct PlantedFault: Sendable, CustomTestStringConvertible {
  let name: String
  let plant: @Sendable (FaultyWorld) async throws -> Void
  var arguments = ["check"]
  let lines: [String]
  let status: Int32
  var testDescription: String { name }

  /// A row of `check` with who is at fault and what to do.
  init(
    _ name: String, _ row: String, atFault: String, remedy: String?, status: Int32,
    plant: @escaping @Sendable (FaultyWorld) async throws -> Void
  ) {
    self.name = name
    self.plant = plant
    self.status = status
    lines =
      ["WRONG  " + row, "         at fault     " + atFault]
      + (remedy.map { ["         what to do   " + $0] } ?? [])
  }

  /// A command that ends with one line.
  init(
    _ name: String, _ arguments: [String], _ line: String, status: Int32,
    plant: @escaping @Sendable (FaultyWorld) async throws -> Void
  ) {
    self.name = name
    self.arguments = arguments
    self.plant = plant
    self.status = status
    lines = [line]
  }
}

extension SetUp.PlantedFaults {
  static let pairAgain =
    "sudo homeward pair --config {configuration} (Home Assistant then creates new entities)"
  private static let listLines =
    "sudo homeward pins draws the pins of this board, and sudo gpioinfo lists its lines (sudo apt"
    + " install gpiod)"
  private static let startGPSD =
    FileManager.default.fileExists(atPath: "/usr/sbin/gpsd")
    ? "sudo systemctl start gpsd" : "sudo apt install gpsd"

  static let sources = [
    PlantedFault(
      "gpsd is absent", "source         {gpsd} was not found", atFault: "this board",
      remedy: startGPSD, status: 74
    ) { try $0.useGPSD(FakeGPSD(isAbsent: true)) },
    PlantedFault(
      "gpsd has no fix",
      "source         {gpsd} has no fix: its receiver has none; does the antenna see the sky?",
      atFault: "this board",
      remedy: "cgps shows what its receiver sees (sudo apt install gpsd-clients)",
      status: 74
    ) { try $0.useGPSD(FakeGPSD(reporting: TPV(mode: 1))) },
    PlantedFault(
      "gpsd has no receiver", "source         {gpsd} sends no data",
      atFault: "this board",
      remedy: "name its receiver in /etc/default/gpsd, such as DEVICES=\"/dev/ttyACM0\", then:"
        + " sudo systemctl restart gpsd", status: 74
    ) { try $0.useGPSD(FakeGPSD()) },
    PlantedFault(
      "BAT7 is missing", "source         BAT7 was not found", atFault: "the configuration",
      remedy: "power supplies here: MARK; write these to battery, or auto", status: 74
    ) { try $0.board.unplug("BAT7") },
    PlantedFault(
      "there is no chip", "source         GPIO17: a chip for GPIO17 was not found",
      atFault: "the configuration", remedy: listLines, status: 74
    ) { try $0.configure("sensors: [{ gpio: GPIO17, name: Bilge }]") },
    PlantedFault(
      "GPIO17 is missing", "source         GPIO17 was not found", atFault: "the configuration",
      remedy: listLines, status: 74
    ) {
      try $0.preloadChip("/dev/gpiochip0 pinctrl-fake GPIO22 22")
      try $0.configure("sensors: [{ gpio: GPIO17, name: Bilge }]")
    },
    PlantedFault(
      "the chip is missing", "source         pinctrl-none/17 was not found",
      atFault: "the configuration", remedy: listLines, status: 74
    ) {
      try $0.preloadChip("/dev/gpiochip0 pinctrl-fake GPIO17 17")
      try $0.configure("sensors: [{ gpio: pinctrl-none/17, name: Bilge }]")
    },
    PlantedFault(
      "another program holds the line",
      "source         GPIO17 is in use by another program: pump", atFault: "this board",
      remedy:
        "stop the program that uses it (sudo gpioinfo shows which), or remove it from sensors",
      status: 74
    ) {
      try $0.preloadChip("/dev/gpiochip0 pinctrl-fake GPIO17 17 pump")
      try $0.configure("sensors: [{ gpio: GPIO17, name: Bilge }]")
    },
    PlantedFault(
      "the channel has another name", "source         bme280/tmp was not found",
      atFault: "the configuration",
      remedy:
        "here: bme280/pressure, bme280/temp; sudo homeward sensors --config {configuration} shows them",
      status: 74
    ) {
      let device = "sys/bus/iio/devices/iio:device0"
      try $0.board.write("bme280\n", to: "\(device)/name")
      for channel in ["temp", "pressure"] {
        try $0.board.write("1\n", to: "\(device)/in_\(channel)_input")
      }
      try $0.configure("sensors: [{ iio: bme280/tmp, name: Cabin }]")
    },
    PlantedFault(
      "another program holds an output",
      "source         GPIO22 is in use by another program: pump", atFault: "this board",
      remedy:
        "stop the program that uses it (sudo gpioinfo shows which), or remove it from sensors",
      status: 74
    ) {
      try $0.preloadChip("/dev/gpiochip0 pinctrl-fake GPIO22 22 pump")
      try $0.configure("outputs: [{ gpio: GPIO22, name: Pump }]")
    },
  ]

  static let board = [
    PlantedFault(
      "a damaged registration",
      "registration   {state}/registration.json is damaged; restore a copy, or remove it to"
        + " register this board again (Home Assistant then creates new entities)",
      atFault: "this board", remedy: nil, status: 65
    ) {
      $0.board.keepKeptSecrets()
      try $0.board.write("{}", to: "state/registration.json")
    },
    PlantedFault(
      "no configuration",
      "configuration  {configuration} cannot be read: No such file or directory; to create it, run:"
        + " sudo homeward pair --config {configuration}", atFault: "the configuration", remedy: nil,
      status: 66
    ) { try $0.board.remove("homeward.yaml") },
    PlantedFault(
      "a host that has to be looked up",
      "configuration  {configuration}:8:33: location.host: \"gps.local\" is not a numeric address;"
        + " write one such as 192.168.1.9, without a port; names are not resolved here",
      atFault: "the configuration", remedy: nil, status: 78
    ) { try $0.configure("location: { source: gpsd, host: gps.local }") },
    PlantedFault(
      "the folder above the spool", ["spool", "list", "--directory", "{state}"],
      "{state}/spool is empty: nothing is waiting.", status: 0
    ) { try $0.board.makeFolder("state/spool") },
    PlantedFault(
      "a folder that is no spool", ["spool", "list", "--directory", "{folder}"],
      "homeward spool: {folder} is not a spool: it contains no .spool file; name the folder that"
        + " holds them, such as /var/lib/homeward/spool", status: 66
    ) { _ in },
  ]

  @Test(arguments: sources + numbers + server + board)
  func isSaidWithItsRemedy(_ fault: PlantedFault) async throws {
    let world = try await FaultyWorld()
    try await fault.plant(world)
    let ending = try await world.homeward(fault.arguments.map(world.filledIn))
    let wrong =
      fault.arguments == ["check"]
      ? Self.withoutClock(ending.output).filter {
        !$0.hasPrefix("ok ") && !$0.hasSuffix(" wrong.")
      }
      : ending.output + ending.log
    #expect(
      wrong.map(world.withoutReason) == fault.lines.map(world.filledIn),
      "\(ending.output) \(ending.log)")
    #expect(ending.status == fault.status)
  }

  /// That of this machine is nothing that a test knows.
  private static func withoutClock(_ rows: [String]) -> [String] {
    rows.filter {
      !$0.hasPrefix("       clock") && !$0.hasPrefix("         what to do   sudo timedatectl")
    }
  }

  @Test func whatIsRightIsShownWithWhatWasRead() async throws {
    let world = try await FaultyWorld()
    try world.useGPSD(FakeGPSD(reporting: TPV()))
    try world.preloadChip("/dev/gpiochip0 pinctrl-fake GPIO17 17")
    try world.configure("sensors: [{ gpio: GPIO17, name: Bilge }]")
    try world.board.configure("system: off", "system: auto")
    try world.board.makeFolder("sys/class/thermal")
    let ending = try await world.homeward(["check"])
    #expect(ending.status == 0, "\(ending.output)")
    let rows = ending.output.filter { $0.hasPrefix("ok     source         ") }.map {
      $0.dropFirst(22)
    }
    #expect(rows.first == "BAT7: capacity 83 %")
    #expect(rows.contains("processor temperature: not found on this board"), "no fault of auto")
    #expect(rows.contains { $0.hasPrefix("memory: Memory used ") && $0.hasSuffix(" %") })
    #expect(rows.suffix(2) == ["GPIO17: Bilge off", "gpsd: a fix, ±5 m"])
  }

  @Test func anOutputIsLookedAtAndNotSwitched() async throws {
    let world = try await FaultyWorld()
    try world.preloadChip("/dev/gpiochip0 pinctrl-fake GPIO22 22")
    try world.configure("outputs: [{ gpio: GPIO22, name: Pump, safe: on }]")
    let ending = try await world.homeward(["check"])
    #expect(ending.status == 0, "\(ending.output)")
    #expect(
      ending.output.dropLast().last
        == "ok     source         GPIO22: Pump free; a check does not switch it")
  }

  /// On a kernel whose line has another name.
  @Test func anOutputAtAPinIsFoundByTheBoardFile() async throws {
    let world = try await FaultyWorld()
    try world.preloadChip("/dev/gpiochip0 main-chip other 3")
    try world.board.write(
      """
      name: My board
      compatible: [maker-board]
      chips: [{ name: main, labels: [main-chip] }]
      headers: [{ name: J1, pins: [{ pin: 1, name: GPIO3, line: main/3 }] }]

      """, to: "boards/my.yaml")
    try world.board.write("maker-board\0", to: "sys/firmware/devicetree/base/compatible")
    try world.board.configure("host: {", "host: { boards: \(world.board.path("boards")),")
    try world.configure("outputs: [{ gpio: PIN1, name: Pump }]")
    let ending = try await world.homeward(["check"])
    #expect(
      ending.output.dropLast().last
        == "ok     source         main-chip/3: Pump free; a check does not switch it",
      "\(ending.output)")
  }

  @Test func aLineOfTheRunningAgentIsReadByTheAgent() async throws {
    let world = try await FaultyWorld()
    try world.preloadChip("/dev/gpiochip0 pinctrl-fake GPIO17 17")
    try world.configure("sensors: [{ gpio: GPIO17, name: Bilge }]")
    let agent = try world.agent()
    try await agent.event("proven")
    try world.preloadChip("/dev/gpiochip0 pinctrl-fake GPIO17 17 homeward")
    let ending = try await world.homeward(["check"])
    #expect(ending.status == 0)
    let row = ending.output.dropLast().last ?? ""
    #expect(row.hasPrefix("ok     source         GPIO17: Bilge off, "), "\(ending.output)")
    #expect(row.hasSuffix(" ago, read by the running agent"))
    #expect(await agent.stop().status == 0)
  }

  @Test func theLineOfTheAnchorWatchIsReadByTheAgentToo() async throws {
    let world = try await FaultyWorld()
    let gpsd = FakeGPSD(reporting: TPV())
    world.board.keepSecret("52.37")
    try world.preloadChip("/dev/gpiochip0 pinctrl-fake GPIO17 17")
    try world.configure(
      "location: { source: gpsd, port: \(gpsd.port), anchor: { radius: 40m, gpio: GPIO17 } }")
    let agent = try world.agent()
    try await agent.event("proven")
    try world.preloadChip("/dev/gpiochip0 pinctrl-fake GPIO17 17 homeward")
    // This gpsd talks to the agent, and to no other client.
    let ending = try await world.homeward(["check"])
    #expect(
      ending.output.contains(
        "ok     source         GPIO17: the running agent's anchor watch reports: not set"))
    #expect(await agent.stop().status == 0)
  }

  @Test func eachRowIsShownWhenItIsThere() async throws {
    let world = try await FaultyWorld()
    world.home.fault = .hang
    let check = try world.started(["check"])
    // The server is still waited for.
    try await check.line(endingWith: "/registration.json")
    let rows = await check.stop().output
    #expect(rows.last?.hasSuffix("/registration.json") == true, "\(rows)")
    #expect(rows.first == "ok     configuration  \(world.board.configuration)")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can be somebody else"))
  func whoMayNotReadIsToldToUseSudo() async throws {
    let world = try await FaultyWorld()
    world.runWithoutPrivileges()
    let ending = try await world.homeward(["check"])
    #expect(ending.status == 77)
    let row = ending.output.first { $0.hasPrefix("WRONG  registration") } ?? "\(ending.output)"
    #expect(
      row
        == world.filledIn(
          "WRONG  registration   {state}/registration.json is for the agent and root only; run: sudo"
            + " homeward check --config {configuration}"))
    #expect(!ending.output.contains { $0.contains("remove") })
    let sent = try await world.homeward(["send", "get_zones"])
    #expect(sent.status == 77)
    #expect(sent.lines(with: "; run: sudo homeward send").count == 1)
  }

  @Test(.enabled(if: FaultyWorld.mayMount, "a disk of its own takes CAP_SYS_ADMIN"))
  func aDiskThatIsReadOnlyIsNamedByStatusAndRun() async throws {
    let world = try await FaultyWorld()
    world.makeDiskReadOnly()
    let agent = try world.agent()
    try await agent.event("proven")
    let status = try await world.homeward(["status"])
    #expect(status.status == 75)
    #expect(
      status.lines(with: "the agent runs with \(world.board.state.path), but cannot be asked").count
        == 1)
    #expect(status.lines(with: "is read-only").count == 1, "\(status.log)")
    let second = try await world.homeward(["run"])
    #expect(second.status == 75)
    #expect(second.lines(with: "is read-only").count == 1, "\(second.log)")
    let ending = await agent.stop()
    #expect(ending.lines(with: "is read-only").count == 1, "\(ending.log)")
    let later = try await world.homeward(["status"])
    #expect(later.status == 69)
    #expect(later.lines(with: "is read-only").count == 1, "\(later.log)")
  }
}

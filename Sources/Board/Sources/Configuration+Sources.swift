public import Bytes
public import Drivers
public import LinuxIO
public import Sensing
import YAML

extension Configuration {
  /// Returns the configured sources, in the order in which they are sampled. `anchor` is the active
  /// anchor watch, if any: it gets the values of its line and the receiver. `switched` are the
  /// active outputs; without them the outputs are only read.
  public func sources(
    _ context: SourceContext, anchor: AnchorAlarm? = nil, switched: [GPIOOutput]? = nil
  ) -> [any Source] {
    let located = anchor.map { context.tapped(by: $0) } ?? context
    let estimate = battery.estimate(context)
    let context = estimate.map { context.tapped(by: $0) } ?? context
    var sources: [any Source] = []
    if context.changesNothing {
      sources += battery.looks(context)
    } else if let supplies = battery.source(context) {
      sources.append(supplies)
    }
    sources += system.sources(context)
    for sensor in sensors { sources.append(sensor.source(context)) }
    if let switched {
      for output in switched { sources.append(output) }
    } else {
      for output in outputs { sources.append(output.look(context)) }
    }
    if let location {
      if let anchor { sources.append(anchor) }
      if let settings = location.anchor {
        let line = anchor.map { located.tapped(by: AnchorSwitch(of: $0)) } ?? located
        if let source = settings.lineSource(line) { sources.append(source) }
      }
      sources.append(location.source(located))
    }
    if let estimate { sources.append(estimate) }
    return sources
  }

  /// Creates the configured anchor watch; nil if there is none. A test beside a running agent has
  /// none, because there is only one file for it.
  public func anchorAlarm(
    _ context: SourceContext, owner: any AnchorAlarmOwner
  ) -> AnchorAlarm? {
    location?.anchor.map {
      AnchorAlarm($0, in: Path(stateDirectory), context, owner: owner)
    }
  }

  public func switchedOutputs(_ context: SourceContext) -> [GPIOOutput] {
    outputs.map { $0.source(context) }
  }

  public func sourceContext(
    loop: EventLoop, sink: any ReadingSink, supervisor: Supervisor, cycle: Duration,
    answerTimeout: Duration, now: Instant, changesNothing: Bool = false
  ) -> SourceContext {
    SourceContext(
      sys: Path(host.sys), proc: Path(host.proc), loop: loop, sink: sink, supervisor: supervisor,
      counts: CountsFile(in: Path(stateDirectory), supervisor: supervisor), cycle: cycle,
      answerTimeout: answerTimeout, now: now, changesNothing: changesNothing)
  }
}

extension Configuration {
  /// Returns the GPIO lines for the names of this board's pins.
  public func boardPins() throws(CommandFailure) -> BoardPins {
    try BoardPins(sys: Path(host.sys), packagedIn: host.boards)
  }
}

extension Configuration {
  /// Returns this configuration with the addresses of its GPIO lines on this board, and the
  /// problems of a board file or a pin, which affect no other sensor. If the kernel has no line
  /// with a configured name, the board file supplies the address; the sensor keeps its identity in
  /// Home Assistant.
  @inline(never)
  public func findingLines() -> (Configuration, flaws: [MessageText]) {
    let hasNames = lineAddresses.contains { if case .name = $0 { true } else { false } }
    guard hasNames else { return (self, []) }
    let uses = GPIOLineUses(in: GPIOChips(sys: Path(host.sys)))
    var flaws: [MessageText] = []
    do throws(CommandFailure) {
      let pins = try boardPins()
      let found = findingLines(as: uses, pins) { flaws.append($0) }
      return (found, flaws)
    } catch { return (self, [error.text]) }
  }

  /// Addresses of the GPIO lines of sensors, outputs and the anchor watch.
  public var lineAddresses: [GPIOLineAddress] {
    sensors.compactMap { $0.line } + outputs.map { $0.address }
      + (location?.anchor?.line.map { [$0.address] } ?? [])
  }

  /// Returns this configuration with its lines found by the kernel's lines and these pins.
  func findingLines(
    as uses: GPIOLineUses, _ pins: BoardPins, warning: (MessageText) -> Void
  ) -> Configuration {
    var found = self
    func place(of address: GPIOLineAddress, _ name: [UInt8]) -> GPIOLineAddress {
      do throws(Refusal) { return try pins.place(of: address, as: uses) } catch {
        warning("\(bytes: name): \(error.problem); \(error.remedy)")
        return address
      }
    }
    found.sensors = sensors.map { sensor in
      guard case .line(let address, let moved) = sensor.input else { return sensor }
      return moved(place(of: address, sensor.entry.name))
    }
    found.outputs = outputs.map { $0.moved(to: place(of: $0.address, $0.entity.name)) }
    if let line = location?.anchor?.line {
      found.location?.anchor?.line = line.moved(to: place(of: line.address, line.entity.name))
    }
    return found
  }
}

extension BoardPins {
  /// Returns the line in the board file, if the kernel has it and no line with the written name;
  /// otherwise the written address. If not all chips can be read, one of them may have the written
  /// line.
  fileprivate func place(
    of address: GPIOLineAddress, as uses: GPIOLineUses
  ) throws(Refusal) -> GPIOLineAddress {
    guard !uses.isIncomplete, uses.line(at: address) == nil else { return address }
    for other in try addresses(of: address) where uses.line(at: other) != nil { return other }
    return address
  }
}

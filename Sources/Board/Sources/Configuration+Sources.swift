public import Bytes
public import Drivers
public import LinuxIO
public import Sensing

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

  /// Creates the configured outputs for switching.
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
  ///
  /// - Throws: the failure of a board file that may be of this board.
  public func boardPins() throws(BoardFileFailure) -> BoardPins {
    try BoardPins(sys: Path(host.sys), packagedIn: host.boards)
  }
}

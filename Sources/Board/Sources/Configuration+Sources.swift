public import Bytes
public import Drivers
public import LinuxIO
public import Sensing

extension Configuration {
  /// The sources that the configuration names, in the order in which they are asked.
  public func sources(_ context: SourceContext) -> [any Source] {
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
    for output in outputs {
      sources.append(context.changesNothing ? output.look(context) : output.source(context))
    }
    if let location { sources.append(location.source(context)) }
    if let estimate { sources.append(estimate) }
    return sources
  }

  public func sourceContext(
    loop: EventLoop, sink: any ReadingSink, supervisor: Supervisor, answerTimeout: Duration,
    now: Instant, changesNothing: Bool = false
  ) -> SourceContext {
    SourceContext(
      sys: Path(host.sys), proc: Path(host.proc), loop: loop, sink: sink, supervisor: supervisor,
      counts: CountsFile(in: Path(stateDirectory), supervisor: supervisor), cycle: every,
      answerTimeout: answerTimeout, now: now, changesNothing: changesNothing)
  }
}

extension Configuration {
  /// Which GPIO lines the names of this board's pins are.
  ///
  /// - Throws: what is wrong with a board file that may be of this board.
  public func boardPins() throws(BoardFileFailure) -> BoardPins {
    try BoardPins(sys: Path(host.sys), packagedIn: host.boards)
  }
}

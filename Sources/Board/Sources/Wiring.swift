public import Bytes
public import Drivers
public import LinuxIO
public import Sensing

/// Makes the sources that the configuration names.
public struct Wiring {
  private let configuration: Configuration
  private let loop: EventLoop
  /// How long a cycle waits for a fix where it has to wait for one.
  private let fixTimeout: Duration
  /// Who hears from those that listen.
  private let supervisor: Supervisor

  public init(
    configuration: Configuration, loop: EventLoop, fixTimeout: Duration, supervisor: Supervisor
  ) {
    self.configuration = configuration
    self.loop = loop
    self.fixTimeout = fixTimeout
    self.supervisor = supervisor
  }

  /// The sources, in the order in which they are asked. They bring what they find to `sink`.
  public func sources(telling sink: any ReadingSink, now: Instant) -> [any Source] {
    var sources: [any Source] = []
    let sys = Path(configuration.host.sys)
    switch configuration.battery {
    case .off: break
    case .automatic:
      sources.append(Supplies(sys: sys, selection: .all, sink: sink, supervisor: supervisor))
    case .supplies(let names):
      sources.append(
        Supplies(sys: sys, selection: .named(names), sink: sink, supervisor: supervisor))
    }
    appendSystemSensors(to: &sources, sys: sys, telling: sink)
    for sensor in configuration.sensors {
      sources.append(GPIOLine(sensor, loop: loop, sink: sink, supervisor: supervisor))
    }
    if let location = configuration.location {
      sources.append(
        GPSD(
          GPSD.Address(host: location.host, port: location.port), device: location.device,
          cycle: configuration.every, fixTimeout: fixTimeout, loop: loop, sink: sink,
          supervisor: supervisor, now: now))
    }
    return sources
  }

  private func appendSystemSensors(
    to sources: inout [any Source], sys: Path, telling sink: any ReadingSink
  ) {
    let proc = Path(configuration.host.proc)
    let system = configuration.system
    if system.contains(.cpuTemperature) {
      let isOptional = system.contains(.asFarAsThere)
      sources.append(ProcessorTemperature(sys: sys, isOptional: isOptional, sink: sink))
    }
    if system.contains(.load) { sources.append(LoadAverage(proc: proc, sink: sink)) }
    if system.contains(.memory) { sources.append(Memory(proc: proc, sink: sink)) }
    if system.contains(.uptime) { sources.append(Uptime(proc: proc, sink: sink)) }
    if system.contains(.disk) { sources.append(DiskSpace(sink: sink)) }
  }
}

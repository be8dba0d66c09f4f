import Bytes
import Drivers
import LinuxIO
import Sensing

/// Makes the sources that the configuration names.
struct Wiring {
  let configuration: Configuration
  let loop: EventLoop
  /// How long a cycle waits for a fix where it has to wait for one.
  let fixTimeout: Duration

  func connect(to supervisor: Supervisor, now: Instant) {
    addSupplies(to: supervisor)
    addSystemSensors(to: supervisor)
    for sensor in configuration.sensors {
      supervisor.add(GPIOLine(sensor, loop: loop, sink: supervisor))
    }
    if let location = configuration.location {
      supervisor.add(
        GPSD(
          GPSD.Address(host: location.host, port: location.port), device: location.device,
          cycle: configuration.every, fixTimeout: fixTimeout, loop: loop, sink: supervisor, now: now
        ))
    }
  }

  private func addSupplies(to supervisor: Supervisor) {
    let sys = Path(configuration.host.sys)
    switch configuration.battery {
    case .off: return
    case .automatic: supervisor.add(Supplies(sys: sys, selection: .all, sink: supervisor))
    case .supplies(let names):
      supervisor.add(Supplies(sys: sys, selection: .named(names), sink: supervisor))
    }
  }

  private func addSystemSensors(to supervisor: Supervisor) {
    let sys = Path(configuration.host.sys)
    let proc = Path(configuration.host.proc)
    let system = configuration.system
    if system.contains(.cpuTemperature) {
      supervisor.add(ProcessorTemperature(sys: sys, sink: supervisor))
    }
    if system.contains(.load) { supervisor.add(LoadAverage(proc: proc, sink: supervisor)) }
    if system.contains(.memory) { supervisor.add(Memory(proc: proc, sink: supervisor)) }
    if system.contains(.uptime) { supervisor.add(Uptime(proc: proc, sink: supervisor)) }
    if system.contains(.disk) { supervisor.add(DiskSpace(sink: supervisor)) }
  }
}

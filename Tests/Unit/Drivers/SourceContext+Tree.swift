import Bytes
import Drivers
import LinuxIO
import Sensing

extension SourceContext {
  /// A context whose sysfs, procfs, devices and counts are in one folder.
  init(
    in tree: Path, _ loop: EventLoop, _ sink: any ReadingSink, _ supervisor: Supervisor,
    counts: CountsFile? = nil, cycle: Duration = .seconds(60),
    answerTimeout: Duration = .seconds(5), now: Instant = at(seconds: 0).instant,
    reader: BackgroundReader? = nil
  ) {
    self.init(
      sys: tree, proc: tree, devices: tree, loop: loop, sink: sink, supervisor: supervisor,
      counts: counts ?? CountsFile(in: tree, supervisor: supervisor), cycle: cycle,
      answerTimeout: answerTimeout, now: now, reader: reader)
  }
}

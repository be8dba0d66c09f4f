import Bytes
import LinuxIO
import Sensing

@testable import Drivers

extension SourceContext {
  /// A context whose sysfs, procfs, devices and counts are in one folder. With `readsInLoop` a
  /// reading is complete at once.
  init(
    in tree: Path, _ loop: EventLoop, _ sink: any ReadingSink, _ supervisor: Supervisor,
    counts: CountsFile? = nil, cycle: Duration = .seconds(60),
    answerTimeout: Duration = .seconds(5), now: Instant = at(seconds: 0).instant,
    reader: BackgroundReader? = nil, readsInLoop: Bool = false
  ) {
    self.init(
      sys: tree, proc: tree, devices: tree, loop: loop, sink: sink, supervisor: supervisor,
      counts: counts ?? CountsFile(in: tree, supervisor: supervisor), cycle: cycle,
      answerTimeout: answerTimeout, now: now, reader: reader)
    self.readsInLoop = readsInLoop
  }
}

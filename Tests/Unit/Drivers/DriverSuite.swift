import Bytes
import LinuxIO
import Sensing

@testable import Drivers

/// What a suite of drivers works with: a folder that stands for their devices, the loop, and who is
/// told.
class DriverSuite {
  let tree: FakeTree
  let sink = RecordingSink()
  let supervisor: Supervisor
  let loop: EventLoop

  init() throws {
    tree = try FakeTree()
    loop = try EventLoop()
    supervisor = Supervisor(owner: sink)
  }

  /// Lets the loop tell what is ready now.
  func turn() throws { try loop.turn(until: Instant(nanoseconds: 0)) }
}

extension Source {
  /// Why no reading is made in this second, in words; nil if none fails.
  func failure(at second: Int64 = 1) -> String? {
    do throws(SourceFailure) {
      try sample(at: at(seconds: second))
      return nil
    } catch { return string(error) }
  }
}

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

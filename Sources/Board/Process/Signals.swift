import Bytes
import CLinux
public import LinuxIO

/// SIGTERM, SIGINT and SIGHUP, as a descriptor of the loop.
public final class Signals: Watcher {
  public private(set) var isStopRequested = false
  private var isReloadRequested = false
  private let descriptor: Descriptor
  /// At a terminal SIGHUP says that the terminal is closed, and its programs with it.
  private let reloads: Bool

  /// Where it `reloads`, SIGHUP asks a process without a terminal to read its configuration again;
  /// to others it is one more wish to stop.
  public init(loop: EventLoop, reloads: Bool = false) throws(Errno) {
    descriptor = try Descriptor.signals()
    self.reloads = reloads && !hasControllingTerminal
    _ = try loop.watch(descriptor.number, for: .input, telling: self)
  }

  public func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    while let signal = self.descriptor.nextSignal() {
      if signal == SIGHUP, reloads { isReloadRequested = true } else { isStopRequested = true }
    }
  }

  public var hasReloadRequest: Bool { isReloadRequested }

  /// Whether the configuration is to be read again, which is then done.
  public func takeReloadRequest() -> Bool {
    defer { isReloadRequested = false }
    return isReloadRequested
  }
}

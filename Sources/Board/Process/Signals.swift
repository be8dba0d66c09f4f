import Bytes
import CLinux
public import LinuxIO

/// SIGTERM, SIGINT and SIGHUP, as a descriptor of the loop.
public final class Signals: Watcher {
  public private(set) var isStopRequested = false
  private var isReloadRequested = false
  private let descriptor: Descriptor
  /// Whether SIGHUP reloads. At a terminal SIGHUP means that the terminal is closed, and with it
  /// its programs.
  private let reloads: Bool

  /// Watches the signals. With `reloads`, SIGHUP asks a process without a terminal to reload its
  /// configuration; otherwise it is another request to stop.
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

  /// Returns whether the configuration has to be reloaded, and clears the request.
  public func takeReloadRequest() -> Bool {
    defer { isReloadRequested = false }
    return isReloadRequested
  }
}

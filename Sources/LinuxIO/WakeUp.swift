import CLinux

/// Wakes an event loop from any thread.
public final class WakeUp: Sendable {
  private let descriptor: Descriptor

  public init() throws(Errno) {
    descriptor = Descriptor(owning: try retryingInterrupts { clinux_eventfd() })
  }

  /// What becomes ready for input when `signal` was called.
  public var number: Int32 { descriptor.number }

  public func signal() { clinux_eventfd_signal(descriptor.number) }

  /// Takes notice: the descriptor is quiet until the next `signal`.
  public func clear() { clinux_eventfd_clear(descriptor.number) }
}

import CLinux

/// Wakes an event loop from any thread.
public final class WakeUp: Sendable {
  private let descriptor: Descriptor

  public init() throws(Errno) {
    descriptor = Descriptor(owning: try retryingInterrupts { clinux_eventfd() })
  }

  /// Descriptor that becomes ready for input after `signal`.
  public var number: Int32 { descriptor.number }

  public func signal() { clinux_eventfd_signal(descriptor.number) }

  /// Clears the descriptor until the next `signal`.
  public func clear() { clinux_eventfd_clear(descriptor.number) }
}

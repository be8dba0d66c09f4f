public import Bytes
public import LinuxIO
public import Sensing

/// Something that has readings: a device, a file of the kernel, a server.
///
/// A source gets its `ReadingSink` and, where it waits for a descriptor, its `EventLoop` when it
/// is made. It opens nothing then: the first `sample` does, so that what is missing at start is
/// an ordinary failure that is retried.
public protocol Source: AnyObject {
  /// What messages call it, such as `gpsd` or `GPIO17`.
  var name: InlineText { get }

  /// Reads what is there now and records it. Called once in every cycle while the source works.
  /// What could be read has been recorded even when it throws.
  func sample(at moment: Moment) throws(SourceFailure)

  /// Whether something of this cycle is still on its way, such as an answer to a question that
  /// `sample` asked. The cycle waits for it, and the source ends the wait by its own deadline.
  var isGathering: Bool { get }

  /// Why the wait of this cycle brought nothing, where no failure was told yet.
  var shortfall: SourceFailure? { get }

  /// The program that holds what this source wants for itself; nil where that is not known.
  var holder: InlineText? { get }

  /// When the source wants `deadlineReached`, or nil.
  var deadline: Instant? { get }
  func deadlineReached(at moment: Moment)
}

extension Source {
  public var isGathering: Bool { false }
  public var shortfall: SourceFailure? { nil }
  public var holder: InlineText? { nil }
  public var deadline: Instant? { nil }
  public func deadlineReached(at moment: Moment) {}
}

public import Bytes
import CLinux
public import LinuxIO
import Sensing

/// A source that holds one GPIO line, from the sample that opens it to a failure, which closes it.
public class LineSource: Source {
  /// Name of the line in messages.
  public let name: InlineText
  let sink: any ReadingSink
  let supervisor: Supervisor
  private let address: GPIOLineAddress
  private let devices: Path
  /// The held line; nil while it is closed.
  final var request: GPIOLineRequest?

  init(
    _ address: GPIOLineAddress, in devices: Path, _ sink: any ReadingSink, _ supervisor: Supervisor
  ) {
    name = InlineText(address.text.span)
    self.address = address
    self.devices = devices
    self.sink = sink
    self.supervisor = supervisor
  }

  // MARK: Overridden by each kind

  /// Opens the line if it is closed, and reads it.
  func sampleLine(at moment: Moment) throws(SourceFailure) {}

  /// Records `value`, which stands for a failure, before the line is closed.
  func lineLost(_ value: Value, at moment: Moment) {}

  public var deadline: Instant? { nil }
  public func deadlineReached(at moment: Moment) {}
  public func stop(at moment: Moment) {}
  public var guardsTheWorld: Bool { false }

  // MARK: Shared by all kinds

  public func sample(at moment: Moment) {
    attempt(at: moment) { () throws(SourceFailure) in try sampleLine(at: moment) }
  }

  public var listening: Listening { request != nil ? .open : .closed }

  public var holder: InlineText? { address.holder(in: devices) }

  /// Performs `body`; its failure is reported, and closes the line. Returns whether it succeeded.
  @discardableResult
  final func attempt(at moment: Moment, _ body: () throws(SourceFailure) -> Void) -> Bool {
    do throws(SourceFailure) {
      try body()
      return true
    } catch {
      lineLost(error.value, at: moment)
      request = nil
      supervisor.failed(name, error, now: moment.instant)
      return false
    }
  }

  final func open(
    _ purpose: GPIOLineRequest.Purpose, isActiveLow: Bool, bias: GPIOBias
  ) throws(SourceFailure) {
    let place = try GPIOLinePlace(of: address, named: name, in: devices)
    do throws(Errno) {
      request = try GPIOLineRequest(place, purpose, isActiveLow: isActiveLow, bias: bias)
    } catch {
      // An expander that does not answer has the same error for an output.
      guard case .input = purpose, error.code == ENXIO else {
        throw SourceFailure(error, of: name)
      }
      throw .unsupported(name, remedy: "choose a line whose chip can report edges")
    }
  }

  /// Reads the present level; nil if the line is closed.
  final func level() throws(SourceFailure) -> Level? {
    do throws(Errno) { return try request?.level() } catch { throw SourceFailure(error, of: name) }
  }

  /// Reads events once and passes each to `body`. Returns their number.
  final func readEvents(_ body: (LineEvent) -> Void) throws(SourceFailure) -> Int {
    do throws(Errno) {
      guard let count = try request?.readEvents(asleep: timeAsleep, body) else {
        throw .noSuchDevice
      }
      return count
    } catch {
      throw SourceFailure(error, of: name)
    }
  }

  /// Reports too many edges, and with nil their end.
  final func tellExcess(_ edgesPerSecond: Int?, at moment: Moment) {
    if let edgesPerSecond {
      supervisor.failed(
        name, .flooded(name, edgesPerSecond: edgesPerSecond), now: moment.instant)
    } else {
      supervisor.worked(name)
    }
  }
}

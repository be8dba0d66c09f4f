import CLinux

/// A clock that goes on while the board is off, and can switch it on (`rtc(4)`). It needs no right
/// but to read its device.
public struct RealTimeClock: ~Copyable {
  public struct Alarm: Equatable, Sendable {
    /// Since 1970, in the time of the clock.
    public let seconds: Int64
    public let isEnabled: Bool
  }

  private let device: Descriptor

  /// - Throws: the kernel's error: `.busy` where another program has the clock open.
  public init(opening path: Path) throws(Errno) {
    device = try Descriptor(opening: path, mode: .device)
  }

  /// Its time in seconds since 1970, as its fields say; which time zone that is, it does not know.
  ///
  /// - Throws: `.invalidArgument` where the clock knows that it was never set, or lost its power;
  ///   `.notATerminal` where the device is no clock.
  public func seconds() throws(Errno) -> Int64 {
    var seconds: Int64 = 0
    _ = try retryingInterrupts { unsafe clinux_rtc_time(device.number, &seconds) }
    return seconds
  }

  /// Sets its alarm, in place of one that it has.
  ///
  /// - Parameter seconds: since 1970, in the time of the clock.
  /// - Throws: `.invalidArgument` where its driver has no alarm; `.timeIsOver` where that is not in
  ///   the future.
  public func setAlarm(at seconds: Int64) throws(Errno) {
    _ = try retryingInterrupts { clinux_rtc_set_alarm(device.number, seconds) }
  }

  /// The alarm that the kernel keeps for it. That the part has it the kernel learned when it wrote
  /// it there.
  public func alarm() throws(Errno) -> Alarm {
    var seconds: Int64 = 0
    var isEnabled = false
    _ = try retryingInterrupts { unsafe clinux_rtc_alarm(device.number, &seconds, &isEnabled) }
    return Alarm(seconds: seconds, isEnabled: isEnabled)
  }
}

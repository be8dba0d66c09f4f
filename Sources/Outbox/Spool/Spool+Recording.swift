public import Sensing

// Entries come.

extension Spool {
  /// Keeps a reading of the sensor that is called `uniqueID`, 1 to `uniqueIDByteCountMax` bytes.
  public func record(_ reading: Reading, of uniqueID: [UInt8], isTimeTrusted: Bool) {
    guard let slot = UInt8(exactly: reading.sensor.value) else {
      preconditionFailure("a spool has as many slots as a batch has sensors")
    }
    memory.name(slot, uniqueID)
    ledger.losses.overflowed += memory.append(
      SpoolEntry(reading, slot: slot, isTimeTrusted: isTimeTrusted))
  }

  /// Keeps a fix.
  public func record(_ fix: Fix, isTimeTrusted: Bool) {
    ledger.losses.overflowed += memory.append(SpoolEntry(fix, isTimeTrusted: isTimeTrusted))
  }

  /// The clock of the times that are not trusted, as it goes now.
  var clock: ClockOrigin? {
    get { memory.clock }
    set { memory.clock = newValue }
  }

  /// The clock, which was not trusted, was wrong by `step`. Corrects what is in memory only.
  func correctTimesInMemory(by step: Duration) { memory.correctTimes(by: step) }

  /// What was recorded so far is to be written.
  public func batchClosed() { memory.batchClosed() }
}

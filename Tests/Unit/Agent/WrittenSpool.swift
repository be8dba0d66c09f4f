import Bytes
import Foundation
import LinuxIO
import Outbox
import Sensing
import Testing

@testable import Agent

extension DeviceFingerprint {
  static let boat = DeviceFingerprint(low: 1, high: 2)
  static let van = DeviceFingerprint(low: 3, high: 4)
}

/// A spool that wrote into a state directory, as the agent lets it.
struct WrittenSpool {
  private let files: SpoolFiles
  private let spool: Spool
  private static let now = Instant(nanoseconds: 1_000_000_000)

  /// - Throws: what the file system says.
  init(
    in state: URL, device: DeviceFingerprint = .boat,
    segmentByteCount: Int = Spool.segmentByteCount
  ) throws {
    files = SpoolFiles(in: Path([UInt8](state.path.utf8)))
    spool = Spool(device: device, segmentByteCount: segmentByteCount, seed: 1)
    try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
    try settle()
  }

  func record(_ sensor: Int, _ uniqueID: String, _ value: Value, at time: WallTime) {
    spool.record(
      Reading(sensor: SensorIndex(sensor), value: value, time: time),
      of: [UInt8](uniqueID.utf8), isTimeTrusted: true)
  }

  func record(_ fix: Fix) { spool.record(fix, isTimeTrusted: true) }

  func closeBatch() throws {
    spool.batchClosed()
    try settle()
  }

  /// Home Assistant has the oldest that it did not have yet.
  func acknowledge(_ count: Int) throws {
    var left = count
    while left > 0 {
      if spool.take() != nil { left -= 1 } else { try settle() }
    }
    spool.acknowledged(upTo: spool.position)
    try settle()
  }

  private func settle() throws {
    repeat {
      spool.deadlineReached(now: Self.now)
      while let action = spool.nextAction() { files.perform(action, for: spool, now: Self.now) }
      let failure = spool.failure
      try #require(failure == nil)
    } while spool.deadline != nil
  }
}

extension WallTime {
  /// 2025-11-21 19:20:00 UTC and so many seconds.
  static func evening(_ seconds: Double) -> WallTime {
    WallTime(nanoseconds: 1_763_752_800_000_000_000 + Int64(seconds * 1e9))
  }
}

extension Fix {
  /// A fix of that evening.
  static func evening(
    _ seconds: Double, latitude: Double = 52.1, longitude: Double = 4.2, altitude: Double? = nil
  ) -> Fix {
    Fix(
      mode: altitude == nil ? .twoDimensional : .threeDimensional, latitude: latitude,
      longitude: longitude, altitudeMeters: altitude, time: .evening(seconds),
      notBefore: Instant(nanoseconds: 0))
  }
}

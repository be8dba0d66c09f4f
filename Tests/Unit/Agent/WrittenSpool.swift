import Bytes
import Foundation
import Outbox
import Sensing

extension DeviceFingerprint {
  static let boat = DeviceFingerprint(low: 1, high: 2)
  static let van = DeviceFingerprint(low: 3, high: 4)
}

/// A spool that wrote into a folder, as the agent lets it.
struct WrittenSpool: ~Copyable {
  private let folder: URL
  private let spool: Spool
  private static let now = Instant(nanoseconds: 1_000_000_000)

  /// - Throws: what the file system says.
  init(
    in folder: URL, device: DeviceFingerprint = .boat,
    segmentByteCount: Int = Spool.segmentByteCount
  ) throws {
    self.folder = folder
    spool = Spool(device: device, segmentByteCount: segmentByteCount, seed: 1)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try settle()
  }

  mutating func record(
    _ sensor: Int, _ uniqueID: String, _ value: Value, at time: WallTime, isTimeTrusted: Bool = true
  ) {
    spool.record(
      Reading(sensor: SensorIndex(sensor), value: value, time: time),
      of: [UInt8](uniqueID.utf8), isTimeTrusted: isTimeTrusted)
  }

  mutating func record(_ fix: Fix, isTimeTrusted: Bool = true) {
    spool.record(fix, isTimeTrusted: isTimeTrusted)
  }

  /// - Throws: what the file system says.
  mutating func closeBatch() throws {
    spool.batchClosed()
    try settle()
  }

  /// Home Assistant has the oldest that it did not have yet.
  mutating func acknowledge(_ count: Int) throws {
    var left = count
    while left > 0 {
      if spool.take() != nil { left -= 1 } else { try settle() }
    }
    spool.acknowledged(upTo: spool.position)
    try settle()
  }

  private func url(_ file: SegmentFile) -> URL {
    folder.appending(path: String(decoding: file.name, as: UTF8.self))
  }

  private mutating func settle() throws {
    repeat {
      spool.deadlineReached(now: Self.now)
      while let action = spool.nextAction() {
        try perform(action)
        spool.performed(now: Self.now)
      }
    } while spool.deadline != nil
  }

  private mutating func perform(_ action: Spool.Action) throws {
    let files = FileManager.default
    switch action {
    case .list:
      for name in try files.contentsOfDirectory(atPath: folder.path) {
        let bytes = try Data(contentsOf: folder.appending(path: name))
        let name = [UInt8](name.utf8)
        spool.fileFound(name: name.span, byteCount: bytes.count)
      }
    case .read(let file, let offset, let byteCountMax):
      let bytes = [UInt8](try Data(contentsOf: url(file)))
      let chunk = bytes.dropFirst(offset).prefix(byteCountMax)
      spool.fill { free in
        for (place, byte) in chunk.enumerated() { free[place] = byte }
        return chunk.count
      }
    case .create(let file): try Data().write(to: url(file), options: .withoutOverwriting)
    case .append(let file):
      let handle = try FileHandle(forWritingTo: url(file))
      try handle.seekToEnd()
      try handle.write(contentsOf: Data(spool.withOutgoing { [UInt8]($0) }))
      try handle.close()
    case .synchronize, .synchronizeDirectory: break
    case .truncate(let file, let byteCount):
      let handle = try FileHandle(forWritingTo: url(file))
      try handle.truncate(atOffset: UInt64(byteCount))
      try handle.close()
    case .delete(let file): try files.removeItem(at: url(file))
    case .setAside(let old, let new): try files.moveItem(at: url(old), to: url(new))
    }
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

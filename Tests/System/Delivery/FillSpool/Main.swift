import Bytes
import Foundation
import Sensing

@testable import Outbox

/// `fill-spool DIRECTORY DEVICE-ID MEBIBYTES`: makes a spool of that size in the directory, as an
/// agent leaves it that could not deliver for months. Prints how many entries it has.
@main
struct Main {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let mebibytes = Int(arguments[3]), (1...60).contains(mebibytes)
    else {
      FileHandle.standardError.write(Data("fill-spool DIRECTORY DEVICE-ID MEBIBYTES\n".utf8))
      exit(64)
    }
    let filler = try Filler(
      directory: URL(filePath: arguments[1]), deviceID: [UInt8](arguments[2].utf8))
    print(try filler.fill(upTo: mebibytes << 20))
  }
}

/// A spool and its directory. Nothing is synchronised: the power of a test is not cut.
final class Filler {
  private static let uniqueID = [UInt8]("filler".utf8)
  /// 2026-01-01.
  private static let start: Int64 = 1_767_225_600

  private let directory: URL
  private let spool: Spool
  private var file: FileHandle?
  private var count = 0

  init(directory: URL, deviceID: [UInt8]) throws {
    self.directory = directory
    spool = Spool(device: DeviceFingerprint(ofDeviceID: deviceID), seed: 1)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    try work()
  }

  func fill(upTo byteCount: Int) throws -> Int {
    while spool.log.occupiedByteCount < byteCount {
      for _ in 0..<Spool.batchEntryCountMax { record() }
      spool.batchClosed()
      try work()
    }
    return count
  }

  /// A text as long as they are makes the fewest entries.
  private func record() {
    count += 1
    let text = InlineText([UInt8]("a reading that waits, no. \(count)".utf8).span)
    spool.record(
      Reading(
        sensor: SensorIndex(0), value: .text(text),
        time: WallTime(nanoseconds: (Self.start + Int64(count)) * 1_000_000_000)),
      of: Self.uniqueID, isTimeTrusted: true)
  }

  private func work() throws {
    while let action = spool.nextAction() {
      switch action {
      case .list, .synchronize, .synchronizeDirectory: break
      case .create(let new):
        let path = directory.appending(path: String(decoding: new.name, as: UTF8.self))
        try Data().write(to: path)
        file = try FileHandle(forWritingTo: path)
      case .append: try file?.write(contentsOf: Data(spool.withOutgoing { [UInt8]($0) }))
      default: preconditionFailure("a spool that only grows wants nothing else: \(action)")
      }
      spool.performed(now: Instant(nanoseconds: 0))
    }
  }
}

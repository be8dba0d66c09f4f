import Bytes
import ModelDisk

@testable import Outbox

/// Does what a spool wants of the disk, as the agent's own does it.
struct SpoolFiles {
  static let directory = "spool"

  let files: Files
  let life: Int

  private var witness: SpoolWitness { files.world.ledger.witness }

  func perform(_ action: Spool.Action, for spool: Spool, now: Instant) throws {
    files.world.tell("  \(action)")
    let deed = witness.begins(action, spool, life: life)
    do {
      defer { witness.done(deed) }
      try perform(action, for: spool)
    } catch let failure as ModelDisk.Failure {
      files.world.tell("  \(failure)")
      spool.failed(DiskFailure(code: failure.code), now: now)
      return witness.failed(deed, spool)
    }
    spool.performed(now: now)
    witness.performed(deed, spool)
  }

  private func perform(_ action: Spool.Action, for spool: Spool) throws {
    switch action {
    case .list:
      for (name, byteCount) in try files.names(in: Self.directory) {
        spool.fileFound(name: [UInt8](name.utf8).span, byteCount: byteCount)
      }
    case .read(let file, let offset, let byteCountMax):
      let chunk = try files.read(Self.path(of: file), from: offset, byteCountMax: byteCountMax)
      spool.fill { free in
        for (place, byte) in chunk.enumerated() { free[place] = byte }
        return chunk.count
      }
    case .create(let file): try files.create(Self.path(of: file))
    case .append(let file):
      try files.append(spool.withOutgoing { [UInt8]($0) }, to: Self.path(of: file))
    case .synchronize(let file): try files.synchronize(Self.path(of: file))
    case .synchronizeDirectory: try files.synchronizeDirectory(Self.directory)
    case .truncate(let file, let byteCount):
      try files.truncate(Self.path(of: file), to: byteCount)
    case .delete(let file): try files.remove(Self.path(of: file))
    case .setAside(let old, let new):
      do {
        try files.rename(Self.path(of: old), to: Self.path(of: new), mayReplace: false)
      } catch ModelDisk.Failure.notThere {}
      try files.synchronizeDirectory(Self.directory)
    }
  }

  static func path(of file: SegmentFile) -> String {
    directory + "/" + String(decoding: file.name, as: UTF8.self)
  }

  /// Nil where it is none of the spool's own: one that was set aside is not.
  static func file(at path: String) -> SegmentFile? {
    guard path.hasPrefix(directory + "/") else { return nil }
    let name = [UInt8](path.utf8.dropFirst(directory.utf8.count + 1))
    return SegmentFile(name: name.span).flatMap { $0.kind == .aside ? nil : $0 }
  }
}

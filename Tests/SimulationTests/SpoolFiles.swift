import ModelDisk
import Bytes
import Outbox

/// Does what a spool wants of the disk, as the agent's own does it.
struct SpoolFiles {
  private static let directory = "spool"

  let files: Files

  func perform(_ action: Spool.Action, for spool: Spool, now: Instant) throws {
    do {
      files.world.tell("  \(action)")
      try perform(action, for: spool)
      spool.performed(now: now)
    } catch let failure as ModelDisk.Failure {
      files.world.tell("  \(failure)")
      spool.failed(DiskFailure(code: failure.code), now: now)
    }
  }

  private func perform(_ action: Spool.Action, for spool: Spool) throws {
    switch action {
    case .list:
      for (name, byteCount) in try files.names(in: Self.directory) {
        spool.fileFound(name: [UInt8](name.utf8).span, byteCount: byteCount)
      }
    case .read(let file, let offset, let byteCountMax):
      let chunk = try files.read(path(of: file), from: offset, byteCountMax: byteCountMax)
      spool.fill { free in
        for (place, byte) in chunk.enumerated() { free[place] = byte }
        return chunk.count
      }
    case .create(let file): try files.create(path(of: file))
    case .append(let file):
      try files.append(spool.withOutgoing { [UInt8]($0) }, to: path(of: file))
    case .synchronize(let file): try files.synchronize(path(of: file))
    case .synchronizeDirectory: try files.synchronizeDirectory(Self.directory)
    case .truncate(let file, let byteCount):
      try files.truncate(path(of: file), to: byteCount)
    case .delete(let file): try files.remove(path(of: file))
    case .replace(let old, let new):
      try files.rename(path(of: old), to: path(of: new), mayReplace: true)
      try files.synchronizeDirectory(Self.directory)
    case .setAside(let old, let new):
      try files.rename(path(of: old), to: path(of: new), mayReplace: false)
    }
  }

  private func path(of file: SegmentFile) -> String {
    Self.directory + "/" + String(decoding: file.name, as: UTF8.self)
  }
}

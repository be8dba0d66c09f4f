import Bytes
import ModelDisk

@testable import Outbox

extension ModelDisk {
  /// Does what a spool wants.
  func perform(_ action: Spool.Action, for spool: Spool) throws(Failure) {
    switch action {
    case .list:
      for (name, bytes) in files {
        let name = [UInt8](name.utf8)
        spool.fileFound(name: name.span, byteCount: bytes.count)
      }
    case .read(let file, let offset, let byteCountMax):
      let chunk = try read(file.text).dropFirst(offset).prefix(byteCountMax)
      spool.fill { free in
        for (place, byte) in chunk.enumerated() { free[place] = byte }
        return chunk.count
      }
    case .create(let file): try create(file.text)
    case .append(let file): try append(spool.withOutgoing { [UInt8]($0) }, to: file.text)
    case .synchronize(let file): try synchronize(file.text)
    case .synchronizeDirectory: try synchronizeDirectory()
    case .truncate(let file, let byteCount): try truncate(file.text, to: byteCount)
    case .delete(let file): try delete(file.text)
    case .setAside(let old, let new):
      if files[old.text] != nil { try rename(old.text, to: new.text, mayReplace: false) }
      try synchronizeDirectory()
    }
  }

  /// Another disk with the same on it.
  func copy() -> ModelDisk {
    let copy = ModelDisk()
    copy.files = files
    return copy
  }
}

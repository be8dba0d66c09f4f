import Board
import Bytes

extension Configuration {
  /// The configuration for a command that looks at the board, which is worth a look without one,
  /// too: nil where none is named and there is none at the usual place, or this person may not read
  /// that.
  static func forLook(from named: [UInt8]?) throws(CommandFailure) -> Configuration? {
    if let named { return try read(from: named) }
    do throws(CommandFailure) {
      return try readIfThere(from: [UInt8](defaultFile))
    } catch  where error.code == .noPermission {
      Log().warning("only the agent and root can see what the configuration uses")
      return nil
    }
  }
}

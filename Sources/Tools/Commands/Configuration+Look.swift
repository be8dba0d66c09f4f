import Board
import Bytes

extension Configuration {
  /// Returns the configuration for a command that looks at the board, and works without one, too:
  /// nil if none is named and the default file does not exist, or this person may not read it.
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

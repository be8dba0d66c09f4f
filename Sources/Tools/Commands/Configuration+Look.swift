import Board
import Bytes

extension Configuration {
  /// The configuration for a command that looks at the board, which is worth a look without one,
  /// too: nil where there is none, or this person may not read it.
  static func forLook(from file: [UInt8]) throws(CommandFailure) -> Configuration? {
    do throws(CommandFailure) {
      return try readIfThere(from: file)
    } catch  where error.code == .noPermission && file.span.elementsEqual(defaultFile) {
      Log().warning("what the configuration uses is shown to the agent and root only")
      return nil
    }
  }
}

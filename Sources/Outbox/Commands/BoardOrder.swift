/// Part of a command that the board carries out.
public enum BoardOrder: Equatable, Sendable {
  /// Switch the output of this name.
  case output([UInt8], Command.Switching)
  /// Set or clear the anchor watch.
  case anchor(isSet: Bool)
  /// See whether the board can be rebooted.
  case prepareReboot
}

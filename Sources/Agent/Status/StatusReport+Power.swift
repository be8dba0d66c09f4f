import Board
import Bytes
import Sensing

// The supply of the board, and the effect of the power policy.

extension StatusReport {
  func appendPower(to document: inout ByteBuffer) {
    guard let power, power.hasLevels || power.hasCharge else { return }
    document.open("power")
    if let isOnMains = power.isOnMains {
      document.appendMember("supply", isOnMains ? "mains" : "battery")
    }
    if power.hasLevels { document.appendMember("level", power.levelWords.bytes.span) }
    if let hours = power.hoursLeft { document.appendMember("hours_left", Int(clamping: hours)) }
    document.appendMember("text", words: power.words)
    document.closeJSONObject()
  }
}

extension PowerMonitor {
  /// Supply, level and remaining time of the battery, for people.
  fileprivate var words: MessageText {
    var words: MessageText =
      switch isOnMains {
      case true?: "on mains"
      case false?: "on battery"
      case nil: isOnBattery ? "on battery, according to its sensors" : "no sensor reports it"
      }
    if hasLevels { words = "\(words); power level: \(levelWords)" }
    if let hours = hoursLeft.map({ Int(clamping: $0) }) {
      let time: MessageText = hours >= 48 ? "\(hours / 24) days" : "\(hours) h"
      words = "\(words); it lasts about \(time) at the recent rate"
    }
    return words
  }
}

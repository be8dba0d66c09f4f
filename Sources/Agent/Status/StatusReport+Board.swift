import Board
import Bytes
import LinuxIO
import Sensing

// The last fix with its decision and the anchor watch, never the position; and the power.

extension StatusReport {
  func appendLastFix(to document: inout ByteBuffer) {
    guard let lastFix else { return }
    append(past: "last_fix", lastFix.notBefore, to: &document)
    if let firstFix {
      let (east, north) = firstFix.point.offsetMeters(to: lastFix.point)
      document.open("offset")
      document.appendMember("east_meters", wholeMeters(east))
      document.appendMember("north_meters", wholeMeters(north))
      document.closeJSONObject()
    }
    guard let error = lastFix.horizontalErrorMeters else { return }
    document.open("accuracy")
    document.appendMember("meters", wholeMeters(error))
    document.appendMember("from", lastFix.errorSource.code)
    document.closeJSONObject()
  }

  func appendTrack(to document: inout ByteBuffer) {
    guard let decision = track?.last?.decision else { return }
    document.open("track")
    if let state = track?.state {
      document.appendMember("state", state == .parked ? "parked" : "moving")
    }
    document.appendMember("is_kept", decision.isKept)
    document.appendMember("decision", decision.code)
    document.appendMember("text", decision.words)
    document.closeJSONObject()
  }

  func appendAnchor(to document: inout ByteBuffer) {
    guard let anchor else { return }
    document.open("anchor")
    document.appendMember("state", anchor.state.code)
    if let setter = anchor.setter {
      document.appendMember("set_by", setter == .line ? "line" : "command")
    }
    document.appendMember("radius_meters", wholeMeters(anchor.radiusMeters))
    if let distance = anchor.distanceMeters {
      document.appendMember("distance_meters", wholeMeters(distance))
    }
    document.appendMember("text", words: anchor.words)
    document.closeJSONObject()
  }

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

extension Fix {
  fileprivate var point: EarthPoint {
    EarthPoint(latitudeDegrees: latitude, longitudeDegrees: longitude)
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

import Board
import Bytes
import LinuxIO
import Outbox

extension ArchivedSegment {
  /// Flaws of the segment, and their cost.
  var flaws: [MessageText] {
    var flaws: [MessageText] = []
    switch condition {
    case .intact, .vanished: break
    case .headless: flaws.append("its header is damaged")
    case .otherVersion: flaws.append("not read: written by another version of Homeward")
    case .unknown: flaws.append(byteCount == 0 ? "empty" : "not a spool file")
    case .unreadable(let failure):
      flaws.append("cannot be read: \(Errno(code: failure.code))")
    }
    if let device, device > 0 { flaws.append("from another device") }
    if damagedByteCount > 0 { flaws.append("damaged: \(damagedByteCount, "byte")") }
    if tornByteCount > 0 { flaws.append("incomplete entry at its end: \(tornByteCount, "byte")") }
    if namelessCount > 0 { flaws.append("without a known sensor: \(namelessCount, "reading")") }
    return flaws
  }

  /// Remarks on the segment, beside its numbers.
  var notes: [MessageText] {
    isAside ? ["set aside"] + flaws : flaws
  }

  /// Name of the condition in the JSON output.
  var conditionCode: StaticString {
    switch condition {
    case .intact: "intact"
    case .headless: "headless"
    case .otherVersion: "other_version"
    case .unknown: "unknown"
    case .unreadable: "unreadable"
    case .vanished: "vanished"
    }
  }
}

extension [MessageText] {
  /// `first; second`
  var joined: MessageText {
    var text: MessageText = ""
    for index in indices { text = index == 0 ? self[index] : text + "; " + self[index] }
    return text
  }
}

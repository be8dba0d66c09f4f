import Board
import Bytes
import LinuxIO
import Outbox

extension ArchivedSegment {
  /// What is not as it should be, and what that costs.
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

  /// All that there is to say of it beside numbers.
  var notes: [MessageText] {
    isAside ? ["set aside"] + flaws : flaws
  }

  /// A word for scripts.
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

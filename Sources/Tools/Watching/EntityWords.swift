import Board
import Bytes
import HomeAssistant
import HomeAssistantClient

extension Entity {
  /// State and its unit, such as `83 %`.
  var value: MessageText {
    let state = MessageText(bytes: state.bytes.printable)
    guard let unit: Text = attributes.get("unit_of_measurement", orOnFailure: nil) else {
      return state
    }
    return "\(state) \(shown: unit)"
  }
}

extension StateChange {
  /// Lines such as `sensor.boat_bat7_capacity 83 % -> 82 %`, with the changed attributes.
  var lines: MessageText {
    let id: MessageText = "\(shown: entityID.text)"
    guard let newState else { return "\(id) was removed\n" }
    let attributes = AttributeChanges(
      from: oldState?.attributes ?? [:], to: newState.attributes
    ).lines
    guard let oldState else { return "\(id) is new: \(newState.value)\n\(attributes)" }
    guard oldState.state != newState.state else {
      return "\(id)  \(newState.value)\n\(attributes)"
    }
    return "\(id)  \(oldState.value) -> \(newState.value)\n\(attributes)"
  }
}

/// Attributes of an entity that are new, changed or gone.
struct AttributeChanges {
  private var present: JSONObject = [:]
  private var gone: [Text] = []

  init(from before: JSONObject, to after: JSONObject) {
    for (key, value) in after.members where before[key] != value { present[key] = value }
    for (key, _) in before.members where after[key] == nil { gone.append(key) }
  }

  var isEmpty: Bool { present.isEmpty && gone.isEmpty }

  /// Lines of the attributes, below that of their entity.
  var lines: MessageText {
    var lines = MessageText(bytes: present.lines)
    for key in gone { lines = "\(lines)    \(bytes: key.bytes.printable) was removed\n" }
    return lines
  }
}

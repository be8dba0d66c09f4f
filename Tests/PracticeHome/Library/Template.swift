/// The few templates the practice home can render: literal text, a state, an attribute, and the
/// one with which a device reads its own position back.
enum Template {
  enum Outcome: Sendable, Equatable {
    case value(JSON)
    case error(String)
  }

  /// What came out, and what to watch for when it would come out differently.
  struct Rendering: Sendable, Equatable {
    var outcome: Outcome
    var entities: [String] = []
    var dependsOnTime = false

    var listeners: JSON {
      [
        "all": false, "entities": .array(entities.map(JSON.string)), "domains": [],
        "time": .bool(dependsOnTime),
      ]
    }

    /// What a key of the webhook's `render_template` is answered with.
    var json: JSON {
      switch outcome {
      case .value(let value): value
      case .error(let message): ["error": .string(message)]
      }
    }
  }

  /// Finds the tracker of a device and tells where it is, and how old that is, in seconds.
  static let readBack =
    "{% set e=device_entities(id)|select('match','device_tracker[.]')|list|first|default(none) %}"
    + "{% if e and states[e] %}"
    + "{{ {'e':e,'lat':state_attr(e,'latitude'),'lon':state_attr(e,'longitude'),"
    + "'acc':state_attr(e,'gps_accuracy'),"
    + "'age':(as_timestamp(now())-as_timestamp(states[e].last_updated))|round(3)} }}"
    + "{% else %}{{ {'e':e} }}{% endif %}"

  /// What a single expression asks for.
  enum Expression: Equatable {
    case state(String)
    case attribute(String, of: String)

    init?(_ source: String) {
      let state = #/\{\{-?\s*states\(\s*(['"])([^'"]*)\1\s*\)\s*-?\}\}/#
      let attribute =
        #/\{\{-?\s*state_attr\(\s*(['"])([^'"]*)\1\s*,\s*(['"])([^'"]*)\3\s*\)\s*-?\}\}/#
      if let match = try? state.wholeMatch(in: source) {
        self = .state(String(match.2))
      } else if let match = try? attribute.wholeMatch(in: source) {
        self = .attribute(String(match.4), of: String(match.2))
      } else {
        return nil
      }
    }
  }

  static let notPlayed =
    "TemplateError: the practice home renders no more than literal text, a state, an attribute, "
    + "and the position of a device"

  /// Text, read as the value it looks like.
  static func literal(_ text: String) -> Rendering {
    let text = text.trimmed
    return Rendering(outcome: .value(value(of: text)))
  }

  private static func value(of text: String) -> JSON {
    switch text {
    case "True": true
    case "False": false
    case "None": .null
    default: number(text) ?? .string(text)
    }
  }

  private static func number(_ text: String) -> JSON? {
    let digits = text.drop { $0 == "+" || $0 == "-" }
    guard text.count - digits.count <= 1, digits.contains(where: \.isNumber),
      digits.allSatisfy({ $0 == "." || ($0.isASCII && $0.isNumber) }),
      !(digits.hasPrefix("0") && digits.dropFirst().first?.isNumber == true)
    else { return nil }
    if let integer = Int64(text) { return .integer(Int128(integer)) }
    return Double(text).map(JSON.float)
  }
}

extension Home {
  func render(_ source: String, _ variables: JSONObject, now: Moment) -> Template.Rendering {
    let text = source.trimmed
    if text == Template.readBack { return readBackTracker(variables["id"], now: now) }
    switch Template.Expression(text) {
    case .state(let entityID):
      var rendering = Template.literal(states[entityID]?.state ?? "unknown")
      rendering.entities = [entityID]
      return rendering
    case .attribute(let name, let entityID):
      let value = states[entityID]?.attributes[name] ?? .null
      // A text may look like something else, as everything a template prints.
      var rendering =
        value.string.map(Template.literal) ?? Template.Rendering(outcome: .value(value))
      rendering.entities = [entityID]
      return rendering
    case nil: break
    }
    if ["{{", "{%", "{#"].contains(where: text.contains) {
      return Template.Rendering(outcome: .error(Template.notPlayed))
    }
    return Template.literal(text)
  }

  /// The tracker a device has and where it is; the same without a place if it shows nothing.
  private func readBackTracker(_ id: JSON?, now: Moment) -> Template.Rendering {
    let registration = registrations.first { .string($0.registryID) == id }
    guard let tracker = registration?.tracker, !tracker.isDisabled else {
      return Template.Rendering(outcome: .value(["e": nil]))
    }
    let entityID = tracker.entityID
    guard let state = states[entityID] else {
      return Template.Rendering(
        outcome: .value(["e": .string(entityID)]), entities: [entityID])
    }
    let age = Double(now.microseconds - state.lastUpdated.microseconds) / 1_000_000
    let value: JSON = [
      "e": .string(entityID), "lat": state.attributes["latitude"] ?? .null,
      "lon": state.attributes["longitude"] ?? .null,
      "acc": state.attributes["gps_accuracy"] ?? .null,
      "age": .float((age * 1000).rounded() / 1000),
    ]
    return Template.Rendering(outcome: .value(value), entities: [entityID], dependsOnTime: true)
  }
}

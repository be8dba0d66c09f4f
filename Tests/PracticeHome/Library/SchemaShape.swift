/// A key of a dictionary schema.
struct Field: Sendable {
  var key: String
  var schema: Schema
  var isRequired: Bool
  var fallback: JSON?

  static func required(_ key: String, _ schema: Schema) -> Field {
    Field(key: key, schema: schema, isRequired: true, fallback: nil)
  }

  /// A key that may be missing; with a default it is then filled in.
  static func optional(_ key: String, _ schema: Schema, default fallback: JSON? = nil) -> Field {
    Field(key: key, schema: schema, isRequired: false, fallback: fallback)
  }
}

/// What becomes of keys a schema does not know.
enum ExtraKeys: Sendable {
  case refused
  case kept
  case removed
}

extension Schema {
  /// A dictionary with known keys. All problems are collected before it objects.
  static func shape(_ fields: [Field], extra: ExtraKeys = .refused) -> Schema {
    let known = Dictionary(uniqueKeysWithValues: fields.map { ($0.key, $0) })
    return Schema { (value) throws(Invalid) in
      guard let object = value.object else { throw Invalid("expected a dictionary") }
      var result = JSONObject()
      var problems: [Problem] = []
      for (key, value) in object.pairs {
        guard let field = known[key] else {
          if extra == .kept { result[key] = value }
          if extra == .refused { problems.append(Problem(path: [.key(key)], kind: .extraKey)) }
          continue
        }
        do throws(Invalid) {
          result[key] = try located(at: .key(key)) { () throws(Invalid) in
            try field.schema(value)
          }
        } catch { problems += error.problems }
      }
      for field in fields where object[field.key] == nil {
        result[field.key] = field.fallback
        if field.isRequired {
          problems.append(Problem(path: [.key(field.key)], kind: .missingKey))
        }
      }
      if !problems.isEmpty { throw Invalid(problems) }
      return .object(result)
    }
  }

  /// Objects if the first key is there without the second.
  static func key(_ key: String, needs other: String) -> Schema {
    Schema { (value) throws(Invalid) in
      guard let object = value.object else { throw Invalid("key dependencies require a dict") }
      if object[key] != nil && object[other] == nil {
        throw Invalid(
          "dependency violation - key \"\(key)\" requires key \"\(other)\" to exist")
      }
      return value
    }
  }

  /// Objects if only some of these keys are there.
  static func together(_ keys: [String], group: String) -> Schema {
    Schema { (value) throws(Invalid) in
      let present = keys.count { value[$0] != nil }
      if present == 0 || present == keys.count { return value }
      throw Invalid([
        Problem(
          path: [.group(group)],
          kind: .value(
            "some but not all values in the same group of inclusion '\(group)'"))
      ])
    }
  }
}

// MARK: Wording

extension Problem {
  /// As Home Assistant's validation library words it.
  var message: String {
    var text =
      switch kind {
      case .extraKey: "extra keys not allowed"
      case .missingKey: "required key not provided"
      case .value(let message): message
      }
    if isDictionaryValue { text += " for dictionary value" }
    if path.isEmpty { return text }
    let steps = path.map { step in
      switch step {
      case .key(let key): "[\(Python.repr(key))]"
      case .index(let index): "[\(index)]"
      case .group(let group): "[<\(group)>]"
      }
    }
    return text + " @ data" + steps.joined()
  }

  /// The value complained about, or nil if there is none at the path.
  func offender(in data: JSON) -> JSON? {
    path.reduce(Optional(data)) { value, step in
      switch step {
      case .key(let key): value?[key]
      case .index(let index): value?[index]
      case .group: nil
      }
    }
  }

  /// For people: which key, and what is wrong with it.
  func explanation(in data: JSON) -> String {
    let place = path.map { step in
      switch step {
      case .key(let key), .group(let key): key
      case .index(let index): "element \(index)"
      }
    }.joined(separator: ", ")
    switch kind {
    case .extraKey: return "extra key \"\(path.last.map(\.name) ?? "")\""
    case .missingKey: return "required key \"\(path.last.map(\.name) ?? "")\" is missing"
    case .value(let message):
      let got = offender(in: data).map { " (got \($0.abbreviated))" } ?? ""
      return place.isEmpty ? message + got : "\(place): \(message)\(got)"
    }
  }
}

extension Problem.Step {
  var name: String {
    switch self {
    case .key(let key), .group(let key): key
    case .index(let index): "element \(index)"
    }
  }
}

extension JSON {
  /// Compact JSON, cut where a person stops reading.
  var abbreviated: String {
    let text = self.text
    return text.count > 60 ? text.prefix(57) + "..." : text
  }
}

extension Invalid {
  /// Longest repetition of an offending value in an answer.
  static let offenderLengthMax = 500

  /// The first problem: what the answer 400 to a registration says.
  var message: String { problems.first?.message ?? "" }

  /// All problems with the offending values: what `invalid_format` says.
  func humanized(_ data: JSON) -> String {
    problems.map { problem in
      var got = Python.repr(problem.offender(in: data) ?? .null)
      if got.count > Self.offenderLengthMax {
        got = got.prefix(Self.offenderLengthMax - 3) + "..."
      }
      return "\(problem.message). Got \(got)"
    }.sorted().joined(separator: "\n")
  }

  /// All problems, for people.
  func explanation(in data: JSON) -> String {
    problems.map { $0.explanation(in: data) }.joined(separator: "; ")
  }
}

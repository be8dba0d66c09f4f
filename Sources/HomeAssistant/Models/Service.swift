public import Bytes

/// What Home Assistant can be told to do, and how.
public struct ServiceDefinition: Equatable, Sendable {
  /// Whether a service answers with data of its own.
  public enum ResponseSupport: Equatable, Sendable {
    /// It has none; to want one is an error.
    case none
    /// It does where the call wants an answer.
    case optional
    /// It does; not to want one is an error.
    case always
  }

  /// Such as `light`.
  public let domain: Text
  /// Such as `turn_on`.
  public let service: Text
  /// For people; `domain.service` where Home Assistant has nothing better.
  public let name: Text
  /// What it does, for people; nil where Home Assistant does not say.
  public let description: Text?
  /// The members that the call's data may have, each with what Home Assistant says of it.
  public let fields: JSONObject
  /// What the service may be aimed at, as Home Assistant describes it; nil of one without a target.
  public let target: JSON?
  /// Whether it answers with data of its own.
  public let response: ResponseSupport

  /// Such as `light.turn_on`.
  public var fullName: Text { domain + "." + service }

  init(domain: Text, service: Text, json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    self.domain = domain
    self.service = service
    let name: Text? = try members.getIfPresent("name")
    let description: Text? = try members.getIfPresent("description")
    self.description = description?.nonempty
    self.name = name?.nonempty ?? description?.nonempty ?? domain + "." + service
    fields = try members.get("fields")
    target = try members.getIfPresent("target")
    let answer: JSONObject? = try members.getIfPresent("response")
    response =
      if let answer {
        try answer.get("optional", default: false) ? .optional : .always
      } else {
        .none
      }
  }
}

/// All that Home Assistant can be told to do.
public struct Services: Equatable, Sendable {
  /// By domain, and in it by service.
  public let byDomain: [Text: [Text: ServiceDefinition]]

  /// Sorted by domain and service.
  public var all: [ServiceDefinition] {
    byDomain.values.flatMap { Array($0.values) }.sorted { $0.fullName < $1.fullName }
  }

  /// A service by its domain and its name, or nil where there is none.
  public subscript(domain: Text, service: Text) -> ServiceDefinition? {
    byDomain[domain]?[service]
  }
}

extension Services: JSONDecodable {
  /// An object of the domains, or an array of them, which is how the REST API gives them.
  public init(json: JSON) throws(JSONDecodingError) {
    var byDomain: [Text: [Text: ServiceDefinition]] = [:]
    if case .array(let domains) = json {
      for domain in domains {
        let name: Text = try domain.get("domain")
        byDomain[name] = try Self.services(of: name, try domain.get("services"))
      }
    } else {
      for domain in try json.object().members {
        byDomain[domain.key] = try Self.services(of: domain.key, domain.value)
      }
    }
    self.byDomain = byDomain
  }

  private static func services(
    of domain: Text, _ json: JSON
  ) throws(JSONDecodingError) -> [Text: ServiceDefinition] {
    var services: [Text: ServiceDefinition] = [:]
    for service in try json.object().members {
      services[service.key] = try ServiceDefinition(
        domain: domain, service: service.key, json: service.value)
    }
    return services
  }
}

/// What came of calling a service.
public struct ServiceOutcome: JSONDecodable, Equatable, Sendable {
  /// Of the call; what it changed carries the same.
  public let context: Context
  /// What the service answered, where an answer was wanted.
  public let response: JSON?

  public init(json: JSON) throws(JSONDecodingError) {
    context = try json.get("context")
    response = try json.getIfPresent("response")
  }
}

extension Text {
  var nonempty: Text? { isEmpty ? nil : self }
}

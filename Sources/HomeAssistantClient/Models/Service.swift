public import Bytes

/// Definition of a service that Home Assistant offers.
public struct ServiceDefinition: Equatable, Sendable {
  /// Support of a service for response data.
  public enum ResponseSupport: Equatable, Sendable {
    /// No response; a call that wants one fails.
    case none
    /// Response if the call wants one.
    case optional
    /// Response always; a call that does not want one fails.
    case always
  }

  /// Domain, such as `light`.
  public let domain: Text
  /// Service, such as `turn_on`.
  public let service: Text
  /// Name for people; `domain.service` if Home Assistant has no better one.
  public let name: Text
  /// Description for people; nil if there is none.
  public let description: Text?
  /// Members of the call's data, each with its description by Home Assistant.
  public let fields: JSONObject
  /// Possible targets, as Home Assistant describes them; nil for a service without a target.
  public let target: JSON?
  /// Support for response data.
  public let response: ResponseSupport

  /// Full name, such as `light.turn_on`.
  public var fullName: Text { domain + "." + service }

  init(domain: Text, service: Text, json: JSON) throws(JSONDecodingError) {
    let members = try json.object()
    self.domain = domain
    self.service = service
    let name: Text? = try members.getIfPresent("name")
    let description: Text? = try members.getIfPresent("description")
    self.description = description?.nonempty
    self.name = name?.nonempty ?? description?.nonempty ?? domain + "." + service
    fields = try members.get("fields", default: [:])
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

/// All services of Home Assistant.
public struct Services: Equatable, Sendable {
  /// Services by domain, and in it by name.
  public private(set) var byDomain: [Text: [Text: ServiceDefinition]] = [:]
  /// Number of services that did not decode.
  public private(set) var skippedCount = 0

  /// Services, sorted by domain and name.
  public var all: [ServiceDefinition] {
    byDomain.values.flatMap { Array($0.values) }.sorted { $0.fullName < $1.fullName }
  }

  /// Returns a service by its domain and its name, or nil if there is none.
  public subscript(domain: Text, service: Text) -> ServiceDefinition? {
    byDomain[domain]?[service]
  }
}

extension Services: JSONDecodable {
  /// Reads an object of domains, or the array of domains of the REST API. Leaves out and counts the
  /// services that do not decode: an integration describes its own as it likes.
  public init(json: JSON) throws(JSONDecodingError) {
    if case .array(let domains) = json {
      for domain in domains {
        try add(to: try domain.get("domain"), try domain.get("services"))
      }
    } else {
      for domain in try json.object().members { try add(to: domain.key, domain.value) }
    }
  }

  private mutating func add(to domain: Text, _ json: JSON) throws(JSONDecodingError) {
    var services: [Text: ServiceDefinition] = [:]
    for service in try json.object().members {
      do throws(JSONDecodingError) {
        services[service.key] = try ServiceDefinition(
          domain: domain, service: service.key, json: service.value)
      } catch {
        skippedCount += 1
      }
    }
    byDomain[domain] = services
  }
}

/// Result of a service call.
public struct ServiceOutcome: JSONDecodable, Equatable, Sendable {
  /// Context of the call, which its changes share.
  public let context: Context
  /// Response data, if the call wanted some.
  public let response: JSON?

  public init(json: JSON) throws(JSONDecodingError) {
    context = try json.get("context")
    response = try json.getIfPresent("response")
  }
}

extension Text {
  var nonempty: Text? { isEmpty ? nil : self }
}

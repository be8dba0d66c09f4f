public import Bytes

/// What Home Assistant says of a piece of an automation.
public struct ConfigValidity: JSONDecodable, Equatable, Sendable {
  public let isValid: Bool
  public let error: Text?

  public init(json: JSON) throws(JSONDecodingError) {
    isValid = try json.get("valid")
    error = try json.getIfPresent("error")
  }
}

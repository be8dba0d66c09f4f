public import Bytes

/// What Home Assistant says of a piece of an automation.
public struct ConfigValidity: JSONDecodable, Equatable, Sendable {
  /// Whether it would do.
  public let isValid: Bool
  /// What is wrong with it; nil where nothing is.
  public let error: Text?

  public init(json: JSON) throws(JSONDecodingError) {
    isValid = try json.get("valid")
    error = try json.getIfPresent("error")
  }
}

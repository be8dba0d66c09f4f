/// The version of Homeward; the newest heading of the changelog in README.md is the same.
public let homewardVersion: StaticString = "0.1.0"

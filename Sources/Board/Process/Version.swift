import Bytes

/// The version of Homeward; the newest heading of the changelog in README.md is the same.
public let homewardVersion: StaticString = "0.1.0"

/// What Home Assistant's log calls us.
public var homewardUserAgent: [UInt8] { [UInt8]("Homeward/") + [UInt8](homewardVersion) }

import Bytes

/// The version of Homeward; the newest entry of `deploy/debian/changelog` has the same.
public let homewardVersion: StaticString = "0.1.0"

/// User agent in Home Assistant's log.
public var homewardUserAgent: [UInt8] { [UInt8]("Homeward/") + [UInt8](homewardVersion) }

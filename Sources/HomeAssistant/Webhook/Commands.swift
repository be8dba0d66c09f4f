public import Bytes

// Messages without a readable answer: `Outcome` is the whole result.

extension Webhook {
  /// Call of a service (an action), with the rights of the user who registered the device.
  public struct CallService: Message {
    /// Type `call_service`.
    public static let type = MessageType.callService

    /// Domain, such as `light`.
    public var domain: Text
    /// Service, such as `turn_on`.
    public var service: Text
    /// Data of the service, including `entity_id`: there is no `target`.
    public var data: JSONObject

    /// Creates a call of one service.
    ///
    /// - Parameters:
    ///   - domain: domain, such as `light`.
    ///   - service: service, such as `turn_on`.
    ///   - data: data of the service, including `entity_id`.
    public init(domain: Text, service: Text, data: JSONObject = [:]) {
      self.domain = domain
      self.service = service
      self.data = data
    }

    public func write(into data: inout ByteBuffer) {
      data.openJSONObject()
      data.appendJSON(key: "domain", domain)
      data.appendJSON(key: "service", service)
      data.appendJSON(key: "service_data", self.data)
      data.closeJSONObject()
    }
  }

  /// Request to fire an event on Home Assistant's bus.
  public struct FireEvent: Message {
    /// Type `fire_event`.
    public static let type = MessageType.fireEvent

    /// Maximum length in Unicode scalars, which Home Assistant sets. Its handler fails on longer
    /// types.
    public static let typeCharacterCountMax = 64

    /// Type, such as `my_button_pressed`.
    public let eventType: Text
    /// Data, always an object: Home Assistant drops an event with any other data.
    public var data: JSONObject

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - eventType: type of the event.
    ///   - data: data of the event.
    /// - Throws: `.eventTypeTooLong`, since Home Assistant's handler would fail.
    public init(_ eventType: Text, data: JSONObject = [:]) throws(ArgumentError) {
      let count = Self.characterCount(of: eventType.bytes.span)
      guard count <= Self.typeCharacterCountMax else {
        throw .eventTypeTooLong(characterCount: count)
      }
      self.eventType = eventType
      self.data = data
    }

    public func write(into data: inout ByteBuffer) {
      data.openJSONObject()
      data.appendJSON(key: "event_type", eventType)
      data.appendJSON(key: "event_data", self.data)
      data.closeJSONObject()
    }

    /// Returns the number of written characters: each byte that is not UTF-8 becomes one.
    private static func characterCount(of text: Span<UInt8>) -> Int {
      var count = 0
      var index = 0
      while index < text.count {
        index += max(text.lengthOfScalar(at: index), 1)
        count += 1
      }
      return count
    }
  }

  /// Report of a scanned tag.
  public struct ScanTag: Message {
    /// Type `scan_tag`.
    public static let type = MessageType.scanTag

    /// Content of the tag, which automations use.
    public var tagID: Text

    /// Creates a report of this tag.
    public init(tagID: Text) { self.tagID = tagID }

    public func write(into data: inout ByteBuffer) {
      data.openJSONObject()
      data.appendJSON(key: "tag_id", tagID)
      data.closeJSONObject()
    }
  }
}

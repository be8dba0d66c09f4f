public import Bytes

// What is done without an answer to read: `Outcome` says all there is to say.

extension Webhook {
  /// Calls a service (an action), in the name of the user who registered the device.
  public struct CallService: Message {
    /// `call_service`
    public static let type = MessageType.callService

    /// Such as `light`.
    public var domain: Text
    /// Such as `turn_on`.
    public var service: Text
    /// What the service takes, `entity_id` among it: there is no `target` here.
    public var data: JSONObject

    /// A call of one service.
    ///
    /// - Parameters:
    ///   - domain: such as `light`.
    ///   - service: such as `turn_on`.
    ///   - data: what the service takes, `entity_id` among it.
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

  /// Fires an event on Home Assistant's bus.
  public struct FireEvent: Message {
    /// `fire_event`
    public static let type = MessageType.fireEvent

    /// Home Assistant's own limit, in Unicode scalars. Beyond it the handler fails.
    public static let typeCharacterCountMax = 64

    /// Such as `my_button_pressed`.
    public let eventType: Text
    /// An object always: Home Assistant drops an event whose data is anything else.
    public var data: JSONObject

    /// An event of a kind of its own.
    ///
    /// - Parameters:
    ///   - eventType: what listeners go by.
    ///   - data: what they get.
    /// - Throws: `.eventTypeTooLong`; Home Assistant would fail over it.
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

    /// The characters as they are written: a byte that is not UTF-8 becomes one of its own.
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

  /// Says that a tag was scanned here.
  public struct ScanTag: Message {
    /// `scan_tag`
    public static let type = MessageType.scanTag

    /// What the tag holds; automations go by it.
    public var tagID: Text

    /// Says that the tag with this id was scanned.
    public init(tagID: Text) { self.tagID = tagID }

    public func write(into data: inout ByteBuffer) {
      data.openJSONObject()
      data.appendJSON(key: "tag_id", tagID)
      data.closeJSONObject()
    }
  }
}

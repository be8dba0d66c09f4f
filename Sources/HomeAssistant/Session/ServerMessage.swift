import Bytes

/// Message of Home Assistant's WebSocket, as positions in its text.
///
/// The members come in any order; `id` is the last one of an event.
struct ServerMessage {
  enum Kind { case authRequired, authOK, authInvalid, result, event, pong }

  var kind: Kind?
  var id: Int64?
  var isSuccess = false
  /// Positions of the values of `result`, `event` and `error`.
  var result: Range<Int>?
  var event: Range<Int>?
  var error: Range<Int>?
  /// Positions of the strings of `ha_version` and `message`.
  var version: Range<Int>?
  var words: Range<Int>?
}

/// Messages of one frame: an object, or an array of objects if the client allowed it.
struct ServerMessages: ~Escapable {
  private let text: Span<UInt8>
  private var reader: JSONReader
  private var isArray = false
  private var isDone = false

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) throws(JSONError) {
    self.text = text
    reader = JSONReader(text)
    isArray = try reader.nextKind() == .array
    if isArray { try reader.openArray() }
  }

  /// Returns the next message, or nil at the end. Other values than objects are skipped.
  mutating func next() throws(JSONError) -> ServerMessage? {
    while !isDone {
      if isArray {
        guard try reader.nextElement() else { break }
      } else {
        isDone = true
      }
      if try reader.nextKind() == .object { return try readMessage() }
      try reader.skipValue()
    }
    if isArray { isDone = true }
    try reader.finish()
    return nil
  }

  private mutating func readMessage() throws(JSONError) -> ServerMessage {
    var message = ServerMessage()
    try reader.openObject()
    while let key = try reader.nextKey() {
      let kind = try reader.nextKind()
      if key.elementsEqual("id"), kind == .number {
        // A number that is too large or has a fraction belongs to no request.
        message.id = try reader.integerIfWhole()
      } else if key.elementsEqual("success"), kind == .boolean {
        message.isSuccess = try reader.boolean()
      } else if key.elementsEqual("type"), kind == .string {
        message.kind = ServerMessage.Kind(try reader.text())
      } else if key.elementsEqual("result") {
        message.result = try reader.skipValue()
      } else if key.elementsEqual("event") {
        message.event = try reader.skipValue()
      } else if key.elementsEqual("error"), kind == .object {
        message.error = try reader.skipValue()
      } else if key.elementsEqual("ha_version"), kind == .string {
        message.version = try reader.skipValue()
      } else if key.elementsEqual("message"), kind == .string {
        message.words = try reader.skipValue()
      } else {
        try reader.skipValue()
      }
    }
    return message
  }
}

extension ServerMessage.Kind {
  fileprivate init?(_ name: JSONReader.Text) {
    if name.elementsEqual("event") {
      self = .event
    } else if name.elementsEqual("result") {
      self = .result
    } else if name.elementsEqual("pong") {
      self = .pong
    } else if name.elementsEqual("auth_required") {
      self = .authRequired
    } else if name.elementsEqual("auth_ok") {
      self = .authOK
    } else if name.elementsEqual("auth_invalid") {
      self = .authInvalid
    } else {
      return nil
    }
  }
}

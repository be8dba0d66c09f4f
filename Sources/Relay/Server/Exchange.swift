import CHTTPServer

/// Request and its answer.
@safe final class Exchange {
  enum State {
    case receiving
    /// A transaction is to perform it.
    case waiting
    case answered(Answer)
  }

  let route: Route
  let connection: OpaquePointer
  private let bodyByteCountMax: Int
  private var body: [UInt8] = []
  private(set) var isTooLarge = false
  var state = State.receiving

  init(_ route: Route, _ connection: OpaquePointer, bodyByteCountMax: Int) {
    self.route = route
    unsafe self.connection = connection
    self.bodyByteCountMax = bodyByteCountMax
  }

  /// Takes a part of the body. Of one that is too large nothing is kept.
  func receive(_ bytes: UnsafeRawBufferPointer) {
    guard !isTooLarge, bytes.count <= bodyByteCountMax - body.count else {
      isTooLarge = true
      body = []
      return
    }
    unsafe body += bytes
  }

  /// Hands out the body, which is complete, and keeps none of it.
  func takeBody() -> [UInt8] {
    defer { body = [] }
    return body
  }
}

import CMicroHTTPD

/// One request as libmicrohttpd delivers it, piece by piece.
private final class Exchange {
  /// Bodies beyond this are not kept, as in Home Assistant.
  static let bodyByteCountMax = 16 << 20

  var body: [UInt8] = []
  var isTooLarge = false

  func append(_ piece: UnsafeRawBufferPointer) {
    isTooLarge = isTooLarge || body.count + piece.count > Self.bodyByteCountMax
    if isTooLarge { body = [] } else { unsafe body.append(contentsOf: piece) }
  }
}

/// Called by libmicrohttpd several times for one request: first with nothing, then with each
/// piece of the body, then once more when the body is complete.
func handleRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ url: UnsafePointer<CChar>?, _ method: UnsafePointer<CChar>?,
  _ version: UnsafePointer<CChar>?, _ upload: UnsafePointer<CChar>?,
  _ uploadCount: UnsafeMutablePointer<Int>?,
  _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let context = unsafe context, let connection = unsafe connection, let url = unsafe url,
    let method = unsafe method, let uploadCount = unsafe uploadCount, let slot = unsafe slot
  else { return .NO }
  guard let opaque = unsafe slot.pointee else {
    unsafe slot.pointee = unsafe Unmanaged.passRetained(Exchange()).toOpaque()
    return .YES
  }
  let exchange = unsafe Unmanaged<Exchange>.fromOpaque(opaque).takeUnretainedValue()
  if unsafe uploadCount.pointee > 0 {
    unsafe exchange.append(UnsafeRawBufferPointer(start: upload, count: uploadCount.pointee))
    unsafe uploadCount.pointee = 0
    return .YES
  }
  let request = unsafe Request(
    method: String(cString: method), path: String(cString: url), headers: headers(of: connection),
    body: exchange.body, isTooLarge: exchange.isTooLarge)
  let host = unsafe Unmanaged<Host>.fromOpaque(context).takeUnretainedValue()
  let response = host.answer(request)
  // Without an answer libmicrohttpd closes the connection.
  guard host.waitToAnswer(response.delivery) else { return .NO }
  return unsafe send(response, over: connection, context)
}

/// Called when a request is over, however it ended.
func completeRequest(
  _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
  _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_RequestTerminationCode
) {
  guard let slot = unsafe slot, let opaque = unsafe slot.pointee else { return }
  unsafe Unmanaged<Exchange>.fromOpaque(opaque).release()
  unsafe slot.pointee = nil
}

private func headers(of connection: OpaquePointer) -> [(name: String, value: String)] {
  var headers: [(name: String, value: String)] = []
  _ = unsafe withUnsafeMutablePointer(to: &headers) { pointer in
    unsafe MHD_get_connection_values(
      connection, .HEADER_KIND,
      { context, _, name, value in
        guard
          let list = unsafe context?.assumingMemoryBound(
            to: [(name: String, value: String)].self), let name = unsafe name
        else { return .NO }
        let text = unsafe value.map { unsafe String(cString: $0) } ?? ""
        unsafe list.pointee.append((name: String(cString: name), value: text))
        return .YES
      }, pointer)
  }
  return headers
}

// MARK: Responses

private func send(
  _ response: Response, over connection: OpaquePointer, _ context: UnsafeMutableRawPointer
) -> MHD_Result {
  if let accepted = response.acceptedSocket {
    return unsafe upgrade(connection, accepted, context)
  }
  guard let made = unsafe body(of: response, over: connection, context) else { return .NO }
  for (name, value) in response.headers { unsafe MHD_add_response_header(made, name, value) }
  let result = unsafe MHD_queue_response(connection, UInt32(response.status), made)
  unsafe MHD_destroy_response(made)
  return result
}

private func body(
  of response: Response, over connection: OpaquePointer, _ context: UnsafeMutableRawPointer
) -> OpaquePointer? {
  switch response.delivery {
  case .half: unsafe half(response.body)
  case .events: unsafe events(over: connection, context)
  case .complete, .never, .after: unsafe whole(response.body)
  }
}

/// The events of the page, for as long as the client listens. Its thread waits for them.
private func events(
  over connection: OpaquePointer, _ context: UnsafeMutableRawPointer
) -> OpaquePointer? {
  let host = unsafe Unmanaged<Host>.fromOpaque(context).takeUnretainedValue()
  let stream = unsafe EventStream(
    page: host.page, stopSignal: host.stopSignal,
    descriptor: practice_connection_descriptor(connection))
  let retained = unsafe Unmanaged.passRetained(stream)
  return unsafe MHD_create_response_from_callback(
    .max, 16 << 10,
    { context, _, buffer, limit in
      guard let context = unsafe context, let buffer = unsafe buffer else {
        return EventStream.end
      }
      let stream = unsafe Unmanaged<EventStream>.fromOpaque(context).takeUnretainedValue()
      return unsafe stream.read(
        into: UnsafeMutableRawBufferPointer(start: buffer, count: limit))
    }, retained.toOpaque(),
    { unsafe $0.map { unsafe Unmanaged<EventStream>.fromOpaque($0).release() } })
}

/// Turns the connection into a WebSocket; its thread is that of the line from then on.
private func upgrade(
  _ connection: OpaquePointer, _ accepted: String, _ context: UnsafeMutableRawPointer
) -> MHD_Result {
  let made = unsafe MHD_create_response_for_upgrade(
    { context, _, _, early, earlyCount, descriptor, handle in
      guard let context = unsafe context, let handle = unsafe handle else { return }
      let host = unsafe Unmanaged<Host>.fromOpaque(context).takeUnretainedValue()
      let line = SocketLine(descriptor: descriptor)
      line.run(
        host, early: unsafe Array(UnsafeRawBufferPointer(start: early, count: earlyCount)))
      unsafe practice_close_upgraded(handle)
      line.ended.give()
    }, context)
  guard let made = unsafe made else { return .NO }
  unsafe MHD_add_response_header(made, "Upgrade", "websocket")
  unsafe MHD_add_response_header(made, "Sec-WebSocket-Accept", accepted)
  let result = unsafe MHD_queue_response(connection, 101, made)
  unsafe MHD_destroy_response(made)
  return result
}

private func whole(_ body: [UInt8]) -> OpaquePointer? {
  unsafe body.withUnsafeBytes { bytes in
    unsafe MHD_create_response_from_buffer(
      bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
  }
}

/// The front half of a body, for a response that breaks off.
private final class Half {
  let bytes: ArraySlice<UInt8>

  init(of body: [UInt8]) { bytes = body.prefix(max(1, body.count / 2)) }

  /// What libmicrohttpd calls MHD_CONTENT_READER_END_WITH_ERROR; Swift does not see the macro.
  static let endWithError = -2

  func copy(from position: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let piece = bytes.dropFirst(position).prefix(buffer.count)
    if piece.isEmpty { return Self.endWithError }
    unsafe buffer.copyBytes(from: piece)
    return piece.count
  }
}

/// Promises the whole body in its headers, and delivers half.
private func half(_ body: [UInt8]) -> OpaquePointer? {
  let context = unsafe Unmanaged.passRetained(Half(of: body))
  return unsafe MHD_create_response_from_callback(
    UInt64(body.count), 16 << 10,
    { context, position, buffer, limit in
      guard let context = unsafe context, let buffer = unsafe buffer else {
        return Half.endWithError
      }
      let half = unsafe Unmanaged<Half>.fromOpaque(context).takeUnretainedValue()
      return unsafe half.copy(
        from: Int(position), into: UnsafeMutableRawBufferPointer(start: buffer, count: limit))
    }, context.toOpaque(), { unsafe $0.map { unsafe Unmanaged<Half>.fromOpaque($0).release() } })
}

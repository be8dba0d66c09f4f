import Bytes

extension Client {
  /// Calls the REST API, with or without a WebSocket, and calls `completion` once with the result.
  /// The call is never repeated.
  @discardableResult
  public func send<R: RESTRequest>(
    _ request: R, _ completion: @escaping (Result<R.Response, RequestError>) -> Void
  ) -> RequestID {
    let call = HTTPCall(
      id: session.table.makeID(), method: request.method, target: Self.target(of: request),
      body: request.method == .get ? nil : request.body?.serialized())
    calls[call.id] = { result in
      switch result {
      case .success(let json): completion(Self.decode(json))
      case .failure(let error): completion(.failure(error))
      }
    }
    driver.send(call)
    return call.id
  }

  // MARK: Reports of the driver

  /// Reports the answer to a call, with its unchanged body. `mediaType` is the value of
  /// `Content-Type`; empty if there was none.
  public func httpAnswered(
    _ id: RequestID, status: Int, mediaType: Span<UInt8>, body: Span<UInt8>
  ) {
    guard let completion = calls.removeValue(forKey: id) else { return }
    guard (200..<300).contains(status) else {
      return completion(.failure(.http(status: status, body: Text(body))))
    }
    guard isJSON(mediaType) else { return completion(.success(.text(Text(body)))) }
    guard !body.isEmpty else { return completion(.success(.null)) }
    completion(Self.decode(body))
  }

  /// Reports that a call got no answer.
  public func httpFailed(_ id: RequestID, _ error: RequestError) {
    calls.removeValue(forKey: id)?(.failure(error))
  }

  // MARK: The target

  private static func target<R: RESTRequest>(of request: R) -> [UInt8] {
    var target = [UInt8]("/api/")
    appendPercentEncoded(request.path.bytes, keeping: UInt8(ascii: "/"), to: &target)
    for (index, item) in request.query.enumerated() {
      target.append(index == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&"))
      appendPercentEncoded(item.name.bytes, to: &target)
      target.append(UInt8(ascii: "="))
      appendPercentEncoded(item.value.bytes, to: &target)
    }
    return target
  }
}

/// Whether the type is `application/json` or `…+json`, with any parameters; a body without a type
/// counts as JSON.
private func isJSON(_ mediaType: Span<UInt8>) -> Bool {
  let end = mediaType.firstIndex(of: UInt8(ascii: ";")) ?? mediaType.count
  let type = mediaType.extracting(0..<end).trimmed()
  return mediaType.isEmpty || type.elementsEqualIgnoringCase("application/json")
    || type.extracting(last: 5).elementsEqualIgnoringCase("+json")
}

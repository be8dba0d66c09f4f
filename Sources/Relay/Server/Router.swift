import Bytes

/// Purpose of a request, decided from its line and headers alone, before its body is read.
enum Route: Equatable {
  case push
  case fetch(Digest)
  case health
  case metrics
  case wrong(Answer)

  /// - Parameters:
  ///   - method: such as `POST`.
  ///   - path: without a query.
  ///   - authorization: value of that header; nil without one.
  init(method: Text, path: Text, authorization: Text?) {
    switch (path, method) {
    case ("/push", "POST"): self = .push
    case ("/fetch", "POST"):
      guard let token = authorization.flatMap({ BoardToken(authorization: $0) }) else {
        self = .wrong(.mayNotFetch)
        return
      }
      self = .fetch(token.fetchDigest)
    case ("/healthz", "GET"), ("/healthz", "HEAD"): self = .health
    case ("/metrics", "GET"), ("/metrics", "HEAD"): self = .metrics
    case ("/push", _), ("/fetch", _), ("/healthz", _), ("/metrics", _):
      self = .wrong(.isNotAllowed)
    default: self = .wrong(.isNotThere)
    }
  }

  /// Makes the store's operation of a body. Throws the answer that says what is wrong with it.
  func operation(_ body: [UInt8]) throws(Answer) -> StoreOperation? {
    switch self {
    case .push:
      do {
        return .push(try PushRequest(body))
      } catch {
        switch error {
        case .isNoJSON: throw .isNoJSON
        case .hasNoToken: throw .hasNoToken
        case .hasNoMessage: throw .hasNoMessage
        }
      }
    case .fetch(let digest):
      guard let request = FetchRequest(body) else { throw .isNoQuestion }
      return .fetch(digest, request)
    case .wrong(let answer): throw answer
    case .health, .metrics: return nil
    }
  }
}

extension BoardToken {
  /// Reads `Bearer TOKEN`; returns nil if it is something else.
  fileprivate init?(authorization: Text) {
    let words = authorization.bytes.split(separator: UInt8(ascii: " "))
    guard words.count == 2, Array(words[0]).span.elementsEqualIgnoringCase("bearer") else {
      return nil
    }
    self.init(String(decoding: words[1], as: UTF8.self))
  }
}

import Bytes

/// Purpose of a request, decided from its line and headers alone: before its body is read, and
/// again once it is there.
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
  init(method: String, path: String, authorization: String?) {
    switch (path, method) {
    case ("/push", "POST"): self = .push
    case ("/fetch", "POST"):
      let words = authorization?.split(separator: " ") ?? []
      guard words.count == 2, words[0].lowercased() == "bearer",
        let token = BoardToken(String(words[1]))
      else {
        self = .wrong(Answer(.unknown))
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

  /// Makes the store's operation of a body; the failure is an answer that needs no store.
  func operation(_ body: [UInt8]) -> Result<StoreOperation, Refusal> {
    switch self {
    case .push:
      do {
        return .success(.push(try PushRequest(body)))
      } catch {
        switch error {
        case .isNoJSON: return .failure(Refusal(.isNoJSON))
        case .hasNoToken: return .failure(Refusal(.hasNoToken))
        case .hasNoMessage: return .failure(Refusal(.hasNoMessage))
        }
      }
    case .fetch(let digest):
      guard let request = FetchRequest(body) else { return .failure(Refusal(.isNoQuestion)) }
      return .success(.fetch(digest, request))
    case .health: return .failure(Refusal(.isWell))
    case .metrics: return .failure(Refusal(.isNotThere))
    case .wrong(let answer): return .failure(Refusal(answer))
    }
  }
}

/// An answer that needs no store.
struct Refusal: Error, Equatable {
  let answer: Answer
  init(_ answer: Answer) { self.answer = answer }
}

import Board
import Bytes
import HomeAssistant
import LinuxIO
import Transport

/// Client for the WebSocket and the REST API of Home Assistant that waits for each answer.
final class BlockingClient {
  /// Maximum time for one answer, connecting included.
  static let timeout: Duration = .seconds(20)

  private let loop: EventLoop
  private let driver: NetworkDriver
  private let client: Client

  init(
    at url: [UInt8], with tokens: AccessTokens, settings: TransportSettings, loop: EventLoop
  ) throws(CommandFailure) {
    guard
      let driver = NetworkDriver(
        address: url, tokens: tokens, settings: settings, loop: loop, userAgent: homewardUserAgent)
    else { throw CommandFailure(code: .osError, text: "libcurl does not start") }
    self.loop = loop
    self.driver = driver
    client = driver.makeClient(seed: randomSeed())
  }

  /// Whether the credential must never be sent again.
  var isCredentialRejected: Bool { driver.isCredentialRejected }

  func ask<R: Request>(
    _ request: R
  ) throws(CommandFailure) -> Result<R.Response, RequestError> {
    try wait { client.send(request, $0) }
  }

  func call<R: RESTRequest>(
    _ request: R
  ) throws(CommandFailure) -> Result<R.Response, RequestError> {
    try wait { client.send(request, $0) }
  }

  func end() { client.disconnect() }

  private func wait<Response>(
    _ send: (@escaping (Result<Response, RequestError>) -> Void) -> RequestID
  ) throws(CommandFailure) -> Result<Response, RequestError> {
    let answer = Answer<Response>()
    let id = send { answer.result = $0 }
    let end = Moment.now.instant + Self.timeout
    while true {
      if let result = answer.result { return result }
      guard Moment.now.instant < end else { break }
      try loop.wait(until: earliest(driver.deadline, end))
      driver.deadlineReached(now: Moment.now.instant)
    }
    client.cancel(id)
    return .failure(.expired)
  }

  private final class Answer<Response> {
    var result: Result<Response, RequestError>?
  }
}

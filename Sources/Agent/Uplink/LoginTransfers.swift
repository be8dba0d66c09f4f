import Board
import Bytes
import HomeAssistant
import LinuxIO
import Transport

/// The owner of requests that contain a token.
protocol LoginTransfersOwner: AnyObject {
  /// Handles the end of a request; `LoginTransfers.readResponse` reads the answer.
  func loginEnded(_ result: TransferResult)
}

/// The requests that contain a token: the registration, and renewals of access tokens. Their
/// contents are wiped as soon as they end.
final class LoginTransfers {
  private static let requestByteCountMax = 16 * 1024

  private let settings: Configuration.HomeAssistantSettings
  private let loop: EventLoop
  /// Created with the first request; most runs have none.
  private var http: HTTPClient?
  private unowned(unsafe) var owner: (any LoginTransfersOwner)?

  init(settings: Configuration.HomeAssistantSettings, loop: EventLoop) {
    self.settings = settings
    self.loop = loop
  }

  var deadline: Instant? { http?.deadline }

  func deadlineReached(now: Instant) { http?.deadlineReached(now: now) }

  func cancel() {
    http?.cancel()
    http?.request.wipe()
  }

  /// Passes the answer to `read`, and then wipes it.
  func readResponse(_ read: (AnswerHead, borrowing ByteBuffer) -> Void) {
    guard let http else { return }
    read(http.answerHead, http.response)
    http.response.wipe()
  }

  func register(
    with token: [UInt8], telling owner: any LoginTransfersOwner,
    _ writeBody: (inout ByteBuffer) -> Void
  ) {
    let path = [UInt8](RegistrationRequest.path)
    send(to: Endpoint(address: settings.url, path: path, bearerToken: token), owner, writeBody)
  }

  func send(_ call: AuthCall, telling owner: any LoginTransfersOwner) {
    send(to: Endpoint(address: settings.url, call), owner) {
      $0.removeAll()
      $0.append(call.body)
    }
  }

  private func send(
    to endpoint: Endpoint, _ owner: any LoginTransfersOwner,
    _ writeBody: (inout ByteBuffer) -> Void
  ) {
    if http == nil {
      http = HTTPClient(
        loop: loop, settings: settings.tls, requestByteCountMax: Self.requestByteCountMax,
        userAgent: homewardUserAgent)
    }
    guard let http else {
      return owner.loginEnded(.failed(InlineText("libcurl cannot start")))
    }
    unsafe self.owner = owner
    writeBody(&http.request)
    http.send(to: endpoint, telling: self)
  }
}

extension LoginTransfers: TransferOwner {
  func transferEnded(_ result: TransferResult) {
    http?.request.wipe()
    unsafe owner?.loginEnded(result)
  }
}

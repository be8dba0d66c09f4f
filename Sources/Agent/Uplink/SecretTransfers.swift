import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox
import Transport

/// The owner of requests that contain a secret.
protocol SecretTransfersOwner: AnyObject {
  /// Handles the end of a request; `SecretTransfers.readResponse` reads the answer.
  func secretTransferEnded(_ result: TransferResult, of channel: Uplink.Channel)
}

/// Requests that contain a token or bring secrets: those of a login, and those to a push relay.
/// Their contents are wiped as soon as they end.
final class SecretTransfers {
  private let channel: Uplink.Channel
  private let settings: TransportSettings
  private let loop: EventLoop
  private let requestByteCountMax: Int
  private let responseByteCountMax: Int
  /// Created with the first request; most runs have none.
  private var http: HTTPClient?
  private unowned(unsafe) var owner: (any SecretTransfersOwner)?

  init(
    _ channel: Uplink.Channel, settings: TransportSettings, loop: EventLoop,
    requestByteCountMax: Int, responseByteCountMax: Int = HTTPClient.responseByteCountMax
  ) {
    self.channel = channel
    self.settings = settings
    self.loop = loop
    self.requestByteCountMax = requestByteCountMax
    self.responseByteCountMax = responseByteCountMax
  }

  var deadline: Instant? { http?.deadline }

  func deadlineReached(now: Instant) { http?.deadlineReached(now: now) }

  func cancel() {
    http?.cancel()
    http?.request.wipe()
  }

  func leaveConnection() { http?.leaveConnection() }

  /// Passes the answer to `read`, and then wipes it.
  func readResponse(_ read: (AnswerHead, inout ByteBuffer) -> Void) {
    guard let http else { return }
    var head = http.answerHead
    head.time = http.serverTime
    read(head, &http.response)
    http.response.wipe()
  }

  func send(
    to endpoint: Endpoint, telling owner: any SecretTransfersOwner,
    _ writeBody: (inout ByteBuffer) -> Void
  ) {
    if http == nil {
      http = HTTPClient(
        loop: loop, settings: settings, requestByteCountMax: requestByteCountMax,
        responseByteCountMax: responseByteCountMax, userAgent: homewardUserAgent)
    }
    guard let http else {
      return owner.secretTransferEnded(.failed(InlineText("libcurl cannot start")), of: channel)
    }
    unsafe self.owner = owner
    writeBody(&http.request)
    http.send(to: endpoint, telling: self)
  }
}

extension SecretTransfers: TransferOwner {
  func transferEnded(_ result: TransferResult) {
    http?.request.wipe()
    unsafe owner?.secretTransferEnded(result, of: channel)
  }
}

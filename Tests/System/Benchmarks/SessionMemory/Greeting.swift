import Bytes
import HomeAssistant
import LinuxIO
import Transport

/// One call to Home Assistant's REST API, whose connection stays open.
final class Greeting {
  private let http: HTTPClient
  private(set) var isDone = false
  private(set) var hasSucceeded = false

  init?(from address: [UInt8], token: [UInt8], userAgent: [UInt8], loop: EventLoop) {
    guard let http = HTTPClient(loop: loop, requestByteCountMax: 1, userAgent: userAgent) else {
      return nil
    }
    self.http = http
    let endpoint = Endpoint(
      address: address, path: [UInt8]("/api/"), method: .get, bearerToken: token)
    http.send(to: endpoint, telling: self)
  }

  var deadline: Instant? { http.deadline }
  func deadlineReached(now: Instant) { http.deadlineReached(now: now) }
}

extension Greeting: TransferOwner {
  func transferEnded(_ result: TransferResult) {
    isDone = true
    hasSucceeded = result == .answered(status: 200)
  }
}

extension Home {
  /// A message to a webhook that came as a command. The command succeeds whatever the webhook
  /// answers; the answer is in the result.
  mutating func handleWebhook(_ call: Call) {
    let request = Request(
      method: call.text("method"), path: Self.webhookPrefix,
      body: Array(call.text("body").utf8))
    let response =
      fault?.replacement?.response()
      ?? webhook(call.text("webhook_id"), request, now: call.now)
    if let fault, fault.replacement != nil {
      refuse(.fault(fault), status: response.status, at: call.now)
    }
    // The character set is not told here.
    let type = response.contentType?.prefix { $0 != ";" }
    let body = String(decoding: response.body, as: UTF8.self)
    succeed(
      call,
      [
        "body": response.body.isEmpty ? .null : .string(body),
        "status": .integer(Int128(response.status)),
        "headers": ["Content-Type": .string(type.map(String.init) ?? "application/octet-stream")],
      ])
  }
}

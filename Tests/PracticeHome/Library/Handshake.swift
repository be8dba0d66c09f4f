/// The request that turns a connection into a WebSocket (RFC 6455, section 4).
enum Handshake {
  private static let version = "13"
  private static let salt = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
  private static let keyByteCount = 16

  /// What the answer says to prove that it was understood, or in which words it is refused.
  static func accept(_ request: Request) throws(Refusal) -> String {
    let upgrade = request.header("Upgrade")
    guard upgrade?.trimmed.lowercased() == "websocket" else {
      throw .handshake(
        "No WebSocket UPGRADE hdr: \(upgrade ?? "None")\n Can \"Upgrade\" only to \"WebSocket\".")
    }
    let connection = request.header("Connection")
    let options = (connection ?? "").lowercased().split(separator: ",")
    guard options.contains(where: { String($0).trimmed == "upgrade" }) else {
      throw .handshake("No CONNECTION upgrade hdr: \(connection ?? "None")")
    }
    let asked = request.header("Sec-WebSocket-Version") ?? ""
    guard asked == version else { throw .handshake("Unsupported version: \(asked)") }
    let key = request.header("Sec-WebSocket-Key")
    guard let key, Base64.decode(key)?.count == keyByteCount else {
      throw .handshake("Handshake error: \(key.map { "'\($0)'" } ?? "None")")
    }
    return Base64.encode(SHA1.hash(Array((key + salt).utf8)))
  }
}

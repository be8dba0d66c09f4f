/// An address of the web, as far as logging in looks at it.
struct Address {
  private var scheme: String
  private var authority: String
  private var path: String
  private var hasFragment: Bool

  init?(_ text: String) {
    guard let range = text.firstRange(of: "://") else { return nil }
    scheme = text[..<range.lowerBound].lowercased()
    let rest = text[range.upperBound...]
    authority = rest.prefix { !"/?#".contains($0) }.lowercased()
    path = String(rest.dropFirst(authority.count).prefix { !"?#".contains($0) })
    hasFragment = text.split(separator: "#", maxSplits: 1).count == 2
  }

  /// Whether this may name a client: http or https, no user, no fragment, no dots in the path, and
  /// a host that is a name or on a private network.
  var isClientID: Bool {
    guard ["http", "https"].contains(scheme), !hasFragment, !authority.contains("@") else {
      return false
    }
    if path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) { return false }
    let host = authority.prefix { $0 != ":" }
    let port = authority.dropFirst(host.count + 1)
    if authority.hasPrefix("[") { return authority.hasPrefix("[::1]") }
    guard !host.isEmpty, port.isEmpty || UInt16(port) != nil else { return false }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    guard parts.count == 4, !parts.contains(nil) else { return true }
    switch (parts[0] ?? 0, parts[1] ?? 0) {
    case (10, _), (127, _), (192, 168), (172, 16...31), (169, 254): return true
    default: return false
    }
  }

  /// Whether an answer may be sent there on behalf of a client of this address.
  func covers(_ redirect: Address) -> Bool {
    scheme == redirect.scheme && authority == redirect.authority
  }
}

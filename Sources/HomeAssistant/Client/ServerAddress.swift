import Bytes

/// Returns the address of a Home Assistant for appending paths: without trailing slashes, and
/// without a trailing `/api` or `/api/websocket`, which people copy along.
///
/// - Parameter url: address as a person wrote it.
/// - Returns: address to which paths such as `/api/websocket` are appended.
public func serverAddress(_ url: [UInt8]) -> [UInt8] {
  var address = withoutTrailingSlashes(url)
  for path in [[UInt8]("/api/websocket"), [UInt8]("/api")] {
    let start = address.count - path.count
    // `http://api` is a host.
    guard start > 0, address[start - 1] != UInt8(ascii: "/"), address[start...].elementsEqual(path)
    else { continue }
    address.removeLast(path.count)
    break
  }
  return withoutTrailingSlashes(address)
}

private func withoutTrailingSlashes(_ url: [UInt8]) -> [UInt8] {
  let end = url.lastIndex { $0 != UInt8(ascii: "/") }
  return end.map { [UInt8](url[...$0]) } ?? []
}

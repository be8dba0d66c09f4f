import Bytes

/// The address of a Home Assistant as paths are appended to it: without slashes at its end, and
/// without `/api` or `/api/websocket` there, which people copy along.
///
/// - Parameter url: as a person wrote it.
/// - Returns: what paths such as `/api/websocket` are appended to.
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

import Board
import Bytes

/// What people forget and what they copy along, in the address of a server: a port, a page.
///
/// Returns what it should be, in a sentence that follows on a semicolon; nil where the address
/// looks right.
func addressAdvice(_ url: [UInt8]) -> MessageText? {
  guard let colon = url.firstIndex(of: UInt8(ascii: ":")) else { return nil }
  let start = colon + 3  // Behind "://".
  guard start < url.count else { return nil }
  if let end = endBeforePage(url) {
    return "an address ends before the page: \(bytes: [UInt8](url[..<end]))"
  }
  let host = url[(url.lastIndex(of: UInt8(ascii: "]")) ?? start)...]
  guard !host.contains(UInt8(ascii: ":")) else { return nil }
  return "Home Assistant listens at port 8123, unless it was changed: \(bytes: url):8123"
}

/// Where the address of a server ends in one with a page behind it; nil where there is none.
func endBeforePage(_ url: [UInt8]) -> Int? {
  guard let colon = url.firstIndex(of: UInt8(ascii: ":")) else { return nil }
  return url.dropFirst(colon + 3).firstIndex(of: UInt8(ascii: "/"))
}

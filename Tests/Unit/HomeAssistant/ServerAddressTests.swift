import HomeAssistant
import Testing

@Suite struct ServerAddressTests {
  @Test(arguments: [
    ("http://ha:8123", "http://ha:8123"), ("http://ha:8123/", "http://ha:8123"),
    ("http://ha:8123///", "http://ha:8123"), ("https://ha/api", "https://ha"),
    ("https://ha/api/", "https://ha"), ("https://ha/api/websocket", "https://ha"),
    ("https://ha/api/websocket/", "https://ha"), ("https://ha/home/api", "https://ha/home"),
    ("http://api", "http://api"), ("http://ha/myapi", "http://ha/myapi"),
    ("http://ha/websocket", "http://ha/websocket"), ("", ""), ("/", ""),
  ])
  func whatPeopleCopyAlongIsLeftOut(url: String, address: String) {
    #expect(String(decoding: serverAddress([UInt8](url.utf8)), as: UTF8.self) == address)
  }
}

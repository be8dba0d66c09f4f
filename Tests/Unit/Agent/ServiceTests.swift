import Foundation
import LinuxIO
import TestRun
import Testing

@testable import Tools

/// Where `pair` may start the agent as a service of systemd.
@Suite struct ServiceTests {
  private static let needed = [
    "run/systemd/system", "usr/lib/systemd/system/homeward.service", "etc/homeward/homeward.yaml",
  ]

  /// Whether it starts for `user` on a board with these files.
  private func canStart(as user: uid_t = 0, with names: [String]) throws -> Bool {
    let root = TestRun.newPlace()
    defer { try? FileManager.default.removeItem(at: root) }
    for name in names {
      try FileManager.default.createDirectory(
        at: root.appending(path: name), withIntermediateDirectories: true)
    }
    return Service.canStart(as: user, below: Path([UInt8](root.path.utf8)))
  }

  @Test func rootStartsAServiceThatIsThereWithAllThatItNeeds() throws {
    #expect(try canStart(with: Self.needed))
    #expect(try !canStart(as: 1000, with: Self.needed), "systemctl would ask for a password")
  }

  @Test(arguments: needed)
  func whereAPartIsMissingNoServiceIsStarted(name: String) throws {
    #expect(try !canStart(with: Self.needed.filter { $0 != name }))
  }
}

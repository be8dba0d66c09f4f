import Bytes
import Foundation
import LinuxIO

@testable import Board
@testable import HomeAssistant
@testable import Tools

/// The card of a board and the root of its system, for one test.
final class FlashedCard: TestFolder {
  static let arguments = "console=tty1 root=LABEL=root rw rootwait\n"
  /// The part of the file that an agent needs.
  static let home = "home_assistant: { url: http://homeassistant.local:8123 }\n"
  static let token = "eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJhYmMifQ.s3cr3t"

  let state = "root/var/lib/homeward"

  init(_ file: String? = nil) throws {
    super.init()
    try makeFolder("root/root")
    try write("", to: "root/etc/systemd/system/homeward-seal.service")
    try write(Self.arguments, to: "card/cmdline.txt")
    if let file { try write(file, to: "card/homeward.yaml") }
  }

  /// A card whose section `card` has these lines, indented by two spaces.
  convenience init(card lines: String...) throws {
    try self.init(Self.file(lines))
  }

  static func file(_ lines: [String]) -> String {
    "card:\n" + lines.map { "  \($0)\n" }.joined() + home
  }

  var provisioner: Provisioner {
    Provisioner(card: path("card"), root: path("root"))
  }

  @discardableResult
  func provision() throws -> (code: ExitCode, lines: [String]) {
    let report = try provisioner.provision()
    let text = String(decoding: report.text, as: UTF8.self)
    return (report.code, text.split(separator: "\n").map(String.init))
  }

  /// Why the root is not sealed; nil if it is.
  func refusalToSeal() -> CommandFailure? {
    do throws(CommandFailure) {
      try provisioner.seal()
      return nil
    } catch {
      return error
    }
  }

  /// Keeps what an agent keeps that has registered.
  func pair() throws {
    try makeFolder(state)
    let registration = Registration(webhookID: Array("abc".utf8), protection: .plain)
    if let registration { try StateDirectory(path(state)).write(registration) }
  }

  /// Makes the root that of a start with a read-only one.
  func seal() throws {
    try write("root=LABEL=root ro overlayroot=tmpfs:recurse=0\n", to: "root/proc/cmdline")
  }

  // MARK: Files

  var arguments: String? { text(of: "card/cmdline.txt") }

  /// The profile of a network, without empty lines.
  func profile(_ number: Int = 1) -> [String]? {
    text(of: "root/etc/NetworkManager/system-connections/homeward-wifi-\(number).nmconnection")?
      .split(separator: "\n").map(String.init)
  }

  /// Which file and folder stands where, and when it was changed: writing changes one of both.
  func versions() throws -> [String: String] {
    var versions: [String: String] = [:]
    let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    for name in names ?? [] {
      let attributes = try FileManager.default.attributesOfItem(atPath: url(name).path)
      let date = attributes[.modificationDate] as? Date
      versions[name] =
        "\(attributes[.systemFileNumber] ?? 0) \(date?.timeIntervalSinceReferenceDate ?? 0)"
    }
    return versions
  }
}

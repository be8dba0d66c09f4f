public import Foundation
import FoundationNetworking

/// `homeward-relay serve` as a process, until it is ended.
public final class RelayProgram {
  public struct Silent: Error {
    public let said: String
  }

  private let binary: URL
  private let store: String
  private let process: ChildProcess
  /// Its address, such as `http://127.0.0.1:40123`.
  public let url: String

  /// Starts it with a store in `folder`, at a free port.
  public init(_ binary: URL, in folder: URL, options: [String] = []) throws {
    self.binary = binary
    store = folder.appending(path: "relay.sqlite").path
    let output = Pipe()
    process = try ChildProcess(
      binary.path, ["serve", "--store", store, "--listen", "127.0.0.1:0"] + options,
      output: .pipe(output))
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let address = line.split(whereSeparator: \.isWhitespace).last, address.contains(":")
    else {
      throw Silent(said: line)
    }
    url = "http://\(address)"
  }

  deinit { process.terminate() }

  /// Ends it. What calls this keeps it alive until then.
  public func end() {
    process.terminate()
    _ = process.waitUntilEnd()
  }

  /// Runs `token` with these words; returns the secrets that it prints, by their names.
  public func token(_ words: String...) throws -> [String: String] {
    let output = Pipe()
    let command = try ChildProcess(
      binary.path, ["token"] + words + ["--store", store], output: .pipe(output))
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    _ = command.waitUntilEnd()
    var secrets: [String: String] = [:]
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      if words.count == 2 { secrets[words[0]] = words[1] }
    }
    return secrets
  }

  /// Adds a board, and returns its token.
  public func add(_ name: String) throws -> String {
    let secrets = try token("add", name, "--url", url)
    guard let token = secrets["token"] else { throw Silent(said: "\(secrets.keys)") }
    return token
  }

  /// Posts a notification as Home Assistant does. Returns the status.
  public func push(_ json: String, with pushToken: String) async throws -> Int? {
    guard let address = URL(string: "\(url)/push") else { return nil }
    var request = URLRequest(url: address)
    request.httpMethod = "POST"
    request.httpBody = Data(#"{"push_token":"\#(pushToken)",\#(json)}"#.utf8)
    let (_, response) = try await URLSession.shared.data(for: request)
    return (response as? HTTPURLResponse)?.statusCode
  }
}

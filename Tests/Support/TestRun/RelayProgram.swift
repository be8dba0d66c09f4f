public import Foundation
import FoundationNetworking

/// `homeward-relay serve` as a process, until it is ended.
public final class RelayProgram {
  public struct Silent: Error {
    public let said: String
  }

  private let binary: URL
  /// File of the store.
  public let store: String
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
    process.send(signal: SIGCONT)
    _ = process.waitUntilEnd()
  }

  /// Stops it, so that it neither answers nor closes a connection, until `end`.
  public func hang() { process.send(signal: SIGSTOP) }

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
    try await post("/push", #"{"push_token":"\#(pushToken)",\#(json)}"#)?.status
  }

  /// Asks what waits, as a board whose key is public, so that the relay has one. Returns the
  /// answer.
  @discardableResult
  public func fetch(with token: String) async throws -> String? {
    let key = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
    return try await post(
      "/fetch", #"{"acknowledged":0,"public_key":"\#(key)"}"#, token: token)?.text
  }

  private func post(
    _ path: String, _ body: String, token: String? = nil
  ) async throws -> (status: Int, text: String)? {
    guard let address = URL(string: url + path) else { return nil }
    var request = URLRequest(url: address)
    request.httpMethod = "POST"
    request.httpBody = Data(body.utf8)
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    let (data, response) = try await URLSession.shared.data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode
    return status.map { ($0, String(decoding: data, as: UTF8.self)) }
  }
}

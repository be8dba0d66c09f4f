import Foundation
import TestRun
import Testing

@testable import Relay

/// Stores of which the same is expected.
enum StoreKind: CaseIterable {
  case file, server
}

/// Where a store has what it keeps, in the folder of this run.
final class StorePlace {
  let kind: StoreKind
  private let folder: URL
  private(set) var server: RedisServer?

  convenience init(_ kind: StoreKind) throws {
    let folder = TestRun.newPlace()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try self.init(kind, in: folder)
  }

  private init(_ kind: StoreKind, in folder: URL) throws {
    self.kind = kind
    self.folder = folder
    if kind == .server { server = try RedisServer(in: folder) }
  }

  var path: String { folder.appending(path: "relay.sqlite").path }

  func store(_ change: (inout Limits) -> Void = { _ in }) throws -> any Store {
    var limits = Limits()
    change(&limits)
    return switch kind {
    case .file: try SQLiteStore(path, limits: limits)
    case .server: try #require(server).store(limits)
    }
  }

  /// Ends what keeps the store, as the end of its power does.
  func endHard() throws { server?.kill() }

  /// Starts what `endHard` ended.
  func begin() throws { try server?.begin() }

  /// Copies what is kept to another place.
  func backup() throws -> StorePlace {
    let place = TestRun.newPlace()
    try endHard()
    try? FileManager.default.removeItem(at: folder.appending(path: "socket"))
    try FileManager.default.copyItem(at: folder, to: place)
    try begin()
    return try StorePlace(kind, in: place)
  }

  /// Content of all files.
  func content() throws -> [Data] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return names.compactMap { try? Data(contentsOf: folder.appending(path: $0)) }
  }
}

/// A server of Redis or Valkey, on a socket in a folder.
final class RedisServer {
  /// Settings with which nothing that is accepted is lost.
  static let settings = ["--appendonly", "yes", "--appendfsync", "always"]

  private let folder: URL
  private let settings: [String]
  private var process: ChildProcess?

  init(in folder: URL = TestRun.newPlace(), settings: [String] = settings) throws {
    self.folder = folder
    self.settings = settings
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try begin()
  }

  deinit { kill() }

  var socket: String { folder.appending(path: "socket").path }

  func address(_ change: (inout RedisAddress) -> Void = { _ in }) throws -> RedisAddress {
    var address = try #require(RedisAddress(Array("redis+unix://\(socket)".utf8)))
    change(&address)
    return address
  }

  /// A store that takes every time: the tests have a time of their own.
  func store(
    _ limits: Limits = Limits(), _ change: (inout Clocks) -> Void = { _ in }
  ) throws -> RedisStore {
    var (limits, clocks) = (limits, Clocks.kernel)
    limits.clockDifferenceMax = .seconds(100 * 365 * 86_400)
    change(&clocks)
    return try RedisStore(address(), limits: limits, clocks: clocks)
  }

  func connect() throws -> RedisConnection {
    try RedisConnection(address(), monotonic: Clocks.kernel.monotonic)
  }

  /// Sends a command, and returns the reply.
  @discardableResult
  func send(_ words: String...) throws -> RedisReply {
    let connection = try connect()
    connection.add(words.map { Array($0.utf8) })
    return try #require(try connection.replies().first)
  }

  func begin() throws {
    let program = try Self.program()
    try? FileManager.default.removeItem(atPath: socket)
    process = try ChildProcess(
      program.path,
      ["--port", "0", "--unixsocket", socket, "--dir", folder.path, "--save", ""] + settings,
      output: .nothing)
    let end = Date(timeIntervalSinceNow: 30)
    while !isReady() {
      try #require(process?.isRunning == true && Date.now < end, "the server does not begin")
      usleep(5000)
    }
  }

  /// Whether it answers; a password or a missing right is an answer.
  private func isReady() -> Bool {
    guard let reply = try? send("PING") else { return false }
    guard case .error(let words) = reply else { return true }
    return !words.starts(with: utf8("LOADING"))
  }

  func kill() {
    process?.send(signal: SIGKILL)
    process?.waitUntilEnd()
    process = nil
  }

  /// The server's program. Debian's packages of the tools have it under the name of a check, which
  /// is the same program; those of the server would start a service.
  private static func program() throws -> URL {
    for name in ["valkey", "redis"] {
      let found = URL(filePath: "/usr/bin/\(name)-check-rdb")
      guard FileManager.default.isExecutableFile(atPath: found.path) else { continue }
      let program = TestRun.folder.appending(path: "\(name)-server")
      try? FileManager.default.createSymbolicLink(at: program, withDestinationURL: found)
      return program
    }
    throw NoServer()
  }

  struct NoServer: Error, CustomStringConvertible {
    let description = "neither valkey-tools nor redis-tools is installed (deploy/lib/needs.sh)"
  }
}

extension BoardToken {
  /// A notification as Home Assistant sends it for the board of this token.
  func push(_ words: String = "m") throws -> StoreOperation {
    .push(try PushRequest(Array(#"{"message":"\#(words)","push_token":"\#(pushToken)"}"#.utf8)))
  }

  /// The question of the board of this token for what comes after a number.
  func fetch(after number: Int64, key: KeyPair) throws -> StoreOperation {
    let body = #"{"acknowledged":\#(number),"public_key":"\#(key.base64)"}"#
    return .fetch(fetchDigest, try #require(FetchRequest(Array(body.utf8))))
  }
}

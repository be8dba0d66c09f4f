import Bytes
import CHiredis

/// A connection to a server that keeps what it has accepted: that was checked, and it has the
/// scripts.
final class RedisSession {
  /// Version of what `RedisStore` keeps.
  static let version: Int64 = 1

  private let connection: RedisConnection
  private let address: RedisAddress
  /// Names that the server gave the scripts.
  private var names: [[UInt8]] = []
  /// The server's name for its process.
  private(set) var runIdentifier: [UInt8] = []

  init(
    _ address: RedisAddress, _ clocks: Clocks, differenceMax: Duration
  ) throws(StoreFailure) {
    self.address = address
    connection = try RedisConnection(address, monotonic: clocks.monotonic)
    try logIn()
    try checkSettings()
    try check(clocks.wall, differenceMax)
    try readRunIdentifier()
    try loadScripts()
    try checkVersion()
  }

  var isOpen: Bool { connection.isOpen }

  /// Adds a command to the next `replies`.
  func add(_ command: StaticString, _ words: [UInt8]...) {
    connection.add([utf8(command)] + words)
  }

  /// Adds a script to the next `replies`.
  func add(_ script: RedisScript, keys: [[UInt8]], _ words: [[UInt8]]) {
    connection.add(
      [utf8("EVALSHA"), names[script.rawValue], digits(Int64(keys.count))] + keys + words)
  }

  /// Sends what was added; returns a reply for each, also if the server refused some.
  func replies() throws(StoreFailure) -> [RedisReply] { try connection.replies() }

  /// Sends what was added, of which the server may refuse nothing.
  func answers() throws(StoreFailure) -> [RedisReply] {
    let replies = try connection.replies()
    for case .error(let words) in replies { throw refusal(words) }
    return replies
  }

  /// Performs one script alone.
  func run(
    _ script: RedisScript, keys: [[UInt8]], _ words: [[UInt8]]
  ) throws(StoreFailure) -> RedisReply {
    add(script, keys: keys, words)
    var replies = try connection.replies()
    if let first = replies.first, first.isNoScript {
      try loadScripts()
      add(script, keys: keys, words)
      replies = try connection.replies()
    }
    guard let reply = replies.first else { throw strange() }
    if case .error(let words) = reply { throw refusal(words) }
    return reply
  }

  // MARK: Start

  private func logIn() throws(StoreFailure) {
    if let credentials = address.credentials {
      if credentials.user.isEmpty {
        add("AUTH", credentials.password)
      } else {
        add("AUTH", credentials.user, credentials.password)
      }
    }
    if address.database > 0 { add("SELECT", digits(Int64(address.database))) }
    add("PING")
    _ = try answers()
  }

  /// Settings without which the server may lose what it has accepted when the power goes, or when
  /// it has no memory.
  private static let settings: [(name: StaticString, value: StaticString)] = [
    ("appendonly", "yes"), ("appendfsync", "always"), ("no-appendfsync-on-rewrite", "no"),
    ("maxmemory-policy", "noeviction"),
  ]

  private func checkSettings() throws(StoreFailure) {
    for setting in Self.settings { add("CONFIG", utf8("GET"), utf8(setting.name)) }
    var wrong = ""
    for (setting, reply) in try zip(Self.settings, replies()) {
      if case .error(let words) = reply {
        throw cannotCheck("how it keeps data", words, "CONFIG GET (ACL: +config|get)")
      }
      guard case .list(let pair) = reply, pair.count == 2, case .bytes(let value) = pair[1]
      else { throw strange() }
      if value == utf8(setting.value) { continue }
      wrong += (wrong.utf8.isEmpty ? "" : ", ") + "\(setting.name) \(setting.value)"
    }
    guard wrong.utf8.isEmpty else {
      throw StoreFailure(
        code: 0, message: "\(address.text) would lose notifications that it has accepted",
        remedy: "set in its configuration: \(wrong)")
    }
  }

  private func cannotCheck(_ what: String, _ words: [UInt8], _ right: String) -> StoreFailure {
    StoreFailure(
      code: 0, message: "\(address.text) does not say \(what): \(shown(words))",
      remedy: "allow this user \(right)")
  }

  /// Checks that the clocks of this machine and of the server are near each other.
  func check(
    _ wall: @Sendable () -> WallTime, _ differenceMax: Duration
  ) throws(StoreFailure) {
    add("TIME")
    guard case .list(let parts) = try answers().first, case .bytes(let text) = parts.first,
      let seconds = decimal(text)
    else { throw strange() }
    let difference = wall() - WallTime(seconds: seconds)
    guard difference <= differenceMax, difference >= .zero - differenceMax else {
      throw clocksDiffer()
    }
  }

  private func readRunIdentifier() throws(StoreFailure) {
    let name = utf8("run_id:")
    add("INFO", utf8("server"))
    let reply = try replies().first
    if case .error(let words) = reply {
      throw cannotCheck("since when it runs", words, "INFO (ACL: +info)")
    }
    guard case .bytes(let text) = reply,
      let line = text.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D })
        .first(where: { $0.starts(with: name) })
    else { throw strange() }
    runIdentifier = Array(line.dropFirst(name.count))
  }

  /// Loads the scripts; a server that was restarted has none.
  func loadScripts() throws(StoreFailure) {
    for script in RedisScript.allCases { add("SCRIPT", utf8("LOAD"), utf8(script.text)) }
    var names: [[UInt8]] = []
    for reply in try answers() {
      guard case .bytes(let name) = reply else { throw strange() }
      names.append(name)
    }
    self.names = names
  }

  private func checkVersion() throws(StoreFailure) {
    add("SET", utf8("homeward:version"), digits(Self.version), utf8("NX"))
    add("GET", utf8("homeward:version"))
    guard case .bytes(let text) = try answers().last, let found = decimal(text) else {
      throw strange()
    }
    guard found <= Self.version else {
      throw StoreFailure(
        code: 0, message: "the store is of a newer version",
        remedy: "install that version of homeward-relay")
    }
  }

  // MARK: Failures

  func clocksDiffer() -> StoreFailure {
    StoreFailure(
      code: 0, message: "the clocks of this machine and of \(address.text) differ",
      remedy: "have both set by the network")
  }

  /// A reply of another form than the command has.
  func strange() -> StoreFailure {
    StoreFailure(
      code: 0, message: "\(address.text) answers something else than was asked",
      remedy: "it has to be a server of Redis 7 or Valkey, with a database for this store alone")
  }

  func refusal(_ words: [UInt8]) -> StoreFailure {
    let remedies: [(StaticString, String)] = [
      ("NOAUTH", "name the file of its password (--store-password-file)"),
      ("WRONGPASS", "name the file of its password (--store-password-file)"),
      ("NOPERM", "allow this user the commands of the store"),
      ("OOM", "give the server more memory"),
      ("MISCONF", "look at the server's disk"),
      ("READONLY", "name the primary server, not a replica"),
      ("LOADING", "it reads its file; try again"),
      ("MOVED", "name a server that is not part of a cluster"),
    ]
    let remedy = remedies.first { words.starts(with: utf8($0.0)) }
    return StoreFailure(
      code: 0, message: "\(address.text): \(shown(words))", remedy: remedy?.1 ?? "")
  }

  /// Words of a server as a terminal may have them.
  private func shown(_ words: [UInt8]) -> String {
    let shown = words.prefix(200).map { (0x20..<0x7F).contains($0) ? $0 : UInt8(ascii: "?") }
    return String(decoding: shown, as: UTF8.self)
  }
}

extension RedisReply {
  /// Whether the server has lost the scripts.
  var isNoScript: Bool {
    guard case .error(let words) = self else { return false }
    return words.starts(with: utf8("NOSCRIPT"))
  }
}

func utf8(_ text: StaticString) -> [UInt8] { [UInt8](text) }

/// A number as a command has it.
func digits(_ number: Int64) -> [UInt8] { Array("\(number)".utf8) }

import Bytes
import CHTTPServer
import CLinux

/// `homeward-relay status`: whether the relay serves, and what waits.
struct StatusCommand {
  let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  /// Shows the state; returns an exit code: 69 if no relay answers, 74 if its store fails.
  func run() throws(CommandError) -> Int32 {
    let place = try StoreOption(arguments)
    try requireFile(of: place)
    let address = try Address(arguments["--listen"] ?? "127.0.0.1:8426")
    let now = WallTime.now
    let store = try place.open(limits: Limits())
    let boards = try HomewardRelay.performing { () throws(StoreFailure) in
      try store.boards(at: now)
    }
    let status = Status(
      address: address, health: Health(of: address), store: place.text,
      storeByteCount: byteCount(of: place), boards: boards)
    if arguments.has("--json") { status.sayJSON() } else { status.sayText(at: now) }
    return status.health.code
  }

  /// Requires that a file is there: to open it makes it. A server is asked in any case.
  private func requireFile(of place: StoreOption) throws(CommandError) {
    guard case .file(let path) = place else { return }
    guard unsafe access(path.string, F_OK) == 0 || clinux_errno() != ENOENT else {
      throw CommandError(code: 66, message: "there is no store at \(path); serve makes it")
    }
  }

  /// Bytes of a store with what is not in its file yet; nil for one on a server.
  private func byteCount(of place: StoreOption) -> Int64? {
    guard case .file(let path) = place else { return nil }
    var sum: Int64 = 0
    for end: StaticString in ["", "-wal"] {
      var status = stat()
      guard unsafe stat((path.string + "\(end)"), &status) == 0 else { continue }
      sum += Int64(status.st_size)
    }
    return sum
  }
}

/// State of a server, by its answer to `/healthz`.
enum Health: Equatable {
  case serves(notificationsADay: Int64?)
  case hasFailingStore
  case doesNotAnswer

  /// Seconds that it has for its answer.
  private static let seconds = 5
  private static let byteCountMax = 4096

  /// Asks the server at an address.
  init(of address: Address) {
    let descriptor = unsafe chttp_connect(address.host.string, address.port, Self.seconds)
    guard descriptor >= 0 else {
      self = .doesNotAnswer
      return
    }
    defer { close(descriptor) }
    let question: StaticString =
      "GET /healthz HTTP/1.1\r\nHost: homeward-relay\r\nConnection: close\r\n\r\n"
    _ = unsafe send(
      descriptor, question.utf8Start, question.utf8CodeUnitCount, Int32(MSG_NOSIGNAL))
    self.init(answer: Self.read(from: descriptor))
  }

  private static func read(from descriptor: Int32) -> [UInt8] {
    let end = clinux_boot_clock() + Int64(seconds) * 1_000_000_000
    var answer: [UInt8] = []
    var part = [UInt8](repeating: 0, count: byteCountMax)
    while answer.count < byteCountMax, clinux_boot_clock() < end {
      let count = unsafe recv(descriptor, &part, part.count, 0)
      guard count > 0 else { break }
      answer += part[..<count]
    }
    return answer
  }

  /// Reads the answer of a server.
  init(answer: [UInt8]) {
    let isWell = answer.span.starts(with: "HTTP/1.1 200 ")
    guard isWell || answer.span.starts(with: "HTTP/1.1 503 "),
      let start = answer.firstIndex(of: UInt8(ascii: "{"))
    else {
      self = .doesNotAnswer
      return
    }
    let body = try? JSON(parsing: answer.span.extracting(start...))
    let limit = body?.get("notifications_a_day", orOnFailure: nil as Int64?) ?? nil
    self = isWell ? .serves(notificationsADay: limit) : .hasFailingStore
  }

  /// Exit code of sysexits.
  var code: Int32 {
    switch self {
    case .serves: 0
    case .hasFailingStore: 74
    case .doesNotAnswer: 69
    }
  }

  var words: StaticString {
    switch self {
    case .serves: "serves"
    case .hasFailingStore: "answers, but its store keeps nothing now; its log says why"
    case .doesNotAnswer: "does not answer"
    }
  }

  var maximum: Int64? { if case .serves(let maximum) = self { maximum } else { nil } }
}

/// State of a relay.
private struct Status {
  let address: Address
  let health: Health
  let store: Text
  /// Bytes of its files; nil for one on a server.
  let storeByteCount: Int64?
  let boards: [BoardSummary]

  private var waiting: Int64 { boards.reduce(0) { $0 + $1.waiting } }
  private var oldest: WallTime? { boards.compactMap { $0.oldest }.min() }

  func sayText(at now: WallTime) {
    say("server   \(health.words), at \(address.text)\n")
    let size = storeByteCount.map { ", \(($0 + 1023) / 1024) KiB" } ?? ""
    say("store    \(store)\(size)\n")
    let oldestWords = oldest.map { ", the oldest for \(age(of: $0, at: now))" } ?? ""
    say("waiting  \(waiting)\(oldestWords)\n")
    if boards.isEmpty { return say("boards   0; token add makes one\n") }
    say("boards   \(boards.count)\n\n")
    say(table(of: boards, maximum: health.maximum, at: now))
  }

  func sayJSON() {
    var line = ByteBuffer(capacity: 2048 + boards.count * 1024)
    line.openJSONObject()
    line.appendMember("address", Array(address.text.utf8).span)
    line.appendMember("answers", health != .doesNotAnswer)
    line.appendMember("is_well", health.code == 0)
    line.appendMember("store", store.bytes.span)
    if let storeByteCount { line.appendMember("store_bytes", storeByteCount) }
    line.appendMember("waiting", waiting)
    if let oldest { line.appendMember("oldest", Text(iso8601: oldest).bytes.span) }
    if let maximum = health.maximum { line.appendMember("notifications_a_day", maximum) }
    line.appendMember("boards") { line in
      line.openJSONArray()
      for board in boards { board.write(into: &line) }
      line.closeJSONArray()
    }
    line.closeJSONObject()
    say(String(decoding: Array(line.bytes), as: UTF8.self) + "\n")
  }
}

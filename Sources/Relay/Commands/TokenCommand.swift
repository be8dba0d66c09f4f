import Bytes

/// `homeward-relay token …`: who may send, and who may fetch.
struct TokenCommand {
  let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run() throws(CommandError) {
    let words = arguments.words.dropFirst()
    switch (words.first, words.count) {
    case ("add", 2): try add(name(words[2]))
    case ("rotate", 2): try rotate(name(words[2]))
    case ("revoke", 2): try revoke(name(words[2]))
    case ("list", 1): try list()
    default: throw .usage("token add NAME, rotate NAME, revoke NAME, or list")
    }
  }

  /// A name is for people: short, and nothing that a terminal obeys.
  private func name(_ text: Text) throws(CommandError) -> Text {
    guard (1...64).contains(text.bytes.count), text.bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { throw .usage("a name has 1 to 64 characters of ASCII, without spaces") }
    return text
  }

  /// Address to which Home Assistant posts.
  private func pushURL() throws(CommandError) -> Text {
    guard let url = arguments["--url"] else {
      throw .usage("--url is missing: the address of the relay for Home Assistant")
    }
    guard url.hasPrefix("https://") || url.hasPrefix("http://"),
      !url.bytes.contains(UInt8(ascii: "?"))
    else {
      throw .usage("--url must begin with https:// or http://, not be \(url)")
    }
    return url.bytes.last == UInt8(ascii: "/") ? url + "push" : url + "/push"
  }

  private func add(_ name: Text) throws(CommandError) {
    let url = try pushURL()
    let token = BoardToken.random()
    let isAdded = try performing { (store) throws(StoreFailure) in
      try store.add(name.string, token, at: .now)
    }
    guard isAdded else {
      throw CommandError(
        code: 65, message: "there is a board named \(name); token rotate gives it new secrets")
    }
    say(secrets(token, url))
  }

  private func rotate(_ name: Text) throws(CommandError) {
    let url = try pushURL()
    let token = BoardToken.random()
    let isThere = try performing { (store) throws(StoreFailure) in
      try store.rotate(name.string, token)
    }
    guard isThere else { throw .noSuchBoard(name) }
    say(secrets(token, url))
  }

  private func secrets(_ token: BoardToken, _ url: Text) -> String {
    """
    For the board, which fetches with it; it is shown once:
      token       \(token.text)
    For another app, as the app_data of its registration:
      push_url    \(url)
      push_token  \(token.pushToken)

    """
  }

  private func revoke(_ name: Text) throws(CommandError) {
    let wasThere = try performing { (store) throws(StoreFailure) in try store.revoke(name.string) }
    guard wasThere else { throw .noSuchBoard(name) }
    say("\(name) is removed, and what waited for it\n")
  }

  private func list() throws(CommandError) {
    let now = WallTime.now
    let boards = try performing { (store) throws(StoreFailure) in try store.boards(at: now) }
    if arguments.has("--json") { return say(boards.map { $0.json + "\n" }.joined()) }
    guard !boards.isEmpty else {
      return say("No boards: homeward-relay token add NAME --url URL adds one\n")
    }
    let width = max(5, boards.map({ $0.name.utf8.count }).max() ?? 0)
    let padded = { (text: String) in text + String(repeating: " ", count: width - text.utf8.count) }
    say("\(padded("board"))  waiting  today    last asked\n")
    for board in boards {
      let asked = board.fetched.map { Text(iso8601: $0).string } ?? "never"
      say(
        "\(padded(board.name))  \(aligned("\(board.waiting)", 7))  \(aligned("\(board.today)", 7))  \(asked)\n"
      )
    }
  }

  private func aligned(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }

  private func performing<Result>(
    _ body: (SQLiteStore) throws(StoreFailure) -> Result
  ) throws(CommandError) -> Result {
    let store = try HomewardRelay.openStore(arguments, limits: HomewardRelay.limits(arguments))
    return try HomewardRelay.performing { () throws(StoreFailure) in try body(store) }
  }
}

extension BoardSummary {
  /// Line for programs.
  fileprivate var json: String {
    var line = ByteBuffer(capacity: 1024)
    line.openJSONObject()
    line.appendMember("name", Array(name.utf8).span)
    line.appendMember("created", Text(iso8601: created).bytes.span)
    if let fetched { line.appendMember("fetched", Text(iso8601: fetched).bytes.span) }
    line.appendMember("has_key", hasKey)
    line.appendMember("waiting", waiting)
    line.appendMember("today", today)
    line.closeJSONObject()
    return String(decoding: Array(line.bytes), as: UTF8.self)
  }
}

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
    if arguments.has("--json") {
      for board in boards {
        var line = ByteBuffer(capacity: 1024)
        board.write(into: &line)
        say(String(decoding: Array(line.bytes), as: UTF8.self) + "\n")
      }
      return
    }
    guard !boards.isEmpty else {
      return say("No boards: homeward-relay token add NAME --url URL adds one\n")
    }
    say(table(of: boards, maximum: nil, at: now))
  }

  private func performing<Result>(
    _ body: (any Store) throws(StoreFailure) -> Result
  ) throws(CommandError) -> Result {
    let store = try StoreOption(arguments).open(limits: HomewardRelay.limits(arguments))
    return try HomewardRelay.performing { () throws(StoreFailure) in try body(store) }
  }
}

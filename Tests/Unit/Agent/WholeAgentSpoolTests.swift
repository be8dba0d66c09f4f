import Foundation
import Outbox
import Sensing
import Testing

extension WholeAgent {
  /// `homeward spool`: what a person at the shell sees of what waits on the disk.
  @Suite struct Spooling {}
}

extension Board {
  var spool: URL { state.appending(path: "spool") }
}

extension WholeAgent.Spooling {
  private func board() throws -> Board { try Board(reportingTo: "http://127.0.0.1:1", token: nil) }

  /// A board with seven readings and two fixes, of which Home Assistant has the first two.
  private func boardWithSpool() throws -> Board {
    let board = try board()
    let spool = try WrittenSpool(in: board.state)
    for number in 1...4 {
      spool.record(0, "bilge", .boolean(number % 2 == 1), at: .evening(Double(number)))
    }
    try spool.closeBatch()
    try spool.acknowledge(2)
    for number in 5...7 {
      spool.record(1, "soil", .unknown, at: .evening(Double(number)))
    }
    spool.record(.evening(10))
    spool.record(.evening(2000))
    try spool.closeBatch()
    return board
  }

  private struct Listing: Decodable {
    struct Segment: Decodable {
      let file: String
      let condition: String
      let bytes: Int
      let entries: Int
      let waiting: Int
      let first: Int?
      let last: Int?
      let from: String?
    }

    let segments: [Segment]
    let bytes: Int
    let entries: Int
    let waiting: Int
    let acknowledged_up_to: Int
  }

  private func listing(_ ending: RunningAgent.Ending) throws -> Listing {
    #expect(ending.output.count == 1)
    return try JSONDecoder().decode(Listing.self, from: Data((ending.output.first ?? "").utf8))
  }

  /// Every file of the folder with what is in it.
  private func contents(of folder: URL) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      contents[name] = try Data(contentsOf: folder.appending(path: name))
    }
    return contents
  }

  // MARK: list

  @Test func theListSaysWhatIsThereAndWhatWaits() async throws {
    let board = try boardWithSpool()
    let ending = try await board.run("spool", "list", environment: ["TZ": "UTC"])
    #expect(ending.status == 0)
    #expect(ending.log == [])
    let file = try #require(ending.output.dropFirst().first)
    #expect(file.hasPrefix("0000000000000001.spool  "))
    #expect(
      file.hasSuffix(
        "  9        7  1-9       2025-11-21 19:20:01+00:00  2025-11-21 19:53:20+00:00"))
    #expect(ending.output.contains("Home Assistant has everything up to 2."))
    let json = try listing(try await board.run("spool", "list", "--json"))
    #expect(json.entries == 9 && json.waiting == 7 && json.acknowledged_up_to == 2)
    let segment = try #require(json.segments.first)
    #expect(segment.condition == "intact")
    #expect(segment.entries == 9 && segment.waiting == 7)
    #expect(segment.first == 1 && segment.last == 9)
    #expect(segment.from == "2025-11-21T19:20:01+00:00")
    let byteCount = try #require(try contents(of: board.spool)[segment.file]?.count)
    #expect(segment.bytes == byteCount && json.bytes == byteCount)
    #expect(ending.output.contains { $0.hasPrefix("files: 1, bytes: \(byteCount), entries: 9, ") })
  }

  @Test func lookingTakesNoLockAndChangesNothing() async throws {
    let board = try boardWithSpool()
    let before = try contents(of: board.spool)
    // As an agent holds it.
    let state = try FileHandle(forReadingFrom: board.state)
    #expect(flock(state.fileDescriptor, LOCK_EX | LOCK_NB) == 0)
    #expect(try await board.run("spool", "list").status == 0)
    #expect(try await board.run("spool", "export", "--csv").status == 0)
    #expect(try contents(of: board.spool) == before)
    try state.close()
  }

  @Test func aDirectoryThatWasCopiedNeedsNoConfiguration() async throws {
    let board = try boardWithSpool()
    let copy = board.folder.appending(path: "card")
    try FileManager.default.moveItem(at: board.spool, to: copy)
    let ending = try await RunningAgent(
      on: board, ["spool", "list", "--json", "--directory", copy.path]
    ).ending()
    #expect(try listing(ending).entries == 9)
  }

  @Test func whatIsNotOursIsNamedAndWhatIsDamagedIsCounted() async throws {
    let board = try boardWithSpool()
    let van = try WrittenSpool(in: board.folder.appending(path: "van"), device: .van)
    van.record(0, "bilge", .boolean(true), at: .evening(0))
    try van.closeBatch()
    let files = FileManager.default
    try files.copyItem(
      atPath: board.path("van/spool/0000000000000001.spool"),
      toPath: board.spool.appending(path: "0000000000000001.aside").path)
    try Data("letters".utf8).write(to: board.spool.appending(path: "0000000000000099.spool"))
    let ending = try await board.run("spool", "list")
    #expect(ending.status == 0)
    #expect(ending.output.contains { $0.hasSuffix("set aside; from another device") })
    #expect(ending.output.contains { $0.hasSuffix("not a spool file") })
    #expect(ending.output.contains("These are the files of 2 devices."))
    let export = try await board.run("spool", "export", "--csv")
    #expect(export.output.count == 1 + 7 + 1)
    #expect(export.lines(with: "0000000000000001.aside: from another device").count == 1)
  }

  // MARK: export

  @Test func whatWaitsIsExportedAndWithAllWhatHomeAssistantHas() async throws {
    let board = try boardWithSpool()
    let ending = try await board.run("spool", "export", "--csv")
    #expect(ending.status == 0)
    #expect(ending.output.count == 8)
    // A line of the table ends with CR LF.
    #expect(ending.output[1] == "3,2025-11-21T19:20:03.000Z,set,bilge,true,,,,,,,\r")
    #expect(ending.output[7].hasPrefix("9,2025-11-21T19:53:20.000Z,set,,,52.1000000,4.2000000,"))
    #expect(ending.lines(with: "5 readings and 2 fixes; --all also exports").count == 1)
    let all = try await board.run("spool", "export", "--csv", "--all")
    #expect(all.output.count == 10)
    #expect(all.lines(with: "7 readings and 2 fixes.").count == 1)
  }

  @Test func aTrackGoesToAFileThatWasNotThere() async throws {
    let board = try boardWithSpool()
    let file = board.path("boat.gpx")
    let ending = try await board.run("spool", "export", "--gpx", "--output", file, "--json")
    #expect(ending.status == 0)
    #expect(ending.log == [])
    #expect(ending.output == [#"{"format":"gpx","file":"\#(file)","fixes":2}"#])
    let text = try String(contentsOfFile: file, encoding: .utf8)
    #expect(text.components(separatedBy: "<trkpt ").count == 3)
    #expect(text.components(separatedBy: "<trkseg>").count == 2)
    #expect(text.hasSuffix("</gpx>\n"))
    #expect(try board.permissions(of: "boat.gpx") == 0o600, "it tells where a person lives")
  }

  @Test func aFileThatIsThereIsReplacedOnlyByForce() async throws {
    let board = try boardWithSpool()
    try board.write("mine", to: "boat.csv")
    let file = board.path("boat.csv")
    let refused = try await board.run("spool", "export", "--csv", "--output", file)
    #expect(refused.status == 73)
    #expect(refused.lines(with: "already exists").count == 1)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
    try board.setPermissions(0o644, of: "boat.csv")
    let forced = try await board.run("spool", "export", "--csv", "--output", file, "--force")
    #expect(forced.status == 0)
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("sequence,time,"))
    #expect(try board.permissions(of: "boat.csv") == 0o600)
  }

  private func boardWithTrack(_ count: Int) throws -> Board {
    let board = try board()
    let spool = try WrittenSpool(in: board.state, segmentByteCount: 256 * 1024)
    for second in 0..<count {
      spool.record(.evening(Double(second), altitude: 1))
      if second % 500 == 499 { try spool.closeBatch() }
    }
    try spool.closeBatch()
    return board
  }

  @Test func aLongTrackIsWrittenToItsEnd() async throws {
    let board = try boardWithTrack(20_000)
    let ending = try await board.run("spool", "export", "--gpx")
    #expect(ending.status == 0)
    #expect(ending.output.count { $0.hasPrefix("<trkpt ") } == 20_000)
    #expect(ending.output.last == "</gpx>")
  }

  // MARK: What can go wrong

  @Test func aDirectoryThatIsNotThereIsNamed() async throws {
    let board = try board()
    let ending = try await RunningAgent(
      on: board, ["spool", "list", "--directory", board.path("card")]
    ).ending()
    #expect(ending.status == 66)
    #expect(ending.lines(with: "\(board.path("card")) does not exist").count == 1)
  }

  @Test func aBoardThatHasNeverKeptAnythingIsWell() async throws {
    let board = try board()
    let ending = try await board.run("spool", "list", "--json")
    #expect(ending.status == 0)
    #expect(try listing(ending).waiting == 0)
  }

  @Test func anEmptyDirectoryHoldsNothing() async throws {
    let board = try board()
    try board.makeFolder("state/spool")
    let ending = try await board.run("spool", "list")
    #expect(ending.status == 0)
    #expect(ending.output == ["\(board.spool.path) is empty: nothing is waiting."])
    let export = try await board.run("spool", "export", "--gpx")
    #expect(export.lines(with: "No fix is waiting").count == 1)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
  func whoMayNotReadItIsToldHow() async throws {
    let board = try boardWithSpool()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: board.state.path)
    let ending = try await RunningAgent(
      on: board, ["spool", "list", "--directory", board.spool.path],
      startedBy: RunningAgent.withoutPrivileges
    ).ending()
    #expect(ending.status == 77, "\(ending.log)")
    #expect(ending.lines(with: "sudo").count == 1)
  }

  @Test func aFullDiskIsSaid() async throws {
    let board = try boardWithSpool()
    let ending = try await board.run(
      "spool", "export", "--csv", "--output", "/dev/full", "--force")
    #expect(ending.status == 74)
    #expect(ending.lines(with: "No space left on device").count == 1, "\(ending.log)")
  }

  @Test func aReaderThatStopsReadingGetsNoError() async throws {
    // More than a pipe holds.
    let board = try boardWithTrack(4000)
    let line = "\"$0\" \"$@\" | head --lines 1; echo ${PIPESTATUS[0]}"
    let ending = try await board.run("spool", "export", "--csv", startedBy: ["bash", "-c", line])
    #expect(ending.output.count == 2)
    // Of 128 and SIGPIPE, as of every program that only writes.
    #expect(ending.output.last == "141")
    #expect(ending.log == [])
  }

  /// The kernel synchronises no pipe with a disk.
  @Test func aPipeThatIsNamedAsTheFileGetsTheTable() async throws {
    let board = try boardWithSpool()
    let ending = try await board.run(
      "spool", "export", "--csv", "--output", "/dev/stdout", "--force")
    #expect(ending.status == 0, "\(ending.log)")
    #expect(ending.output.count == 8)
  }

  @Test(arguments: [[], ["--force"]])
  func whatCannotBeWrittenToItsEndIsNotLeftThere(options: [String]) async throws {
    let board = try boardWithTrack(4000)
    let file = board.path("boat.csv")
    if !options.isEmpty { try board.write("earlier", to: "boat.csv") }
    // The shell counts in blocks of 1024 bytes.
    let ending = try await board.run(
      "spool", "export", "--csv", "--output", file, options: options,
      startedBy: RunningAgent.after("trap '' XFSZ; ulimit -f 70"))
    #expect(ending.status == 74)
    #expect(ending.lines(with: "the incomplete file was removed").count == 1, "\(ending.log)")
    let left = try FileManager.default.contentsOfDirectory(atPath: board.folder.path)
      .filter { $0.hasPrefix("boat.csv") }
    #expect(left == (options.isEmpty ? [] : ["boat.csv"]))
    if !options.isEmpty {
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "earlier")
    }
  }
}

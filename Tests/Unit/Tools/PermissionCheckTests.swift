import Bytes
import Foundation
import Testing

@testable import Board
@testable import LinuxIO
@testable import Tools

/// What `homeward check` says of what the service's user may read.
@Suite struct PermissionCheckTests {
  private let board = FakeBoard()

  /// The owner of the files of a test, and those who are not.
  private var owner: UserRights {
    UserRights(name: [UInt8]("boat".utf8), number: geteuid(), groups: [])
  }
  private func stranger(in groups: [UInt32] = []) -> UserRights {
    UserRights(name: [UInt8]("boat".utf8), number: 54_321, groups: groups)
  }

  private func write(_ name: String, mode: Int) throws -> String {
    try board.write("", to: name)
    try board.setMode(mode, of: name)
    return board.url(name).path
  }

  private var state: String { "state_directory: \(board.folder.path)/s\n" }

  private func rows(_ user: UserRights, _ more: String) throws -> [String] {
    var rows: [String] = []
    PermissionCheck(
      user: user, file: board.path("etc/homeward.yaml"),
      configuration: try board.configuration(more), devices: board.path("dev"),
      boardFiles: board.path("etc/boards")
    ).run { rows.append(row($0)) }
    return rows
  }

  /// The agent at work hides it until the next start of the board.
  @Test(arguments: ["etc/homeward.yaml", "etc/boards/mine.yaml"])
  func theConfigurationIsReadByTheServiceToo(name: String) throws {
    let file = try write(name, mode: 0o600)
    #expect(
      try rows(stranger(), state) == [
        "WRONG permissions not_permitted 77: boat is not allowed to read \(file); sudo chmod a+r"
          + " \(file), then: sudo systemctl restart homeward"
      ])
    try board.setMode(0o644, of: name)
    #expect(try rows(stranger(), state)[0].hasPrefix("permissions: "))
    try board.setMode(0o700, of: "etc")
    let folder = board.url("etc").path
    #expect(try rows(stranger(), state).contains { $0.contains("; sudo chmod a+rx \(folder), ") })
  }

  /// As root restores a copy.
  @Test(
    .enabled(if: geteuid() == 0, "only root can give a file to others"),
    arguments: ["s/registration.json", "s/spool/1.spool"])
  func whatIsInTheStateDirectoryBelongsToTheUserToo(name: String) throws {
    let file = try write(name, mode: 0o600)
    let user = stranger()
    try board.makeFolder("s/spool")
    for name in ["s", "s/spool"] { try board.give(name, to: user.number, user.number) }
    #expect(try rows(user, state).first?.contains("\(file) does not belong to boat; ") == true)
    try board.give(name, to: user.number, user.number)
    #expect(try rows(user, state)[0].hasPrefix("permissions: "))
    _ = try write("s/agent.socket", mode: 0o600)
    #expect(try rows(user, state)[0].hasPrefix("permissions: "), "the agent makes it again")
    _ = try write("s/lost+found", mode: 0o600)
    #expect(try rows(user, state)[0].hasPrefix("permissions: "), "of the file system itself")
    try board.give("s/spool", to: 0, 0)
    let spool = board.url("s/spool").path
    #expect(try rows(user, state).first?.contains("\(spool) does not belong to boat; ") == true)
  }

  @Test(arguments: [0o644, 0o600])
  func aFileOfItsOwnerOnlyIsToldWithTheCommand(mode: Int) throws {
    let file = try write("level", mode: mode)
    let sensors = "sensors: [{ file: \(file), name: Level }]\n\(state)"
    let well = ["permissions: boat can read all files in the configuration; "]
    let wrong = [
      "WRONG permissions not_permitted 77: boat is not allowed to read \(file); sudo chown boat"
        + " \(file), then: sudo systemctl restart homeward"
    ]
    #expect(try rows(stranger(), sensors) == (mode == 0o644 ? well : wrong))
    #expect(try rows(owner, sensors) == well)
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file to a group"))
  func theGroupThatIsMissingIsNamed() throws {
    let chip = try write("dev/gpiochip0", mode: 0o660)
    guard let entry = unsafe getgrnam("dialout") else { throw POSIXError(.ENOENT) }
    let group = unsafe entry.pointee.gr_gid
    try board.give("dev/gpiochip0", to: .max, group)
    let sensors = "sensors: [{ gpio: GPIO17, name: Bilge }]\n\(state)"
    #expect(
      try rows(stranger(), sensors) == [
        "WRONG permissions not_permitted 77: boat is not allowed to read \(chip); sudo adduser boat"
          + " dialout, then: sudo systemctl restart homeward"
      ])
    #expect(try rows(stranger(in: [group]), sensors).count == 1)
    #expect(try rows(stranger(in: [group]), sensors)[0].hasPrefix("permissions: "))
    #expect(
      try rows(stranger(), state)[0]
        .hasPrefix("permissions: "), "without a line no chip matters")
  }

  /// The group of root allows too much, and a file's owner gains no right by a group.
  @Test(
    .enabled(if: geteuid() == 0, "only root can give a file to others"),
    arguments: [
      (0o640, 12_345, 0, UserRights.Obstacle.owner), (0o640, 0, 7, .group(7)),
      (0o600, 0, 7, .owner), (0o240, 54_321, 7, .owner),
    ] as [(Int, uid_t, gid_t, UserRights.Obstacle)])
  func aGroupIsNamedOnlyIfItsMembersMayReadTheFile(
    mode: Int, user: uid_t, group: gid_t, obstacle: UserRights.Obstacle
  ) throws {
    let file = try write("level", mode: mode)
    try board.give("level", to: user, group)
    #expect(stranger().obstacle(toReading: Path([UInt8](file.utf8))) == obstacle)
  }

  @Test func aFolderOnTheWayIsToldToo() throws {
    let file = try write("closed/level", mode: 0o644)
    try board.setMode(0o700, of: "closed")
    let folder = board.url("closed").path
    let row = try rows(stranger(), "sensors: [{ file: \(file), name: Level }]\n").last
    #expect(row?.contains("; move it out of \(folder), which that user cannot enter") == true)
  }

  /// Its user may read them all the same: root and who checks see what the service does not.
  @Test func whatTheUnitHidesIsTold() throws {
    let shown = "LoadState=loaded\nProtectHome=yes\nPrivateTmp=yes"
    let sensors = ["/tmp/level", "/home/pi/level", "/srv/level"].enumerated()
      .map { "{ file: \($1), name: Level \($0) }" }.joined(separator: ", ")
    let configuration = try board.configuration("sensors: [\(sensors)]\n")
    func rows(_ shown: String) -> [String] {
      var rows: [String] = []
      PermissionCheck(
        user: owner, configuration: configuration,
        service: ServiceState(shown: [UInt8](shown.utf8))
      ).run { rows.append(row($0)) }
      return rows
    }
    #expect(rows(shown).count { $0.contains("the service cannot see /") } == 2)
    #expect(rows(shown + "\n").contains { $0.contains("cannot see /tmp/level: its unit") })
    #expect(rows("LoadState=loaded\nProtectHome=no").allSatisfy { !$0.contains("not see") })
  }

  @Test func aChipThatIsNotNeededMayBeForOthers() throws {
    _ = try write("dev/gpiochip0", mode: 0o644)
    _ = try write("dev/gpiochip4", mode: 0o600)
    let sensors = "sensors: [{ gpio: GPIO17, name: Bilge }]\n\(state)"
    #expect(try rows(stranger(), sensors).allSatisfy { $0.hasPrefix("permissions: ") })
  }

  @Test func theStateDirectoryHasToBelongToTheUser() throws {
    try board.write("", to: "s/x")
    let rows = try rows(stranger(), state)
    #expect(rows.count == 1)
    #expect(
      rows[0].contains("/s does not belong to boat; sudo chown -R boat: \(board.folder.path)/s"))
  }

  @Test func theUserHasToGetToTheStateDirectory() throws {
    try board.write("", to: "closed/s/x")
    try board.setMode(0o700, of: "closed")
    let folder = board.url("closed").path
    let state = "state_directory: \(folder)/s\n"
    let words =
      "boat is not allowed to enter \(folder), which holds \(folder)/s; sudo chmod o+x \(folder), or"
      + " set another state_directory, then: sudo systemctl restart homeward"
    #expect(try rows(stranger(), state).first == "WRONG permissions not_permitted 77: \(words)")
    #expect(try rows(owner, state).allSatisfy { $0.hasPrefix("permissions: ") })
  }

  @Test func theTokenTheAuthoritiesAndTheSerialPortAreLookedAt() throws {
    let token = try write("token", mode: 0o600)
    let push = try write("push", mode: 0o600)
    let port = "/dev/shm/homeward-\(UUID().uuidString)"
    try Data().write(to: URL(filePath: port))
    defer { try? FileManager.default.removeItem(atPath: port) }
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: port)
    let authority = try write("ca.pem", mode: 0o600)
    let text = """
      home_assistant: { url: http://localhost, token_file: \(token), tls: { ca_file: \(authority) } }
      state_directory: \(board.folder.path)/s
      push: { relay: "http://localhost", token_file: \(push) }
      sensors: [{ ve_direct: \(port), name: House }]
      """
    let configuration = try Configuration.parse([UInt8](text.utf8))
    var rows: [String] = []
    PermissionCheck(user: stranger(), configuration: configuration).run { rows.append(row($0)) }
    for path in [token, push, authority, port] {
      #expect(rows.contains { $0.contains("boat is not allowed to read \(path); ") }, "\(rows)")
    }
  }

  @Test func rootHasAllRightsAndUnknownUsersNone() throws {
    let file = try write("level", mode: 0)
    let path = Path([UInt8](file.utf8))
    #expect(UserRights(named: [UInt8]("root".utf8))?.obstacle(toReading: path) == nil)
    #expect(UserRights(named: [UInt8]("no-such-user".utf8)) == nil)
    #expect(UserRights(named: []) == nil)
    #expect(stranger().obstacle(toReading: path) == .owner)
    #expect(stranger().obstacle(toReading: Path([UInt8]("/none".utf8))) == nil)
    #expect(stranger().owns(path) == false && owner.owns(path) == true)
  }
}

import Board
import Foundation
import LinuxIO
import Sensing
import TestRun
import Testing
import YAML

/// A directory with a device tree and two folders of board files.
final class Machine {
  private let root = TestRun.folder.appending(path: UUID().uuidString)

  deinit { try? FileManager.default.removeItem(at: root) }

  func write(_ text: String, to file: String) throws {
    let url = root.appending(path: file)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  func path(_ name: String) -> Path { Path([UInt8](root.appending(path: name).path.utf8)) }

  func tree(_ compatible: String..., model: String = "A model") throws -> DeviceTree {
    let base = "sys/firmware/devicetree/base"
    try write(compatible.joined(separator: "\0") + "\0", to: "\(base)/compatible")
    try write(model + "\0", to: "\(base)/model")
    return try DeviceTree(of: path("sys"))
  }

  func board(_ file: String, _ compatible: String, more: String = "") throws {
    try write(
      """
      name: \(file)
      compatible: [\(compatible)]
      \(more)
      chips: [{ name: main, labels: [main-chip] }]
      headers: [{ name: J1, pins: [{ pin: 1, name: 3V3 }] }]

      """, to: file)
  }

  var files: BoardFiles { BoardFiles(folders: [path("own"), path("packaged")]) }
}

@Suite struct BoardFilesTests {
  private let machine = Machine()

  private func found(_ tree: DeviceTree) throws -> String? {
    text(try machine.files.board(of: tree)?.name)
  }

  @Test func aBoardIsFoundByItsDeviceTree() throws {
    try machine.board("packaged/one.yaml", "maker-one")
    try machine.board("packaged/two.yaml", "maker-two")
    #expect(try found(machine.tree("maker-two", "chip")) == "packaged/two.yaml")
    #expect(try found(machine.tree("maker-three", "chip")) == nil)
  }

  @Test func theMoreExactWordOfTheTreeCounts() throws {
    try machine.board("packaged/a-family.yaml", "family")
    try machine.board("packaged/member.yaml", "member")
    #expect(try found(machine.tree("member", "family")) == "packaged/member.yaml")
    #expect(try found(machine.tree("stranger", "family")) == "packaged/a-family.yaml")
  }

  @Test func aModelTellsTwoBoardsApart() throws {
    try machine.board("packaged/a.yaml", "twins")
    try machine.board("packaged/b.yaml", "twins", more: "model: Board Rev 1")
    #expect(try found(machine.tree("twins", model: "Board Rev 1.2")) == "packaged/b.yaml")
    #expect(try found(machine.tree("twins", model: "Board Rev 2")) == "packaged/a.yaml")
  }

  @Test func aFileOfAPersonIsTakenBeforeTheOthers() throws {
    try machine.board("packaged/one.yaml", "maker-one")
    try machine.board("own/zz.yaml", "maker-one")
    #expect(try found(machine.tree("maker-one")) == "own/zz.yaml")
    #expect(text(try machine.files.board(named: [UInt8]("one".utf8))?.name) == "packaged/one.yaml")
    #expect(try machine.files.names().map { text($0) } == ["zz", "one"])
  }

  @Test func aDamagedFileOfThisBoardIsToldWithItsPlace() throws {
    try machine.write("name: x\ncompatible: [maker-one]\nwrong: 1\n", to: "own/bad.yaml")
    let tree = try machine.tree("maker-one")
    let failure = #expect(throws: CommandFailure.self) { try machine.files.board(of: tree) }
    #expect(failure?.code == .configuration)
    #expect(
      text(failure?.text.bytes)?.contains("own/bad.yaml:3:1: unknown key \"wrong\"") == true)
  }

  @Test func aDamagedFileOfAnotherBoardHarmsNone() throws {
    try machine.write("compatible: [maker-two]\n\t{", to: "own/bad.yaml")
    try machine.board("packaged/one.yaml", "maker-one")
    #expect(try found(machine.tree("maker-one")) == "packaged/one.yaml")
  }

  @Test func whatIsNoBoardFileIsPassedOver() throws {
    try machine.write("maker-one", to: "own/README.md")
    try machine.write("maker-one", to: "own/.yaml")
    #expect(try found(machine.tree("maker-one")) == nil)
  }

  @Test func aMachineWithoutADeviceTreeHasNoBoard() throws {
    try machine.board("packaged/one.yaml", "maker-one")
    let tree = try DeviceTree(of: machine.path("nothing"))
    #expect(tree.compatible.isEmpty)
    #expect(try found(tree) == nil)
  }

  @Test func aDeviceIsEnabledUnlessTheTreeSaysOtherwise() throws {
    let tree = try machine.tree("maker-one")
    let base = "sys/firmware/devicetree/base"
    try machine.write("i2c\0", to: "\(base)/soc/i2c@0/name")
    try machine.write("okay\0", to: "\(base)/soc/i2c@0/status")
    try machine.write("i2c\0", to: "\(base)/soc/i2c@1/name")
    try machine.write("disabled\0", to: "\(base)/soc/i2c@1/status")
    try machine.write("i2c\0", to: "\(base)/soc/i2c@2/name")
    let enabled = (0...3).map { tree.isEnabled([UInt8]("/soc/i2c@\($0)".utf8)) }
    #expect(enabled == [true, false, true, nil])
  }

  @Test func theConfigurationSaysWhereTheFilesAre() throws {
    let standard = try Outcome.configuration(minimum)
    #expect(text(standard.host.boards) == "/usr/share/homeward/boards")
    try machine.board("packaged/one.yaml", "maker-one")
    _ = try machine.tree("maker-one")
    let sys = text(machine.path("sys").bytes) ?? ""
    let boards = text(machine.path("packaged").bytes) ?? ""
    let here = try Outcome.configuration(minimum + "host: { sys: \(sys), boards: \(boards) }\n")
    #expect(text(try here.boardPins().board?.name) == "packaged/one.yaml")
  }

  /// The files that ship.
  @Test func everyBoardFileIsRight() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../boards")
    let files = BoardFiles(folders: [Path([UInt8](folder.standardizedFileURL.path.utf8))])
    let names = try files.names()
    #expect(names.count >= 20)
    var boards: [([UInt8], [UInt8]?)] = []
    for name in names {
      let board = try #require(try files.board(named: name))
      for compatible in board.compatible {
        // Else it would depend on the names of the files which one a board is.
        #expect(!boards.contains { $0 == (compatible, board.model) }, "\(text(name) ?? "")")
        boards.append((compatible, board.model))
      }
      #expect(board.places.contains { board[$0].line != nil })
    }
  }
}

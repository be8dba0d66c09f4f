import Bytes
import Foundation
import LinuxIO
import Testing

@testable import Board
@testable import Tools

/// What `homeward check` says of the program that follows an upload.
@Suite struct ProgramCheckTests {
  private let board = FakeBoard()

  private func program(mode: Int) throws -> String {
    try board.write("#!/bin/sh\n", to: "program")
    let path = board.folder.appending(path: "program").path
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  private func check(_ path: String, user: UInt32 = geteuid()) -> String {
    row(
      ProgramCheck(
        settings: AfterUploadSettings(
          program: [UInt8](path.utf8), arguments: [], timeout: .seconds(30)),
        user: UserRights(name: [UInt8]("boat".utf8), number: user, groups: [])
      ).finding)
  }

  @Test func aProgramThatCanBeStartedIsWell() throws {
    let path = try program(mode: 0o755)
    #expect(check(path) == "after_upload: \(path) can be started, and is ended after 30 s; ")
  }

  @Test func whatCannotBeStartedIsAMistakeOfTheConfigurationWithItsRemedy() throws {
    let path = try program(mode: 0o644)
    #expect(
      check(path)
        == "WRONG after_upload not_permitted 78: boat may not run \(path); sudo chmod a+rx"
        + " \(path), and let the agent's user enter the directories on the way")
    #expect(
      check(path + "s")
        == "WRONG after_upload missing 78: \(path)s cannot be started: No such file or directory;"
        + " write it, or name another one in after_upload")
    #expect(check("/tmp").hasPrefix("WRONG after_upload no_file 78: /tmp is no program"))
  }

  @Test func aProgramThatOthersCouldChangeIsAMistake() throws {
    let path = try program(mode: 0o757)
    #expect(check(path).hasPrefix("WRONG after_upload writable_by_all 78: "))
    #expect(check(path).hasSuffix("; sudo chmod o-w \(path)"))
  }

  @Test func aProgramThatOthersCouldExchangeIsAMistake() throws {
    let path = try program(mode: 0o755)
    let folder = board.folder.path
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder)
    #expect(
      check(path).hasPrefix("WRONG after_upload directory_writable_by_all 78: \(path) is not"))
    #expect(check(path).hasSuffix("; sudo chmod o-w \(folder)"))
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
  func aProgramOfAnotherUserIsAMistake() throws {
    let path = try program(mode: 0o755)
    try FileManager.default.setAttributes([.ownerAccountID: 12345], ofItemAtPath: path)
    #expect(check(path, user: 54321).hasPrefix("WRONG after_upload foreign_owner 78: "))
    #expect(!check(path, user: 12345).contains("foreign_owner"))
  }

  @Test func aProgramInAHomeIsNotThereForTheService() throws {
    let service = ServiceState(shown: [UInt8]("LoadState=loaded\nProtectHome=yes\n".utf8))
    let settings = AfterUploadSettings(
      program: [UInt8]("/home/pi/program".utf8), arguments: [], timeout: .seconds(30))
    let finding = ProgramCheck(settings: settings, user: nil, service: service).finding
    #expect(row(finding).hasPrefix("WRONG after_upload hidden 78: "))
  }
}

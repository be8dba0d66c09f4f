public import Bytes
public import LinuxIO

// What people read of a program that cannot be started.

extension ProgramFlaw {
  public func words(of program: Path) -> MessageText {
    switch self {
    case .kernel(let error): "\(program) cannot be started: \(error)"
    case .notAFile: "\(program) is no program, but a directory or a device"
    case .foreignOwner(let user):
      "\(program) is not started: it belongs to the user with the number \(Int(user)), who could have"
        + " the agent run anything"
    case .writableByAll:
      "\(program) is not started: every user may change it, and have the agent run anything"
    case .foreignDirectory(let directory, let user):
      "\(program) is not started: \(directory) belongs to the user with the number \(Int(user)), who could"
        + " put another program in its place"
    case .openDirectory(let directory):
      "\(program) is not started: every user may write \(directory), and put another program in its"
        + " place"
    }
  }

  public func remedy(for program: Path) -> MessageText {
    switch self {
    case .kernel(.noSuchFile): "write it, or name another one in after_upload"
    case .kernel(.notPermitted):
      "sudo chmod a+rx \(program), and let the agent's user enter the directories on the way"
    case .kernel(let error) where error == .notAProgram:
      "begin a script with #! and its interpreter, such as #!/bin/sh"
    case .kernel: "name another program in after_upload"
    case .notAFile: "name a file in after_upload"
    case .foreignOwner: "sudo chown root: \(program)"
    case .writableByAll: "sudo chmod o-w \(program)"
    case .foreignDirectory: "move it to a directory that belongs to root, such as /usr/local/bin"
    case .openDirectory(let directory): "sudo chmod o-w \(directory)"
    }
  }

  /// What a script calls it.
  public var code: StaticString {
    switch self {
    case .kernel(.noSuchFile): "missing"
    case .kernel: "not_startable"
    case .notAFile: "no_file"
    case .foreignOwner: "foreign_owner"
    case .writableByAll: "writable_by_all"
    case .foreignDirectory: "foreign_directory"
    case .openDirectory: "directory_writable_by_all"
    }
  }
}

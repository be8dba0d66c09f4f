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
    }
  }
}

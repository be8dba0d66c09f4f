import Board
import Bytes

extension Arguments {
  /// Reads all arguments of a command that accepts only `--config FILE` and `--json`; the file is
  /// nil if none is named.
  mutating func fileAndForm() throws(UsageError) -> (file: [UInt8]?, isJSON: Bool) {
    var file: [UInt8]?
    var isJSON = false
    while let argument = try next() {
      switch argument {
      case "--json": isJSON = true
      case "--config": file = try value(of: argument, "the name of a file")
      default: throw argument.unknown
      }
    }
    return (file, isJSON)
  }
}

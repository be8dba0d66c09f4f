import Board
import Bytes
import YAML

/// Any file: a configuration, or problems at places that exist, in words that a terminal can show.
func fuzz(_ input: Span<UInt8>) {
  let file = [UInt8](input)
  do throws(ConfigurationErrors) {
    _ = try Configuration.parse(file)
  } catch {
    let lineCount = file.count { $0 == 0x0A || $0 == 0x0D } + 1
    expect(
      "a refusal has reasons", (1...ConfigurationErrors.problemsMax).contains(error.problems.count))
    for problem in error.problems {
      expect("a problem has a line", (1...lineCount).contains(problem.line))
      expect("a problem has a column", (1...file.count + 1).contains(problem.column))
      let shown = problem.rendered(fileName: [])
      expect("a problem is text", String(validating: shown, as: UTF8.self) != nil)
      expect("a problem has no control character", shown.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    }
    for (before, after) in zip(error.problems, error.problems.dropFirst()) {
      expect("problems follow the file", (before.line, before.column) <= (after.line, after.column))
    }
  }
}

import Board
import Bytes
import Sensing
import YAML

/// Any file: a board whose pins can all be asked for, or problems at places that exist.
func fuzz(_ input: Span<UInt8>) {
  let file = [UInt8](input)
  do throws(ConfigurationErrors) {
    let board = try BoardFile.parse(file)
    for place in board.places { check(place, of: board) }
  } catch {
    let lineCount = file.count { $0 == 0x0A || $0 == 0x0D } + 1
    expect(
      "a refusal has reasons", (1...ConfigurationErrors.problemsMax).contains(error.problems.count))
    for problem in error.problems {
      expect("a problem has a line", (1...lineCount).contains(problem.line))
      let shown = problem.rendered(fileName: [])
      expect("a problem has no control character", shown.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    }
  }
}

private func check(_ place: BoardFile.Place, of board: BoardFile) {
  let pin = board[place]
  expect("a pin has a name", !pin.names.isEmpty)
  guard let line = pin.line else { return }
  expect("a line is on a chip", board.chips.indices.contains(line.chip))
  expect("a line is in the kernel's reach", line.offset <= BoardFile.offsetMax)
  for name in pin.names {
    expect(
      "a name is that of its line",
      board.place(named: name).map { board[$0].line == line } ?? false)
  }
  for address in board.addresses(of: place) {
    guard case .chip = address else { continue }
    expect("a line is at its pin", board.places(of: address).contains(place))
  }
  expect(
    "a function is one of the board",
    pin.signal.map { board.functions.indices.contains($0.function) } ?? true)
}

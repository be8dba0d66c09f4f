import Board
import Testing
import YAML

/// A board of two chips and five pins. What a test breaks is a line of it.
private let right = """
  name: My board
  compatible: [maker-board]
  chips: [{ name: main, labels: [main-chip] }, { name: side }]
  functions: [{ name: i2c1, nodes: [/soc/i2c@7e804000] }]
  headers:
    - name: J1
      pins:
        - { pin: 1, name: 3V3 }
        - { pin: 2, name: GND }
        - { pin: 3, name: GPIO2, also: [SDA1], line: main/2, function: i2c1 SDA }
        - { pin: 4, name: GPIO7, also: ["7 [side]"], line: side/4095 }
        - { pin: 5, name: GPIO2, line: main/2 }
  """

private func problems(_ file: String) -> [String] {
  do throws(ConfigurationErrors) {
    _ = try BoardFile.parse([UInt8](file.utf8))
    return []
  } catch {
    return error.lines
  }
}

/// The problems of the board with something else in the place of a text.
private func problems(_ old: String, _ new: String) -> [String] {
  problems(right.replacing(old, with: new, maxReplacements: 1))
}

@Suite struct BoardFileTests {
  @Test func aFileIsWhatItSays() throws {
    let board = try BoardFile.parse([UInt8](right.utf8))
    #expect(text(board.name) == "My board")
    #expect(board.compatible.map { text($0) } == ["maker-board"])
    #expect(board.model == nil)
    #expect(board.chips.map { text($0.name) } == ["main", "side"])
    #expect(board.chips.map { $0.labels.map { text($0) } } == [["main-chip"], []])
    #expect(board.functions.map { text($0.name) } == ["i2c1"])
    #expect(board.functions[0].nodes.map { text($0) } == ["/soc/i2c@7e804000"])
    #expect(board.headers.map { text($0.name) } == ["J1"])
    let pins = board.headers[0].pins
    #expect(pins.map { text($0.name) } == ["3V3", "GND", "GPIO2", "GPIO7", "GPIO2"])
    #expect(pins[2].names.map { text($0) } == ["GPIO2", "SDA1"])
    #expect(pins.map { $0.line?.offset } == [nil, nil, 2, 4095, 2])
    #expect(pins.map { $0.line?.chip } == [nil, nil, 0, 1, 0])
    #expect(pins.map { $0.signal?.function } == [nil, nil, 0, nil, nil])
    #expect(text(pins[2].signal?.text) == "i2c1 SDA")
  }

  @Test(arguments: [
    ("pin: 3", "pin: 4", "f:10:16: headers[0].pins[2].pin: \"4\" is not"),
    (
      "main/2, function", "other/2, function",
      "f:10:52: headers[0].pins[2].line: \"other/2\" is not"
    ),
    ("side/4095", "side/4096", "f:11:58: headers[0].pins[3].line: \"side/4096\" is not"),
    ("side/4095", "side", "f:11:58: headers[0].pins[3].line: \"side\" is not a line"),
    ("function: i2c1 SDA", "function: i2c", "f:10:70: headers[0].pins[2].function: \"i2c\" is not"),
    (
      "[SDA1]", "[GPIO7]", "f:11:25: headers[0].pins[3].name: \"GPIO7\" is also the name of another"
    ),
    ("{ pin: 5, name: GPIO2", "{ pin: 5", "headers[0].pins[4]: the key \"name\" is missing"),
    (
      "GPIO7", "\"\(String(repeating: "A", count: 32))\"",
      "has 32 bytes; the kernel cuts names to 31"
    ),
    ("[main-chip]", "[main chip]", "f:3:32: chips[0].labels[0]: \"main chip\" is not a word"),
    ("/soc/i2c@7e804000", "/soc/../../secret", "functions[0].nodes[0]: this path leads out"),
    ("/soc/i2c@7e804000", "soc", "functions[0].nodes[0]: this is not an absolute path"),
    ("name: J1", "title: J1", "f:6:5: headers[0]: unknown key \"title\""),
    ("compatible", "compatibel", "f:1:1: the key \"compatible\" is missing"),
  ])
  func aMistakeIsToldWithItsPlace(old: String, new: String, problem: String) {
    let found = problems(old, new)
    #expect(found.contains { $0.contains(problem) }, "\(found)")
  }

  @Test func aNameMayBeOfTwoPinsOfOneLine() {
    #expect(problems("line: main/2 }", "line: main/3 }").count == 1)
    #expect(problems("", "").isEmpty)
  }

  @Test func limitsAreKept() {
    let pins = (1...129).map { "    - { pin: \($0), name: GND }" }.joined(separator: "\n")
    let head = right.prefix(upTo: right.range(of: "      - { pin: 1,")!.lowerBound)
    #expect(problems("\(head)\n\(pins)").contains { $0.contains("this list has 129 items") })
  }
}

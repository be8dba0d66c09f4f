import Bytes
public import YAML

extension BoardFile {
  /// Parses a board file of at most 64 KiB; throws every problem with its line and column.
  public static func parse(_ source: [UInt8]) throws(ConfigurationErrors) -> BoardFile {
    let problems = ProblemCollector()
    guard
      let field = ConfigurationField(
        file: source, example: "name, compatible, chips and headers", problems: problems),
      let board = field.board(), problems.isEmpty
    else { throw problems.errors }
    return board
  }
}

// The file, key by key. The properties of `BoardFile` describe the keys.

extension ConfigurationField {
  fileprivate func board() -> BoardFile? {
    guard let keys = section(example: "name: My board") else { return nil }
    defer { keys.reportUnknownKeys() }
    let name = keys.required("name", example: "name: My board")?.name()
    let compatible = keys.required("compatible", example: "compatible: [\"maker,board\"]")?
      .words(count: 1...BoardFile.compatibleMax)
    let model = keys.optional("model")?.name()
    let chips =
      keys.required("chips", example: "chips: [{ name: gpio, labels: [gpio-label] }]")?
      .items(count: 1...BoardFile.chipsMax, example: "[{ name: gpio, labels: [gpio-label] }]")
      .compactMap { $0.chip() } ?? []
    let functions =
      keys.optional("functions")?
      .items(count: 1...BoardFile.functionsMax, example: "[{ name: i2c1, nodes: [/soc/i2c@0] }]")
      .compactMap { $0.function() } ?? []
    let reader = PinReader(chips: chips.map { $0.name }, functions: functions.map { $0.name })
    let headers =
      keys.required("headers", example: "headers: [{ name: J1, pins: […] }]")?
      .items(count: 1...BoardFile.headersMax, example: "[{ name: J1, pins: […] }]")
      .compactMap { $0.header(reader) } ?? []
    guard let name, let compatible, !chips.isEmpty, !headers.isEmpty else { return nil }
    return BoardFile(
      name: name, compatible: compatible, model: model, chips: chips, functions: functions,
      headers: headers)
  }

  private func chip() -> BoardFile.Chip? {
    guard let keys = section(example: "{ name: gpio, labels: [gpio-label] }") else { return nil }
    defer { keys.reportUnknownKeys() }
    let name = keys.required("name", example: "name: gpio")?.word()
    let labels = keys.optional("labels")?.words(count: 1...BoardFile.labelsMax) ?? []
    return name.map { BoardFile.Chip(name: $0, labels: labels) }
  }

  private func function() -> BoardFile.Function? {
    guard let keys = section(example: "{ name: i2c1, nodes: [/soc/i2c@0] }") else { return nil }
    defer { keys.reportUnknownKeys() }
    let name = keys.required("name", example: "name: i2c1")?.word()
    let nodes = keys.required("nodes", example: "nodes: [/soc/i2c@0]")?
      .items(count: 1...BoardFile.nodesMax, example: "[/soc/i2c@0]").compactMap { $0.node() }
    guard let name, let nodes, !nodes.isEmpty else { return nil }
    return BoardFile.Function(name: name, nodes: nodes)
  }

  private func header(_ reader: PinReader) -> BoardFile.Header? {
    guard let keys = section(example: "{ name: J1, pins: […] }") else { return nil }
    defer { keys.reportUnknownKeys() }
    let name = keys.required("name", example: "name: J1")?.word()
    let fields =
      keys.required("pins", example: "pins: [{ pin: 1, name: 3V3 }]")?
      .items(count: 1...BoardFile.pinsMax, example: "[{ pin: 1, name: 3V3 }]") ?? []
    var pins: [BoardFile.Pin] = []
    for (index, field) in fields.enumerated() {
      if let pin = reader.pin(field, number: index + 1) { pins.append(pin) }
    }
    // The expected number of a pin depends on the pins before it.
    guard let name, !pins.isEmpty, pins.count == fields.count else { return nil }
    return BoardFile.Header(name: name, pins: pins)
  }

  /// Returns a path in the device tree. It must not lead out of it.
  private func node() -> [UInt8]? {
    guard let path = absolutePath() else { return nil }
    for part in path.split(separator: UInt8(ascii: "/")) {
      guard part.span.elementsEqual(".") || part.span.elementsEqual("..") else { continue }
      report("this path leads out of the device tree", remedy: "write it without . and ..")
      return nil
    }
    return path
  }

  private func words(count: ClosedRange<Int>) -> [[UInt8]]? {
    let words = items(count: count, example: "[word]").compactMap { $0.word() }
    return words.isEmpty ? nil : words
  }

  /// Returns a word of visible ASCII without spaces.
  fileprivate func word() -> [UInt8]? {
    guard let text = text() else { return nil }
    let isVisible = text.allSatisfy { (0x21...0x7E).contains($0) }
    if isVisible, (1...BoardFile.wordBytesMax).contains(text.count) { return text }
    report("\(quoted: text) is not a word", remedy: "write letters, digits and signs, no spaces")
    return nil
  }

  /// Returns the name of a pin or a line.
  fileprivate func lineName() -> [UInt8]? {
    guard let name = name() else { return nil }
    if name.count <= BoardFile.nameBytesMax { return name }
    report(
      "\(quoted: name) has \(name.count) bytes",
      remedy: "the kernel cuts names to \(BoardFile.nameBytesMax) bytes: write only those")
    return nil
  }
}

/// Reads pins and checks that their lines and functions belong to the board, and that each name is
/// of one line.
private final class PinReader {
  private let chips: [[UInt8]]
  private let functions: [[UInt8]]
  private var named: [(name: [UInt8], line: BoardFile.Line)] = []

  init(chips: [[UInt8]], functions: [[UInt8]]) {
    self.chips = chips
    self.functions = functions
  }

  func pin(_ field: ConfigurationField, number: Int) -> BoardFile.Pin? {
    guard let keys = field.section(example: "{ pin: 1, name: 3V3 }") else { return nil }
    defer { keys.reportUnknownKeys() }
    // A mistake is reported; the file is then refused as a whole.
    _ = keys.required("pin", example: "pin: 1")?.wholeNumber(in: number...number)
    let name = keys.required("name", example: "name: GPIO17")
    let aliases =
      keys.optional("also")?.items(count: 1...BoardFile.aliasesMax, example: "[SDA1]") ?? []
    let line = keys.optional("line").flatMap { self.line($0) }
    let signal = keys.optional("function").flatMap { self.signal($0) }
    guard let name else { return nil }
    var names: [[UInt8]] = []
    for field in [name] + aliases {
      guard let name = field.lineName() else { return nil }
      if let line { note(name, of: line, at: field) }
      names.append(name)
    }
    return BoardFile.Pin(names: names, line: line, signal: signal)
  }

  /// Returns a line `CHIP/OFFSET`.
  private func line(_ field: ConfigurationField) -> BoardFile.Line? {
    guard let text = field.text() else { return nil }
    if let slash = text.lastIndex(of: UInt8(ascii: "/")),
      let chip = chips.firstIndex(of: [UInt8](text[..<slash])),
      let offset = text.span.extracting((slash + 1)...).decimalValue,
      offset <= BoardFile.offsetMax
    {
      return BoardFile.Line(chip: chip, offset: UInt32(offset))
    }
    field.report(
      "\(quoted: text) is not a line of a chip of this board",
      remedy: "write the name of one of chips, a slash and a number up to \(BoardFile.offsetMax)")
    return nil
  }

  /// Returns the signal of a function: the function's name and optional text.
  private func signal(_ field: ConfigurationField) -> BoardFile.Signal? {
    guard let text = field.name() else { return nil }
    let word = [UInt8](text.prefix { $0 != UInt8(ascii: " ") })
    if let function = functions.firstIndex(of: word) {
      return BoardFile.Signal(function: function, text: text)
    }
    field.report(
      "\(quoted: word) is not a function of this board",
      remedy: "write one of functions, or add it there")
    return nil
  }

  private func note(_ name: [UInt8], of line: BoardFile.Line, at field: ConfigurationField) {
    for other in named where other.name == name {
      guard other.line != line else { return }
      field.report(
        "\(quoted: name) is also the name of another line", remedy: "give each line its own name")
      return
    }
    named.append((name, line))
  }
}

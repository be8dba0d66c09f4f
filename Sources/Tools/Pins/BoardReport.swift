import Board
import Bytes
import Drivers
import Sensing

/// Board with all known facts about its pins, for people and for scripts.
struct BoardReport {
  let board: BoardFile
  let headers: [(name: [UInt8], pins: [PinReport])]

  init(_ board: BoardFile, in surroundings: PinReport.Surroundings) {
    self.board = board
    headers = board.headers.indices.map { header in
      let pins = board.headers[header].pins.indices.map { pin in
        PinReport(BoardFile.Place(header: header, pin: pin), of: board, in: surroundings)
      }
      return (board.headers[header].name, pins)
    }
  }

  /// Returns the drawing, and below it each conflict about a line.
  func lines(isColoured: Bool) -> [UInt8] {
    var lines = board.name.printable + [UInt8]("\n")
    lines += HeaderDrawing(isColoured: isColoured).lines(of: headers)
    var conflicts: [UInt8] = []
    for header in headers {
      for pin in header.pins {
        guard let conflict = pin.conflict else { continue }
        let line: MessageText = "\(bytes: header.name.printable) \(conflict)\n"
        conflicts += line.bytes
      }
    }
    return conflicts.isEmpty ? lines : lines + [UInt8]("\n") + conflicts
  }

  var json: [UInt8] {
    jsonLine { line in
      line.appendMember("board", board.name.span)
      line.appendMember("headers", objects: headers) { header, line in
        line.appendMember("name", header.name.span)
        line.appendMember("pins", objects: header.pins) { $0.writeMembers(into: &$1) }
      }
    }
  }
}

extension PinReport {
  fileprivate func writeMembers(into line: inout ByteBuffer) {
    line.appendMember("pin", number)
    line.appendMember("names", pin.names) { $1.appendJSON($0.printable) }
    if let place = pin.line {
      if let chip { line.appendMember("chip", chip.span) }
      line.appendMember("line", Int(place.offset))
      line.appendMember("configured", configured) { $1.appendJSON($0.printable) }
      line.appendMember("is_taken", isTaken)
      if !consumer.isEmpty { line.appendMember("consumer", consumer.span) }
    }
    if let signal = pin.signal {
      line.appendMember("function", signal.text.span)
      line.appendJSON(key: "is_function_enabled")
      if let isFunctionEnabled {
        line.appendJSON(isFunctionEnabled)
      } else {
        line.appendJSONNull()
      }
    }
  }
}

struct PinReport: Equatable {
  /// Name with which our programs take a line.
  private static let ownConsumer: StaticString = "homeward"

  let number: Int
  let pin: BoardFile.Pin
  /// Label of the chip of its line; nil if it is not a line, or the label is not constant.
  let chip: [UInt8]?
  let configured: [[UInt8]]
  /// Whether a program or a driver has the line.
  let isTaken: Bool
  /// Name of that program or driver; empty if it has none, or the line is free.
  let consumer: [UInt8]
  /// Whether the function that may take the line is enabled; nil if that is not known.
  let isFunctionEnabled: Bool?

  /// Uses of the line in few words, as there is little room; possible ones in parentheses.
  var words: [UInt8] {
    var uses = configured
    if isTaken, !isTakenByAgent { uses.append(consumer.isEmpty ? [UInt8]("taken") : consumer) }
    if let signal = pin.signal {
      if isFunctionEnabled == true {
        uses.append(signal.text)
      } else if uses.isEmpty {
        uses.append([UInt8]("(") + signal.text + [UInt8](")"))
      }
    }
    return [UInt8](uses.joined(separator: [UInt8](", ")))
  }

  var isUsed: Bool { !configured.isEmpty || isTaken || isFunctionEnabled == true }

  private var isTakenByAgent: Bool {
    !configured.isEmpty && consumer.span.elementsEqual(Self.ownConsumer)
  }

  /// Conflict about a line that the configuration wants; nil if there is none.
  var conflict: MessageText? {
    guard let first = configured.first else { return nil }
    let subject: MessageText = "pin \(number): \(quoted: first)"
    if pin.line == nil { return "\(subject) is at \(bytes: pin.name), which is not a GPIO line" }
    if configured.count > 1 { return "\(subject) and \(quoted: configured[1]) use the same line" }
    if isTaken, !isTakenByAgent {
      let holder: MessageText = consumer.isEmpty ? "a driver" : "\(quoted: consumer)"
      return "\(subject) cannot be read while \(holder) uses the line"
    }
    guard isFunctionEnabled == true, let signal = pin.signal else { return nil }
    return "\(subject) uses a line of \(bytes: signal.text), which is enabled"
  }
}

extension PinReport {
  /// Facts about a machine beside its board file.
  struct Surroundings {
    /// Addresses and names of the entries in the configuration.
    var configured: [(address: GPIOLineAddress, name: [UInt8])] = []
    var lines = GPIOLineUses(lines: [], isIncomplete: false)
    var tree: DeviceTree?
  }

  init(_ place: BoardFile.Place, of board: BoardFile, in surroundings: Surroundings) {
    number = place.pin + 1
    pin = board[place]
    chip = pin.line.flatMap { board.chips[$0.chip].labels.first }
    configured = surroundings.configured.filter { board.places(of: $0.address).contains(place) }
      .map { $0.name }
    let line = board.addresses(of: place).compactMap { surroundings.lines.line(at: $0) }.first
    isTaken = line?.isTaken ?? false
    consumer = line?.consumer ?? []
    isFunctionEnabled = pin.signal.flatMap { signal in
      let nodes = board.functions[signal.function].nodes
      return nodes.compactMap { surroundings.tree?.isEnabled($0) }.first
    }
  }
}

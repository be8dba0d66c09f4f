import Board
import Bytes

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

  /// JSON object on one line with all pins.
  var json: [UInt8] {
    // JSON takes at most six bytes for one.
    var line = ByteBuffer(capacity: 4096 + headers.reduce(0) { $0 + $1.pins.count } * 4096)
    line.openJSONObject()
    line.appendMember("board", board.name.span)
    line.appendJSON(key: "headers")
    line.openJSONArray()
    for header in headers {
      line.openJSONObject()
      line.appendMember("name", header.name.span)
      line.appendJSON(key: "pins")
      line.openJSONArray()
      for pin in header.pins { pin.write(into: &line) }
      line.closeJSONArray()
      line.closeJSONObject()
    }
    line.closeJSONArray()
    line.closeJSONObject()
    line.append(UInt8(ascii: "\n"))
    return [UInt8](line.bytes)
  }
}

extension PinReport {
  fileprivate func write(into line: inout ByteBuffer) {
    line.openJSONObject()
    line.appendMember("pin", number)
    line.appendJSON(key: "names")
    Self.write(pin.names, into: &line)
    if let place = pin.line {
      if let chip { line.appendMember("chip", chip.span) }
      line.appendMember("line", Int(place.offset))
      line.appendJSON(key: "configured")
      Self.write(configured, into: &line)
      line.appendJSON(key: "is_taken")
      line.appendJSON(isTaken)
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
    line.closeJSONObject()
  }

  private static func write(_ texts: [[UInt8]], into line: inout ByteBuffer) {
    line.openJSONArray()
    for text in texts { line.appendJSON(text.printable) }
    line.closeJSONArray()
  }
}

import Board
import Bytes
import Drivers
import Sensing

/// A pin of a header, and what uses it.
struct PinReport: Equatable {
  /// How a program of ours calls itself when it takes a line.
  private static let ownConsumer: StaticString = "homeward"

  let number: Int
  let pin: BoardFile.Pin
  /// The label of the chip of its line; nil where it is no line, or the label is not constant.
  let chip: [UInt8]?
  /// What the configuration calls the things at its line.
  let configured: [[UInt8]]
  /// Whether a program or a driver has the line.
  let isTaken: Bool
  /// How that one calls itself; empty where it does not, or none is there.
  let consumer: [UInt8]
  /// Whether the function that may take the line is enabled; nil where that is not known.
  let isFunctionEnabled: Bool?

  /// In a few words, as there is little room: what uses the line; in parentheses what may.
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

  /// Whether anything uses the line now, or the configuration wants it.
  var isUsed: Bool { !configured.isEmpty || isTaken || isFunctionEnabled == true }

  private var isTakenByAgent: Bool {
    !configured.isEmpty && consumer.span.elementsEqual(Self.ownConsumer)
  }

  /// What else has a line that the configuration wants; nil where nothing has.
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
  /// What is known of a machine beside its board file.
  struct Surroundings {
    /// Where the configuration has things, and what it calls them.
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

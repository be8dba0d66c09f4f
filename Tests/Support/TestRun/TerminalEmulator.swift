import Foundation

/// A terminal as a program sees it: bytes in, a picture out. It knows what `homeward status
/// --watch` may write, and takes everything else for a fault. How wide a character is the C library
/// says.
public struct TerminalEmulator {
  public struct Cell: Equatable, Sendable {
    /// Empty for the second column of a wide character.
    public var text: String
    /// The parameters of the last `m` sequence, such as `0;1`.
    public var style: String
  }

  private static let blank = Cell(text: " ", style: "0")

  public let columns: Int
  public let rows: Int
  public private(set) var cells: [[Cell]]
  /// Whether the program has the other screen, and what it set on it.
  public private(set) var isOtherScreen = false
  public private(set) var isCursorShown = true
  public private(set) var isWrapping = true
  /// What no terminal should be sent.
  public private(set) var faults: [String] = []
  private var row = 0
  private var column = 0
  private var style = "0"
  private var waiting: [UInt8] = []

  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Self.empty(columns, rows)
  }

  private static func empty(_ columns: Int, _ rows: Int) -> [[Cell]] {
    Array(repeating: Array(repeating: blank, count: columns), count: rows)
  }

  /// What is on the screen, without the spaces at the ends of its lines.
  public var lines: [String] {
    cells.map { row in
      let end = row.lastIndex { $0.text != " " }.map { $0 + 1 } ?? 0
      return row[..<end].map(\.text).joined()
    }
  }

  public mutating func feed(_ bytes: [UInt8]) {
    waiting += bytes
    while let count = takeNext() { waiting.removeFirst(count) }
  }

  /// Obeys the first character or sequence; nil where not all of it has come.
  private mutating func takeNext() -> Int? {
    guard let first = waiting.first else { return nil }
    if first == 0x1B { return takeSequence() }
    let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard waiting.count >= length else { return nil }
    let text = String(decoding: waiting[..<length], as: UTF8.self)
    switch first {
    case 0x0D: column = 0
    case 0x0A: row = min(row + 1, rows - 1)
    default: put(text)
    }
    return length
  }

  private mutating func put(_ text: String) {
    guard text.unicodeScalars.count == 1, let scalar = text.unicodeScalars.first,
      let width = Self.width(of: scalar), width > 0
    else { return faults.append("the character \(text.unicodeScalars.map(\.value))") }
    guard column + width <= columns else { return faults.append("\(text) behind the last column") }
    cells[row][column] = Cell(text: text, style: style)
    if width == 2 { cells[row][column + 1] = Cell(text: "", style: style) }
    column += width
  }

  private mutating func takeSequence() -> Int? {
    guard waiting.count > 1 else { return nil }
    guard waiting[1] == UInt8(ascii: "[") else {
      faults.append("ESC \(waiting[1])")
      return 2
    }
    guard let end = waiting[2...].firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return nil
    }
    obey(String(decoding: waiting[2...end], as: UTF8.self))
    return end + 1
  }

  private mutating func obey(_ sequence: String) {
    switch sequence {
    case "2J": cells = Self.empty(columns, rows)
    case "H": (row, column) = (0, 0)
    case "?1049h", "?1049l":
      isOtherScreen = sequence.last == "h"
      cells = Self.empty(columns, rows)
    case "?25h", "?25l": isCursorShown = sequence.last == "h"
    case "?7h", "?7l": isWrapping = sequence.last == "h"
    case let place where place.last == "H":
      let numbers = place.dropLast().split(separator: ";").compactMap { Int($0) }
      guard numbers.count == 2, (1...rows).contains(numbers[0]), (1...columns).contains(numbers[1])
      else { return faults.append(sequence) }
      (row, column) = (numbers[0] - 1, numbers[1] - 1)
    case let new where new.last == "m": style = String(new.dropLast())
    default: faults.append(sequence)
    }
  }

  /// How many columns a character takes; nil where it is none that can be seen.
  public static func width(of scalar: Unicode.Scalar) -> Int? {
    let former = unsafe uselocale(utf8)
    defer { unsafe uselocale(former) }
    let width = wcwidth?(Int32(bitPattern: scalar.value)) ?? -1
    return width < 0 ? nil : Int(width)
  }

  private nonisolated(unsafe) static let utf8 = unsafe newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)

  // Glibc's headers show it to those only who ask for X/Open.
  private static let wcwidth: (@convention(c) (Int32) -> Int32)? =
    unsafe dlsym(nil, "wcwidth").map {
      unsafe unsafeBitCast($0, to: (@convention(c) (Int32) -> Int32).self)
    }
}

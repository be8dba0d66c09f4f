import Bytes

/// Map of the last fixes in metres from the first one: the track without its location.
struct TrackMap {
  static let pointsMax = 256
  /// Larger than the distance between any two places.
  private static let offsetMax = 40_000_000

  private struct Point {
    let east: Int
    let north: Int
    /// Whether a line from the previous point is drawn.
    let isJoined: Bool
  }

  private var points: [Point] = []

  var isEmpty: Bool { points.isEmpty }

  /// Removes all points: later ones count from another first fix.
  mutating func removeAll() { points.removeAll(keepingCapacity: true) }

  mutating func append(east: Int, north: Int, isJoined: Bool) {
    if points.count == Self.pointsMax { points.removeFirst() }
    points.append(
      Point(
        east: Swift.min(Swift.max(east, -Self.offsetMax), Self.offsetMax),
        north: Swift.min(Swift.max(north, -Self.offsetMax), Self.offsetMax), isJoined: isJoined))
  }

  /// Draws the track into these cells, north up, and a line with the scale below it.
  func draw(into grid: inout ScreenGrid, _ rows: Range<Int>, _ columns: Range<Int>, isUnicode: Bool)
  {
    guard let last = points.last, rows.count > 1, columns.count >= 4 else { return }
    let canvas = DotCanvas(rows: rows.count - 1, columns: columns.count)
    let drawing = drawing(on: canvas)
    for row in 0..<canvas.rows {
      var cells: [ScreenCell] = []
      for column in 0..<canvas.columns {
        cells.append(drawing.canvas.cell(row, column, isUnicode: isUnicode))
      }
      grid.put(cells, row: rows.lowerBound + row, column: columns.lowerBound)
    }
    let here = drawing.place(of: last.east, last.north)
    let (row, column) = (here.y / 4, here.x / 2)
    var cell = drawing.canvas.cell(row, column, isUnicode: isUnicode)
    if !isUnicode { cell.scalar = 0x40 }
    cell.style = .good
    grid.put([cell], row: rows.lowerBound + row, column: columns.lowerBound + column)
    let bar: StaticString = isUnicode ? "├───┤" : "|---|"
    let meters = drawing.metersPerDot * 10
    let scale: MessageText =
      meters < 1000 ? "\(bar) \(meters) m" : "\(bar) \(meters / 1000) km"
    let text = columns.count >= 24 ? scale + ", north up" : scale
    grid.put(
      text.bytes.cells(.faint, isUnicode: isUnicode), row: rows.upperBound - 1,
      column: columns.lowerBound, end: columns.upperBound)
  }

  /// Dots of a map. They change rarely: the scale is no finer than needed, and the map moves by at
  /// least four dots.
  private struct Drawing {
    var canvas: DotCanvas
    let metersPerDot: Int
    /// Left and lower edge of the map, in dots from the first fix.
    let left: Int
    let bottom: Int

    func place(of east: Int, _ north: Int) -> (x: Int, y: Int) {
      (
        east.floored(by: metersPerDot) - left,
        canvas.height - 1 - (north.floored(by: metersPerDot) - bottom)
      )
    }
  }

  private func drawing(on canvas: DotCanvas) -> Drawing {
    var (west, east) = (Int.max, Int.min)
    var (south, north) = (Int.max, Int.min)
    for point in points {
      (west, east) = (min(west, point.east), max(east, point.east))
      (south, north) = (min(south, point.north), max(north, point.north))
    }
    var (power, digit) = (1, 1)
    var scale: Int { power * digit }
    while (east.floored(by: scale) - west.floored(by: scale)) >= canvas.width
      || (north.floored(by: scale) - south.floored(by: scale)) >= canvas.height
    {
      (power, digit) = digit == 5 ? (power * 10, 1) : (power, digit == 1 ? 2 : 5)
    }
    let first = (x: west.floored(by: scale), y: south.floored(by: scale))
    let free = (
      x: canvas.width - 1 - (east.floored(by: scale) - first.x),
      y: canvas.height - 1 - (north.floored(by: scale) - first.y)
    )
    var drawing = Drawing(
      canvas: canvas, metersPerDot: scale, left: first.x - free.x / 8 * 4,
      bottom: first.y - free.y / 8 * 4)
    var before: (x: Int, y: Int)?
    for point in points {
      let place = drawing.place(of: point.east, point.north)
      drawing.canvas.draw(from: point.isJoined ? before ?? place : place, to: place)
      before = place
    }
    return drawing
  }
}

/// Canvas of dots, two by four to a cell, as in braille.
private struct DotCanvas {
  let rows: Int
  let columns: Int
  private var cells: [UInt8]

  var width: Int { columns * 2 }
  var height: Int { rows * 4 }

  init(rows: Int, columns: Int) {
    self.rows = rows
    self.columns = columns
    cells = [UInt8](repeating: 0, count: rows * columns)
  }

  /// Draws a line of dots, both ends included (Bresenham).
  mutating func draw(from start: (x: Int, y: Int), to end: (x: Int, y: Int)) {
    var (x, y) = start
    let (dx, dy) = (abs(end.x - x), -abs(end.y - y))
    var error = dx + dy
    while true {
      set(x, y)
      if x == end.x, y == end.y { return }
      let twice = 2 * error
      if twice >= dy {
        error += dy
        x += x < end.x ? 1 : -1
      }
      if twice <= dx {
        error += dx
        y += y < end.y ? 1 : -1
      }
    }
  }

  private mutating func set(_ x: Int, _ y: Int) {
    guard (0..<width).contains(x), (0..<height).contains(y) else { return }
    // Braille got its lowest row of dots later: bits 6 and 7.
    let bit = y % 4 == 3 ? 6 + x % 2 : y % 4 + x % 2 * 3
    cells[y / 4 * columns + x / 2] |= 1 << UInt8(bit)
  }

  func cell(_ row: Int, _ column: Int, isUnicode: Bool) -> ScreenCell {
    guard (0..<rows).contains(row), (0..<columns).contains(column) else { return .blank }
    let dots = cells[row * columns + column]
    if dots == 0 { return .blank }
    return ScreenCell(scalar: isUnicode ? 0x2800 + UInt32(dots) : 0x2A, style: .plain)
  }
}

extension Int {
  /// Returns the quotient rounded down, also if it is negative.
  fileprivate func floored(by unit: Int) -> Int {
    let quotient = self / unit
    return self % unit < 0 ? quotient - 1 : quotient
  }
}

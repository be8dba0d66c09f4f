import Bytes

// The graphs, and the map of the track.

extension StatusScreen {
  private struct Graph {
    let name: StaticString
    let words: MessageText
    let history: SampleHistory
    let scale: ClosedRange<Int64>
  }

  private static let labelColumns = 20
  /// In a narrower window the map is below the graphs.
  private static let besideColumnsMin = 56

  /// Graphs of the values that the agent has reported so far.
  private var graphs: [Graph] {
    // In steps, so that one more waiting entry does not redraw the whole graph.
    var top: Int64 = 8
    for value in history.backlog.columns(max: SampleHistory.capacity) {
      while top < value ?? 0 { top *= 2 }
    }
    let graphs = [
      Graph(name: "battery", words: history.batteryWords, history: history.battery, scale: 0...100),
      // Below -95 dBm a radio receives nothing; above -35 dBm it is beside the access point.
      Graph(
        name: "signal", words: history.signalWords, history: history.signal, scale: -95 ... -35),
      Graph(
        name: "backlog", words: "\(Int(clamping: history.backlog.latest ?? 0))",
        history: history.backlog, scale: 0...top),
    ]
    return graphs.filter { !$0.history.isEmpty }
  }

  private var isMapBeside: Bool { size.columns >= Self.besideColumnsMin }

  private var mapRowCount: Int {
    if history.map.isEmpty || (!isMapBeside && size.rows < 24) { return 0 }
    return size.rows < 18 ? 4 : size.rows < 32 ? 6 : size.rows < 48 ? 10 : 16
  }

  private var graphRowCount: Int {
    let count = max(graphs.count, 1)
    let usual = size.rows < 32 ? 1 : size.rows < 48 ? 2 : 3
    let room = isMapBeside ? mapRowCount / count : 0
    return min(max(usual, room), 4)
  }

  var panelRowCount: Int {
    let rows = graphs.count * graphRowCount
    return isMapBeside ? max(rows, mapRowCount) : rows + mapRowCount
  }

  func drawPanel(into grid: inout ScreenGrid) {
    let mapColumns = min(max(size.columns * 3 / 10, 20), 64)
    let end = isMapBeside && mapRowCount > 0 ? size.columns - mapColumns - 2 : size.columns
    var row = 1
    for graph in graphs {
      let rows = row..<row + graphRowCount
      row = rows.upperBound
      grid.put(cells("\(graph.name)"), row: rows.lowerBound, column: 0)
      grid.put(
        cells(graph.words, .strong), row: rows.lowerBound, column: 9, end: Self.labelColumns - 1)
      grid.draw(
        graph.history, scale: graph.scale, in: rows, Self.labelColumns..<end,
        isUnicode: look.isUnicode)
    }
    if mapRowCount > 0 {
      let rows = isMapBeside ? 1..<1 + mapRowCount : row..<row + mapRowCount
      let columns = isMapBeside ? end + 2..<size.columns : 0..<size.columns
      history.map.draw(into: &grid, rows, columns, isUnicode: look.isUnicode)
    }
    if silence != nil { grid.setStyle(.faint, ofRows: 1..<1 + panelRowCount) }
  }
}

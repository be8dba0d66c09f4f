import Bytes
import Testing

@testable import Tools

/// The graphs of a screen, and the map of the track.
@Suite struct StatusGraphTests {
  // MARK: Samples

  private func history(_ values: [Int64?], every: Int = 10) -> SampleHistory {
    var history = SampleHistory(every: .seconds(every))
    for value in values { history.append(value) }
    return history
  }

  @Test func allOfTheTimeStaysOnTheGraph() {
    for count in [1, 2, 40, 255, 256, 257, 511, 512, 5000, 100_000] {
      let columns = history((0..<count).map { Int64($0) }).columns(max: 40)
      #expect(columns.count <= 40)
      #expect((columns.first ?? nil).map { $0 <= count / 40 + 1 } == true, "the oldest is there")
      #expect((columns.last ?? nil).map { $0 >= count - 1 - count / 19 } == true, "\(count)")
      #expect(columns.compactMap { $0 } == columns.compactMap { $0 }.sorted())
    }
  }

  @Test func whatIsNotKnownIsAGap() {
    #expect(history([1, nil, nil, 3]).columns(max: 9) == [1, nil, nil, 3])
    #expect(history([1, nil, nil, 3]).columns(max: 2) == [1, 3], "a mean of what is known")
    #expect(history([nil, nil]).isEmpty)
    #expect(history([5, nil]).latest == 5)
  }

  @Test func aColumnIsOfTenSecondsAndShowsWhatItHasAlready() {
    #expect(history([2, 4], every: 2).columns(max: 9) == [3])
    #expect(history([5, 5, 5, 5, 5, 9], every: 2).columns(max: 9) == [5, 9])
    #expect(history([5, 9], every: 60).columns(max: 9) == [5, 9])
  }

  @Test func noNumberIsTooLarge() {
    var history = history([.max, .min, .max, .max])
    for _ in 0..<1000 { history.append(.max) }
    #expect(history.columns(max: 1).count == 1)
    #expect(history.columns(max: 0) == [])
  }

  /// The three numbers are from outside, and each may be too large.
  @Test(arguments: [
    (#","waiting":{"readings":3,"locations":20},"history":{"entries":100}"#, 123),
    (#","waiting":{"locations":20}"#, 20), ("", 0),
    (#","waiting":{"readings":9223372036854775807},"history":{"entries":1}"#, 1 << 40),
  ])
  func whatWaitsIsTheSumOfItsKinds(_ members: String, _ sum: Int64) throws {
    let document = "{\"is_well\":true\(members)}"
    var history = StatusHistory(every: .seconds(10))
    let status = try #require(AgentStatus(document: [UInt8](document.utf8)))
    let moment = ScreenMoment(
      instant: Instant(nanoseconds: 0), local: WallTime(nanoseconds: 0))
    history.answered(status, at: moment)
    #expect(history.backlog.latest == sum)
  }

  private func graph(_ values: [Int64?], rows: Int, isUnicode: Bool) -> [String] {
    var grid = ScreenGrid(ScreenSize(columns: 12, rows: rows))
    grid.draw(history(values), scale: 0...100, in: 0..<rows, 2..<12, isUnicode: isUnicode)
    return grid.shown
  }

  @Test func aGraphIsOfBlocks() {
    let values: [Int64?] = [0, 13, 25, 50, nil, 75, 88, 100, 200, -5]
    #expect(graph(values, rows: 1, isUnicode: true) == ["  ▁▁▂▄ ▆▇██▁"])
    #expect(graph(values, rows: 2, isUnicode: true) == ["       ▄▆██", "  ▁▂▄█ ████▁"])
    #expect(graph(values, rows: 1, isUnicode: false) == ["  __.: +*##_"])
  }

  // MARK: The map

  private func map(
    _ points: [(Int, Int)], rows: Int = 3, columns: Int = 12, isUnicode: Bool = false,
    isJoined: Bool = true
  ) -> [String] {
    var map = TrackMap()
    for (east, north) in points { map.append(east: east, north: north, isJoined: isJoined) }
    var grid = ScreenGrid(ScreenSize(columns: columns, rows: rows))
    map.draw(into: &grid, 0..<rows, 0..<columns, isUnicode: isUnicode)
    return grid.shown
  }

  @Test func northIsUpAndTheScaleIsTold() {
    #expect(
      map([(0, 0), (100, 100)], rows: 4, columns: 14) == [
        "        *@", "      **", "    **", "|---| 100 m",
      ])
    #expect(map([(0, 0)], columns: 26).last == "|---| 10 m, north up")
    #expect(map([(0, 0), (90_000, 0)], columns: 14).last == "|---| 50 km")
  }

  @Test func brailleHasEightDotsInACell() {
    #expect(map([(0, 0), (1, 3)], rows: 2, columns: 4, isUnicode: true) == ["⡜", "├───"])
    #expect(
      map([(0, 0), (7, 0)], rows: 2, columns: 4, isUnicode: true, isJoined: false)[0] == "⡀  ⢀")
  }

  @Test func aMapMovesSeldom() {
    let narrow = (0..<40).map { map([(0, 0), ($0, 0)], rows: 4, columns: 40, isUnicode: true)[2] }
    // Where the way began moves by whole cells, and by no more than a few times.
    let beginnings = narrow.map { $0.prefix { $0 == " " }.count }
    #expect(Set(beginnings).count <= 8, "\(beginnings)")
  }

  @Test func noOffsetIsTooFar() {
    for far in [Int.max, .min, 40_000_000, -40_000_000, 0] {
      #expect(map([(far, far / -2), (0, far), (far / 3, 1)]).count == 3)
    }
    #expect(map([]) == ["", "", ""])
    var long = TrackMap()
    for step in 0..<1000 { long.append(east: step, north: 0, isJoined: true) }
    var grid = ScreenGrid(ScreenSize(columns: 130, rows: 2))
    long.draw(into: &grid, 0..<2, 0..<130, isUnicode: false)
    #expect(grid[0, 0] == .blank || grid.cells.contains { $0.scalar == 0x40 })
  }
}

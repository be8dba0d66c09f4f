import Bytes
import HomeAssistant

@testable import Outbox

/// Whether the chunks of history brought what stood on the disk under their numbers, and nothing
/// twice without a reason.
struct ChunkAudit {
  private typealias Item = RecordedEntry.Item

  private let world: World
  /// What came with each chunk: readings and fixes, each in its order.
  private var readings: [[Item]]
  private var fixes: [[Item]]
  private(set) var complaints: [String] = []

  private var chunks: [HomeRecords.Chunk] { world.home.records.chunks }
  private var witness: SpoolWitness { world.ledger.witness }

  init(_ world: World) {
    self.world = world
    let records = world.home.records
    readings = [[Item]](repeating: [], count: records.chunks.count)
    fixes = readings
    for sighting in records.sightings {
      guard case .history(let chunk) = sighting.way,
        let number = BoardSensor.number(of: sighting.value)
      else { continue }
      readings[chunk].append(.reading(number))
    }
    for location in records.locations {
      guard case .history(let chunk) = location.way else { continue }
      fixes[chunk].append(.fix(Board.fixNumber(longitude: location.longitude)))
    }
    for index in chunks.indices { check(index) }
    checkRepetitions()
    checkNews()
  }

  private mutating func complain(_ words: String) { complaints.append(words) }

  // MARK: Numbers and contents

  private mutating func check(_ index: Int) {
    let chunk = chunks[index]
    if chunk.byteCount > HistoryChunk.byteCountMax {
      complain("a chunk of \(chunk.byteCount) bytes")
    }
    guard let first = chunk.first, let last = chunk.last else { return }
    guard first <= last else { return complain("a chunk from \(first) to \(last)") }
    let numbers = UInt64(first)...UInt64(last)
    checkOrder(readings[index], numbers, of: chunk)
    checkOrder(fixes[index], numbers, of: chunk)
    let items = Set(readings[index] + fixes[index])
    for number in [numbers.lowerBound, numbers.upperBound] {
      guard let item = witness.entries[number]?.item, !items.contains(item) else { continue }
      complain("\(item) has the number \(number) and did not come with it")
    }
  }

  /// The items have numbers of the chunk, in that order, and none that stood on the disk as
  /// acknowledged before the life of the agent began that sent it.
  private mutating func checkOrder(
    _ items: [Item], _ numbers: ClosedRange<UInt64>, of chunk: HomeRecords.Chunk
  ) {
    let known = acknowledgedBefore(chunk)
    if let item = matched(items, numbers, without: { _ in false }).outside {
      complain("\(item) came with the numbers \(numbers), which are others' or in another order")
    } else if let item = matched(
      items, numbers,
      without: { number in
        known.allSatisfy { number <= $0 }
      }
    ).outside {
      complain("\(item) came again with the numbers \(numbers): it was acknowledged on the disk")
    }
  }

  /// What each life of the agent knew from the start that may have sent the chunk: a message may be
  /// on its way for so long as the network lets it.
  private func acknowledgedBefore(_ chunk: HomeRecords.Chunk) -> [UInt64] {
    let moment = world.instant(of: chunk.at)
    let before = witness.starts.filter { $0.at <= moment }
    let first = before.lastIndex { $0.at <= moment + (.zero - Network.timeout) } ?? 0
    return before[first...].map(\.acknowledged)
  }

  /// The numbers of the items, in their order, up to the first item that has none.
  private func matched(
    _ items: [Item], _ numbers: ClosedRange<UInt64>, without isKnown: (UInt64) -> Bool
  ) -> (numbers: [UInt64], outside: Item?) {
    var number = numbers.lowerBound
    var matched: [UInt64] = []
    for item in items {
      while number <= numbers.upperBound, witness.entries[number]?.item != item || isKnown(number) {
        number += 1
      }
      guard number <= numbers.upperBound else { return (matched, item) }
      matched.append(number)
      number += 1
    }
    return (matched, nil)
  }

  // MARK: Doubles

  /// Within a life each cause lets one chunk come again.
  private mutating func checkRepetitions() {
    var lives: [RecordedEntry: Int] = [:]
    var repeatedCount = 0
    for (index, chunk) in chunks.enumerated() {
      let moment = world.instant(of: chunk.at)
      let life = world.ledger.ends.count { $0.at < moment }
      let entries = entries(of: index, life: life + 1)
      if entries.contains(where: { lives[$0] == life }) { repeatedCount += 1 }
      for entry in entries { lives[entry] = life }
    }
    let causeCount = world.ledger.repetitionCauses
    if repeatedCount > causeCount {
      complain("\(repeatedCount) chunks came again, for \(causeCount) causes")
    }
  }

  /// Two lives may have recorded the same value: that are two entries.
  private func entries(of index: Int, life: Int) -> [RecordedEntry] {
    guard let first = chunks[index].first, let last = chunks[index].last, first <= last else {
      return (readings[index] + fixes[index]).map { RecordedEntry($0, life: life) }
    }
    let numbers = UInt64(first)...UInt64(last)
    return [readings[index], fixes[index]].flatMap { items in
      matched(items, numbers) { _ in false }.numbers.compactMap { witness.entries[$0] }
    }
  }

  /// What comes with numbers that are not above the highest of before is a double: a receiver that
  /// remembers that number can tell.
  private mutating func checkNews() {
    var seen: Set<String> = []
    var highest = 0
    var chunkUnderWay: Int?
    for sighting in world.home.records.sightings {
      guard case .history(let index) = sighting.way, let last = chunks[index].last else {
        seen.insert(sighting.value)
        continue
      }
      if let former = chunkUnderWay, former != index {
        highest = max(highest, chunks[former].last ?? 0)
      }
      chunkUnderWay = index
      if seen.insert(sighting.value).inserted, last <= highest {
        complain("\(sighting.value) is new, and its number \(last) is not above \(highest)")
      }
    }
  }
}

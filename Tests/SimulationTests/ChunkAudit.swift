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
    let sentAt = world.instant(of: chunk.at) + (.zero - Network.timeout)
    let known = witness.starts.last { $0.at <= sentAt }?.acknowledged ?? SequenceSet()
    if let item = firstOutside(numbers, items, without: SequenceSet()) {
      complain("\(item) came with the numbers \(numbers), which are others' or in another order")
    } else if let item = firstOutside(numbers, items, without: known) {
      complain("\(item) came again with the numbers \(numbers): it was acknowledged on the disk")
    }
  }

  private func firstOutside(
    _ numbers: ClosedRange<UInt64>, _ items: [Item], without known: SequenceSet
  ) -> Item? {
    var number = numbers.lowerBound
    for item in items {
      while number <= numbers.upperBound,
        known.contains(number) || witness.entries[number]?.item != item
      { number += 1 }
      guard number <= numbers.upperBound else { return item }
      number += 1
    }
    return nil
  }

  // MARK: Doubles

  /// Within a life each cause lets one chunk come again.
  private mutating func checkRepetitions() {
    var lives: [Item: Int] = [:]
    var repeatedCount = 0
    for (index, chunk) in chunks.enumerated() {
      let moment = world.instant(of: chunk.at)
      let life = world.ledger.ends.count { $0.at < moment }
      let items = readings[index] + fixes[index]
      if items.contains(where: { lives[$0] == life }) { repeatedCount += 1 }
      for item in items { lives[item] = life }
    }
    let causeCount = world.ledger.repetitionCauses
    if repeatedCount > causeCount {
      complain("\(repeatedCount) chunks came again, for \(causeCount) causes")
    }
  }

  /// What comes with numbers that are not above the highest of before is a double: a receiver that
  /// remembers that number can tell.
  private mutating func checkNews() {
    guard world.plan.order == .oldestFirst, !world.ledger.hasUnreadSegment else { return }
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

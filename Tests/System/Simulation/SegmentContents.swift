import Bytes
import HomeAssistant
import ModelDisk
import Sensing

@testable import Outbox

/// What one life of the agent recorded once: an entry of its spool.
struct RecordedEntry: Hashable {
  enum Item: Hashable {
    /// By the number that its value is.
    case reading(Int)
    case fix(Int)
  }

  let item: Item
  let life: Int

  init(_ item: Item, life: Int) {
    self.item = item
    self.life = life
  }

  init(_ entry: SpoolEntry, life: Int) { self.init(Item(entry), life: life) }
}

extension RecordedEntry.Item {
  init(_ entry: SpoolEntry) {
    switch entry.content {
    case .reading(_, .number(let number)): self = .reading(Int(number.coefficient))
    case .reading(_, .text(let text)):
      let value = String(decoding: [UInt8](text.bytes), as: UTF8.self)
      self = .reading(BoardSensor.number(of: value) ?? -1)
    // No sensor of the board has such a value.
    case .reading: self = .reading(-1)
    case .fix(let fix): self = .fix(Board.fixNumber(longitude: fix.longitude))
    }
  }
}

/// What stands in the file of a segment, whatever the agent knows of it.
struct SegmentContents {
  let first: UInt64
  /// The entries, by their numbers.
  private(set) var items: [UInt64: RecordedEntry.Item] = [:]
  /// Those of them whose sensor is not named before them: no agent can tell what they are.
  private(set) var nameless: Set<UInt64> = []
  /// What the header says that Home Assistant has; nil where there is no header.
  private(set) var acknowledgedBefore: UInt64?
  /// What the records say that it has.
  private(set) var acknowledged: UInt64 = 0
  /// How many entries have room in it.
  let entryCountMax: Int

  /// Looks at what stands behind `start`, where a record begins.
  init(of file: SegmentFile, in bytes: [UInt8], from start: Int = 0) {
    first = file.first
    entryCountMax = Segment(first: file.first, byteCount: bytes.count).entryCountMax
    let header = [UInt8](bytes.prefix(SegmentHeader.byteCount))
    if case .valid(let header) = SegmentHeader.read(header.span) {
      acknowledgedBefore = header.acknowledged
    }
    let reader = SegmentReader()
    reader.begin(SegmentSalt(first: file.first, device: SimulatedAgent.device))
    reader.seek(to: max(start, SegmentHeader.byteCount))
    while reader.readOffset < bytes.count {
      let chunk = bytes.dropFirst(reader.readOffset).prefix(reader.window.freeCapacity)
      reader.chunkAsked(byteCountMax: chunk.count)
      reader.fill { free in
        for (place, byte) in chunk.enumerated() { free[place] = byte }
        return chunk.count
      }
      while let record = reader.next(isWhole: reader.readOffset >= bytes.count) {
        take(record, reader)
      }
      reader.makeRoom()
    }
  }

  private mutating func take(_ record: SpoolRecord, _ reader: SegmentReader) {
    switch record {
    case .sensor, .clock, .passedOver: break
    case .entry(let entry):
      guard let number = entry.sequence else { return }
      items[number] = .init(entry)
      if !reader.isNamed(entry) { nameless.insert(number) }
    case .acknowledged(let number): acknowledged = max(acknowledged, number)
    }
  }

  /// Whether anything in it is of a spool: the power may go before there is.
  var isSegment: Bool { acknowledgedBefore != nil || !items.isEmpty || acknowledged > 0 }
  var numbers: Set<UInt64> { Set(items.keys) }
}

extension ModelDisk {
  /// What stands in the segment; nil where there is no such file.
  func contents(of file: SegmentFile, from start: Int = 0) -> SegmentContents? {
    bytes(of: SpoolFiles.path(of: file)).map { SegmentContents(of: file, in: $0, from: start) }
  }

  /// What the spool takes of it, in whole blocks: what it has set aside is none of its own.
  var spoolByteCount: Int {
    files.reduce(0) { sum, file in
      SpoolFiles.file(at: file.key) == nil
        ? sum : sum + Spool.occupiedByteCount(of: file.value.count)
    }
  }

  /// What stands in all segments, in the order of their numbers.
  func segments() -> [SegmentContents] {
    var segments: [SegmentContents] = []
    for (path, bytes) in files {
      guard let file = SpoolFiles.file(at: path), file.kind == .segment else { continue }
      segments.append(SegmentContents(of: file, in: bytes))
    }
    return segments.sorted { $0.first < $1.first }
  }
}

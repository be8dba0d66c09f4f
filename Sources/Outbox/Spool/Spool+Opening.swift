import Bytes

extension Spool.Segment {
  /// A number that no entry of the segment can have reached: each takes more than a byte.
  var numbersEnd: UInt64 { first + UInt64(min(byteCount, byteCountMax)) + 1 }
  /// A file that is larger is none of ours.
  var isTooLarge: Bool { byteCount > byteCountMax }
  private var byteCountMax: Int { Spool.unknownByteCount }
}

/// What is there at the start: every header is read, and the newest segment to its end. That is all,
/// so that a full spool costs no more time than a small one.
extension Spool {
  /// Answers `.list`; a file that is none of the spool's is left alone.
  public mutating func fileFound(name: Span<UInt8>, byteCount: Int) {
    precondition(isUnderWay && step == .unlisted, "files are told when they are asked for")
    guard let file = SegmentFile(name: name) else { return }
    if file.kind == .thinned {
      leftovers.append(file)
    } else {
      segments.append(Segment(first: file.first, byteCount: byteCount))
    }
  }

  mutating func listed() {
    segments.sort { $0.first < $1.first }
    diskWorks()
    readHeader(0)
  }

  private mutating func readHeader(_ index: Int) {
    guard index < segments.count else { return scanNewest() }
    reader.clear()
    step = .readingHeader(index)
  }

  mutating func headerRead(_ index: Int) {
    let segment = segments[index]
    if segment.byteCount < SegmentHeader.byteCount { return neverWritten(index) }
    switch SegmentHeader.read(reader.window.bytes) {
    case .valid(let header):
      guard header.device == device, header.first == segment.first,
        !segment.isTooLarge
      else { return setAside(index) }
      segments[index].thinnings = header.thinnings
      segments[index].isHeaderReadable = true
      persisted.insert(0...header.acknowledged, forgetting: forgotten)
      readHeader(index + 1)
    case .unreadable where !segment.isTooLarge:
      readHeader(index + 1)
    case .foreign, .unreadable: setAside(index)
    }
  }

  /// What stands in the segment is looked at when its turn comes.
  mutating func headerNotRead(_ index: Int) {
    nextSequence = max(nextSequence, segments[index].numbersEnd)
    readHeader(index + 1)
  }

  /// The power went before there was a header. Its number goes with it.
  private mutating func neverWritten(_ index: Int) {
    nextSequence = max(nextSequence, segments[index].first + 1)
    leftovers.append(segments[index].file)
    leaveOut(index)
  }

  /// Keeps the numbers of the file from being given again, and the file from being touched.
  private mutating func setAside(_ index: Int) {
    nextSequence = max(nextSequence, segments[index].numbersEnd)
    step = .settingAside(index, segments[index].asideFile)
  }

  /// The segment is none of ours from here on.
  mutating func leaveOut(_ index: Int) {
    segments.remove(at: index)
    loseCursor()
    if isOpen { step = .idle } else { readHeader(index) }
  }

  // MARK: The newest

  private mutating func scanNewest() {
    guard let newest = segments.last else { return opened() }
    nextSequence = max(nextSequence, newest.first)
    reader.begin(SegmentSalt(first: newest.first, device: device))
    if newest.byteCount <= SegmentHeader.byteCount {
      scanEnded()
    } else {
      step = .scanning
    }
  }

  mutating func scan() {
    if chunkByteCount == 0 { segments[segments.count - 1].byteCount = reader.readOffset }
    let isWhole = reader.readOffset >= newest.byteCount
    while let record = reader.next(isWhole: isWhole) {
      switch record {
      case .entry(let entry):
        if let sequence = entry.sequence { nextSequence = max(nextSequence, sequence + 1) }
      case .acknowledged(let sequence):
        persisted.insert(0...sequence, forgetting: forgotten)
      case .acknowledgedRanges(let ranges):
        persisted.formUnion(ranges, forgetting: forgotten)
      case .sensor: break
      }
    }
    guard isWhole else {
      reader.makeRoom()
      return
    }
    scanEnded()
  }

  private mutating func scanEnded() {
    let end = reader.endOfRecords
    let tornByteCount = max(0, newest.byteCount - end)
    // What cannot be read had numbers as well, and each took more than a byte.
    skipNumbers(UInt64(reader.damagedByteCount + tornByteCount))
    isNewestOpen = newest.isHeaderReadable && newest.thinnings == 0
    if isGarbage(segments.count - 1) { return setAside(segments.count - 1) }
    if tornByteCount > 0, isNewestOpen {
      step = .cutting(end)
    } else {
      opened()
    }
  }

  mutating func cut(to byteCount: Int) {
    losses.tornByteCount += newest.byteCount - byteCount
    segments[segments.count - 1].byteCount = byteCount
    opened()
  }

  /// The disk does not say what stands in the newest segment; nothing is added to it.
  mutating func scanFailed() {
    nextSequence = max(nextSequence, newest.numbersEnd)
    isNewestOpen = false
    opened()
  }

  mutating func opened() {
    if isNewestOpen {
      writer = SegmentWriter(SegmentSalt(first: newest.first, device: device))
    }
    acknowledged.formUnion(persisted, forgetting: forgotten)
    taken.formUnion(acknowledged, forgetting: forgotten)
    // What Home Assistant has was given, whether or not it is still to be read here.
    nextSequence = max(nextSequence, acknowledged.highest + 1)
    isOpen = true
    step = .idle
  }
}

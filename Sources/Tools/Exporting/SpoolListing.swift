import Board
import Bytes
import LinuxIO
import Outbox

struct SpoolListing: ~Copyable {
  private let folder: SpoolFolder
  private let segments: [ArchivedSegment]

  init(of folder: consuming SpoolFolder) {
    while folder.next() != nil {}
    segments = folder.archive.segments.filter { $0.condition != .vanished }
    self.folder = folder
  }

  var code: ExitCode { folder.archive.exitCode }
  private var directory: Path { folder.path }
  private var byteCount: Int { segments.reduce(0) { $0 + $1.byteCount } }
  private var entryCount: Int { segments.reduce(0) { $0 + $1.entryCount } }
  private var waitingCount: Int { segments.reduce(0) { $0 + $1.waitingCount } }

  // MARK: For people

  var lines: [UInt8] {
    guard !segments.isEmpty else {
      let line: MessageText = "\(directory) is empty: nothing is waiting.\n"
      return line.bytes
    }
    var table = ListTable(["file", "bytes", "entries", "waiting", "sequence", "from", "to", ""])
    for segment in segments { table.append(cells(of: segment)) }
    let totals: MessageText =
      "\nfiles: \(segments.count), bytes: \(byteCount), entries: \(entryCount), waiting for Home"
      + " Assistant: \(waitingCount)\n"
    return table.lines + totals.bytes + remarks.bytes
  }

  private var remarks: MessageText {
    var text: MessageText = ""
    let (last, deviceCount) = (folder.archive.acknowledgedSequence, folder.archive.deviceCount)
    if last > 0 { text = "Home Assistant has everything up to \(decimal: last).\n" }
    if deviceCount > 1 { text = text + "These are the files of \(deviceCount) devices.\n" }
    return text
  }

  private func cells(of segment: ArchivedSegment) -> [MessageText] {
    [
      MessageText(bytes: segment.file.name), "\(segment.byteCount)", "\(segment.entryCount)",
      "\(segment.waitingCount)",
      segment.sequences.map { "\(decimal: $0.lowerBound)-\(decimal: $0.upperBound)" } ?? "",
      segment.times.map { "\(localTime: $0.lowerBound)" } ?? "",
      segment.times.map { "\(localTime: $0.upperBound)" } ?? "", segment.notes.joined,
    ]
  }

  // MARK: For scripts

  var json: [UInt8] {
    jsonLine { line in
      line.appendMember("directory", directory.bytes.span)
      line.appendMember("segments", objects: segments) { $1.appendMembers(of: $0) }
      line.appendMember("bytes", byteCount)
      line.appendMember("entries", entryCount)
      line.appendMember("waiting", waitingCount)
      line.appendMember("acknowledged_up_to", folder.archive.acknowledgedSequence)
      line.appendMember("devices", folder.archive.deviceCount)
    }
  }
}

extension ByteBuffer {
  @inline(never)
  fileprivate mutating func appendMember(_ key: StaticString, _ number: UInt64) {
    appendJSON(key: key)
    appendJSON(number)
  }

  @inline(never)
  private mutating func appendMember(_ key: StaticString, _ time: WallTime) {
    appendMember(key, Text(iso8601: time).bytes.span)
  }

  fileprivate mutating func appendMembers(of segment: ArchivedSegment) {
    appendMember("file", segment.file.name.span)
    appendMember("condition", segment.conditionCode)
    appendMember("is_aside", segment.isAside)
    if let device = segment.device { appendMember("device", device + 1) }
    appendMember("bytes", segment.byteCount)
    appendMember("entries", segment.entryCount)
    appendMember("waiting", segment.waitingCount)
    if let sequences = segment.sequences {
      appendMember("first", sequences.lowerBound)
      appendMember("last", sequences.upperBound)
    }
    if let times = segment.times {
      appendMember("from", times.lowerBound)
      appendMember("to", times.upperBound)
    }
    appendMember("damaged_bytes", segment.damagedByteCount)
    appendMember("torn_bytes", segment.tornByteCount)
    appendMember("nameless", segment.namelessCount)
  }
}

extension MessageText.StringInterpolation {
  @inline(never)
  fileprivate mutating func appendInterpolation(decimal number: UInt64) {
    appendInterpolation(bytes: [UInt8](byteCountMax: 20) { $0.append(decimal: number) })
  }
}

extension ArchivedSegment {
  var flaws: [MessageText] {
    var flaws: [MessageText] = []
    switch condition {
    case .intact, .vanished: break
    case .headless: flaws.append("its header is damaged")
    case .otherVersion: flaws.append("not read: written by another version of Homeward")
    case .unknown: flaws.append(byteCount == 0 ? "empty" : "not a spool file")
    case .unreadable(let failure):
      flaws.append("cannot be read: \(Errno(code: failure.code))")
    }
    if let device, device > 0 { flaws.append("from another device") }
    if damagedByteCount > 0 { flaws.append("damaged: \(damagedByteCount, "byte")") }
    if tornByteCount > 0 { flaws.append("incomplete entry at its end: \(tornByteCount, "byte")") }
    if namelessCount > 0 { flaws.append("without a known sensor: \(namelessCount, "reading")") }
    return flaws
  }

  var notes: [MessageText] {
    isAside ? ["set aside"] + flaws : flaws
  }

  var conditionCode: StaticString {
    switch condition {
    case .intact: "intact"
    case .headless: "headless"
    case .otherVersion: "other_version"
    case .unknown: "unknown"
    case .unreadable: "unreadable"
    case .vanished: "vanished"
    }
  }
}

extension [MessageText] {
  /// `first; second`
  var joined: MessageText {
    var text: MessageText = ""
    for index in indices { text = index == 0 ? self[index] : text + "; " + self[index] }
    return text
  }
}

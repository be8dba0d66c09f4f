import Board
import Bytes
import Drivers
import LinuxIO
import Sensing

/// Sources on this board, each with its present values.
struct FoundSources {
  /// Maximum time for one device; gpsd gets no first fix in that time.
  private static let timeout: Duration = .seconds(10)

  struct Entry {
    let item: FoundItem
    /// Nil if it was not to be read.
    let sample: SourceSample?

    /// Values in words, or the reason why there are none.
    var words: MessageText {
      if let words = item.words { return words }
      if !isReadable, let (name, failure) = sample?.failures.first {
        return failure.words(of: name).without(item.address)
      }
      return sample?.words(without: item.name) ?? "no value"
    }

    var isReadable: Bool { sample?.hasValue == true }
  }

  struct Kind {
    let found: FoundKind
    let entries: [Entry]
  }

  let kinds: [Kind]

  /// Finds all sources, and reads each one once with the agent's own drivers.
  ///
  /// `screen` is the terminal of a person who sees the progress. `readsAll`: whether sources that
  /// are not entries of `sensors` are read, too.
  init(
    of configuration: Configuration, loop: EventLoop, screen: Int32?, readsAll: Bool = true,
    devices: Path = Path("/dev")
  ) throws(CommandFailure) {
    let sampler = SourceSampler(loop: loop, timeout: Self.timeout, screen: screen)
    let context = sampler.context(of: configuration)
    var kinds: [Kind] = []
    for found in configuration.findSources(loop: loop, devices: devices) {
      var entries: [Entry] = []
      for item in found.items {
        var sample: SourceSample?
        if item.words == nil, readsAll || found.isEntry,
          let source = configuration.reporting(item, of: found)?.sources(context).first
        {
          sample = try sampler.sample(source)
        }
        entries.append(Entry(item: item, sample: sample))
      }
      kinds.append(Kind(found: found, entries: entries))
    }
    self.kinds = kinds
    self.sampler = sampler
  }

  func kind(_ key: StaticString) -> Kind? {
    kinds.first { [UInt8]($0.found.key).span.elementsEqual(key) }
  }

  /// Retained because the loop refers to its sources.
  private let sampler: SourceSampler
}

extension MessageText {
  /// Returns the text without the name at its begin, which the line already shows.
  fileprivate func without(_ name: [UInt8]) -> MessageText {
    guard bytes.starts(with: name) else { return self }
    let rest = bytes.dropFirst(name.count).drop { $0 == UInt8(ascii: ":") }
    guard rest.first == UInt8(ascii: " ") else { return self }
    return MessageText(bytes: [UInt8](rest.dropFirst()))
  }
}

extension FoundSources {
  /// Returns text for people: each kind found, each device with its values, and below it the YAML
  /// that reports it, or the part of the configuration that already does.
  ///
  ///     Thermometers on 1-Wire
  ///       28-0316a2796cff: 21.3 °C
  ///         - { one_wire: 28-0316a2796cff, name: Thermometer 6cff }
  ///
  /// The end says where a line goes in the configuration `file`; nil if there is no configuration.
  func lines(isColored: Bool, file: [UInt8]?) -> [UInt8] {
    var lines: [UInt8] = []
    for kind in kinds where !kind.found.isEmpty {
      if !lines.isEmpty { lines.append(UInt8(ascii: "\n")) }
      lines += kind.lines(isColored: isColored)
    }
    if lines.isEmpty { return [UInt8]("Nothing was found that Homeward can report.\n") }
    return lines + advice(file).bytes
  }

  private func advice(_ file: [UInt8]?) -> MessageText {
    guard let file else {
      return "\nTo report it, and to write these lines into a configuration: sudo homeward pair\n"
    }
    guard kinds.contains(where: { $0.found.isEntry && $0.isNew }) else { return "" }
    let place: MessageText =
      file.span.elementsEqual("-") ? "the configuration" : "\(Path(file))"
    return
      "\nA line with a dash goes below \"sensors:\" of \(place); then:"
      + " \(Arguments.command("check"))\n"
  }

  var json: [UInt8] {
    jsonLine { line in
      line.appendMember("kinds", objects: kinds.filter { !$0.found.isEmpty }) {
        $0.writeMembers(into: &$1)
      }
    }
  }
}

extension FoundSources.Kind {
  /// Whether there is a line for something that the configuration does not report.
  fileprivate var isNew: Bool {
    entries.contains { $0.item.line != nil && $0.item.reportedBy == nil }
  }

  fileprivate func lines(isColored: Bool) -> [UInt8] {
    let (bold, dim, plain) = isColored ? ("\u{1B}[1m", "\u{1B}[2m", "\u{1B}[0m") : Self.noColors
    var lines: MessageText = "\(bold)\(found.title)\(plain)\n"
    for entry in entries {
      let address = entry.item.address.printable
      lines = lines + "  \(bytes: address): \(entry.words)\n"
      if let reason = entry.item.reportedBy {
        lines = lines + "    \(dim)\(reason)\(plain)\n"
      } else if found.isEntry, let line = entry.item.line {
        lines = lines + "    - \(line)\n"
      }
    }
    if isNew, let line = found.line { lines = lines + "    \(line)\n" }
    for remark in remarks { lines = lines + "  \(remark)\n" }
    return lines.bytes
  }

  private static let noColors: (StaticString, StaticString, StaticString) = ("", "", "")

  private var remarks: [MessageText] {
    var remarks: [MessageText] = []
    if let note = found.note { remarks.append(note) }
    if found.omittedCount > 0 { remarks.append("and \(found.omittedCount) more") }
    if found.unusableCount > 0 {
      remarks.append("and \(found.unusableCount) with names that a configuration cannot hold")
    }
    return remarks
  }

  fileprivate func writeMembers(into line: inout ByteBuffer) {
    line.appendMember("key", found.key)
    line.appendMember("title", found.title)
    line.appendMember("found", objects: entries) {
      $0.writeMembers(into: &$1, isEntry: found.isEntry)
    }
    if let yaml = found.line { line.appendMember("yaml", yaml.bytes.span) }
    if let note = found.note { line.appendMember("note", note.bytes.span) }
    line.appendMember("omitted", found.omittedCount)
    line.appendMember("unusable", found.unusableCount)
  }
}

extension FoundSources.Entry {
  fileprivate func writeMembers(into line: inout ByteBuffer, isEntry: Bool) {
    line.appendMember("address", item.address.printable.span)
    if !item.name.isEmpty { line.appendMember("name", item.name.span) }
    line.appendMember("is_reported", item.reportedBy != nil)
    if isEntry, let yaml = item.line {
      line.appendMember("yaml", ("- \(yaml)" as MessageText).bytes.span)
    }
    line.appendMember("text", words.bytes.span)
    line.appendMember("sensors", objects: sample?.sensors ?? []) { $0.writeMembers(into: &$1) }
    if let failure = sample?.failures.first?.failure { line.appendMember("failure", failure.code) }
  }
}

extension SourceSample.Sensor {
  fileprivate func writeMembers(into line: inout ByteBuffer) {
    line.appendMember("name", description.name.printable.span)
    line.appendMember("value") { line in
      switch value {
      case .number(let number): line.appendJSON(number)
      case .boolean(let isOn): line.appendJSON(isOn)
      case .text(let text): line.appendJSON(text.bytes)
      case .unknown, .unavailable, nil: line.appendJSONNull()
      }
    }
    if let unit = description.unit { line.appendMember("unit", unit.span) }
    if let deviceClass = description.deviceClass {
      line.appendMember("device_class", deviceClass.span)
    }
  }
}

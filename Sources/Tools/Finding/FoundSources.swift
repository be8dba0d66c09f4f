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
  ///
  /// - Throws: the kernel refuses to wait.
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

  /// Returns the kind with a key; nil if the search does not include it.
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

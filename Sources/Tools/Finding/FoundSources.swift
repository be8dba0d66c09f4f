import Board
import Bytes
import Drivers
import LinuxIO
import Sensing

/// What this board has, each thing with what it says now.
struct FoundSources {
  /// How long a part may take; gpsd gets no fix in that time where it had none before.
  private static let timeout: Duration = .seconds(10)

  struct Entry {
    let item: FoundItem
    /// Nil where it was not to be read.
    let sample: SourceSample?

    /// What it says, or why it says nothing.
    var words: MessageText {
      if let words = item.words { return words }
      if !isReadable, let (name, failure) = sample?.failures.first {
        return failure.words(of: name).without(item.address)
      }
      return sample?.words(without: item.name) ?? "no value"
    }

    /// Whether it has a value now.
    var isReadable: Bool { sample?.hasValue == true }
  }

  struct Kind {
    let found: FoundKind
    let entries: [Entry]
  }

  let kinds: [Kind]

  /// Looks for them, and reads each one once with the agent's own drivers.
  ///
  /// - Parameters:
  ///   - configuration: what is reported already, and where the kernel is.
  ///   - loop: what waits for them.
  ///   - screen: the terminal of a person who is told what is waited for.
  ///   - readsAll: whether also that is read which is no entry of `sensors`.
  ///   - devices: where the devices are.
  /// - Throws: that the kernel refuses to wait.
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

  /// The kind with a key; nil where nothing of it is looked for.
  func kind(_ key: StaticString) -> Kind? {
    kinds.first { [UInt8]($0.found.key).span.elementsEqual(key) }
  }

  /// It stays: the loop knows what it asked.
  private let sampler: SourceSampler
}

extension MessageText {
  /// The text without the name that it begins with, which stands before it already.
  fileprivate func without(_ name: [UInt8]) -> MessageText {
    guard bytes.starts(with: name) else { return self }
    let rest = bytes.dropFirst(name.count).drop { $0 == UInt8(ascii: ":") }
    guard rest.first == UInt8(ascii: " ") else { return self }
    return MessageText(bytes: [UInt8](rest.dropFirst()))
  }
}

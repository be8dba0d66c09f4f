import Bytes

/// Arguments of the kernel: the first line of `cmdline.txt`, which the firmware of the board reads.
struct KernelArguments {
  static let fileName: StaticString = "cmdline.txt"
  private static let country: StaticString = "cfg80211.ieee80211_regdom="
  private static let overlay: StaticString = "overlayroot="

  private(set) var words: [[UInt8]] = []
  /// Further lines, which have no effect.
  private let rest: [UInt8]

  /// Reads the file; nil if it names no root: with such a file the board would not start.
  init?(_ text: [UInt8]) {
    let end = text.firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? text.count
    rest = [UInt8](text[end...])
    var (word, isQuoted): ([UInt8], Bool) = ([], false)
    for byte in text[..<end] + [UInt8(ascii: " ")] {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte.isASCIISpace, !isQuoted {
        if !word.isEmpty { words.append(word) }
        word = []
      } else {
        word.append(byte)
      }
    }
    guard !isQuoted, words.contains(where: { $0.span.starts(with: "root=") }) else { return nil }
  }

  var text: [UInt8] {
    var line: [UInt8] = []
    for word in words { line += (line.isEmpty ? [] : [UInt8(ascii: " ")]) + word }
    return line + (rest.isEmpty ? [UInt8(ascii: "\n")] : rest)
  }

  /// Whether the root is read-only, below a layer in memory.
  var isSealed: Bool { words.contains { $0.span.starts(with: "overlayroot=tmpfs") } }

  mutating func setCountry(_ code: [UInt8]) { set(Self.country, [UInt8](Self.country) + code) }

  mutating func seal() {
    change("rw", to: "ro")
    words.removeAll { $0.span.elementsEqual("rw") }
    if !words.contains(where: { $0.span.elementsEqual("ro") }) { words.append([UInt8]("ro")) }
    set(Self.overlay, [UInt8]("overlayroot=tmpfs:recurse=0"))
  }

  mutating func unseal() {
    words.removeAll { $0.span.starts(with: Self.overlay) }
    change("ro", to: "rw")
  }

  private mutating func change(_ word: StaticString, to other: StaticString) {
    let index = words.firstIndex { $0.span.elementsEqual(word) }
    if let index { words[index] = [UInt8](other) }
  }

  /// Replaces the first argument that begins so, and removes others; appends a new one.
  private mutating func set(_ beginning: StaticString, _ word: [UInt8]) {
    let index = words.firstIndex { $0.span.starts(with: beginning) } ?? words.count
    words.removeAll { $0.span.starts(with: beginning) }
    words.insert(word, at: min(index, words.count))
  }
}

import Board
import Bytes
import LinuxIO
import YAML

/// Provisioner of a board whose card has a `homeward.yaml`. Each setting is applied on its own: a
/// wrong one, or one that cannot be written, does not keep the others from the board.
final class Provisioner {
  /// File of the keys of the card. `sshd` of Debian reads it beside `authorized_keys`, which is of
  /// another hand.
  static let keysName: StaticString = "authorized_keys2"

  let card: Path
  let system: SystemFiles
  var report = ProvisionReport()

  init(card: Path, root: Path) {
    self.card = card
    system = SystemFiles(root: root)
  }

  /// Applies the file of the card, and writes the report beside it.
  func provision() throws(CommandFailure) -> ProvisionReport {
    removeUnfinished()
    report.isSealed = isSealed
    if let file = try read() {
      let problems = ProblemCollector(shownKeys: CardSettings.words)
      let settings = file.settings(problems)
      report.add(problems)
      // First the ways in, for a person who has to repair the rest.
      if let settings { apply(settings, of: file) }
      applyConfiguration(of: file)
    }
    let name = [UInt8](ProvisionReport.fileName)
    write(report.textForCard, named: name)
    return report
  }

  /// Whether this start has a read-only root, below a layer in memory.
  private var isSealed: Bool {
    let text = try? system.read([UInt8]("cmdline"), in: .kernel)
    return text.flatMap { KernelArguments($0) }?.isSealed == true
  }

  /// Whether the system makes its root read-only, as a card of `deploy/image` does.
  var isSealing: Bool {
    (try? system.read([UInt8]("homeward-seal.service"), in: .units)) ?? nil != nil
  }

  /// Removes what a loss of power left of the files that this program writes: one may have a
  /// password. On a read-only disk they remain.
  private func removeUnfinished() {
    let networks = (1...CardSettings.entriesMax).map { WiFiNetwork.fileName($0) }
    let files: [(SystemFiles.Folder, [[UInt8]])] = [
      (.networks, networks), (.keys, [[UInt8](Self.keysName)]),
      (.state, [[UInt8](StateDirectory.tokenName)]), (.configuration, [[UInt8](CardFile.name)]),
      (.etc, [[UInt8]("hostname"), [UInt8]("hosts")]),
    ]
    for (folder, names) in files { try? system.removeUnfinished(names, in: folder) }
    try? Directory(opening: card).removeUnfinished(
      of: card, named: [[UInt8](ProvisionReport.fileName), [UInt8](KernelArguments.fileName)])
  }

  func read() throws(CommandFailure) -> CardFile? {
    let folder: Directory
    do throws(Errno) { folder = try Directory(opening: card) } catch {
      throw CommandFailure(
        code: .noInput, text: "\(card) cannot be opened: \(error); name the folder with --card")
    }
    do throws(Errno) {
      let bytes = try folder.read(
        Path(CardFile.name), byteCountMax: Configuration.fileByteCountMax)
      guard !bytes.span.starts(with: "{\\rtf") else {
        report.add(
          mistake: "homeward.yaml:1:1: this is a document with formatting (RTF); save it as plain"
            + " text")
        return nil
      }
      return CardFile(bytes)
    } catch .noSuchFile {
      report.add(
        mistake:
          "homeward.yaml is missing; \(otherName.map { Self.renaming($0) } ?? "write one beside this report")",
        .noInput)
    } catch .fileTooLarge {
      report.add(mistake: "homeward.yaml:1:1: this is larger than 64 KiB; is it the right file?")
    } catch {
      report.add(
        mistake: "homeward.yaml cannot be read: \(error); write it again on a PC", .noInput)
    }
    return nil
  }

  private static func renaming(_ name: [UInt8]) -> MessageText {
    "rename \(bytes: name.printable), whose ending the PC may hide, to homeward.yaml"
  }

  /// First name of the card that was meant for the file: editors add an ending, and PCs hide it.
  private var otherName: [UInt8]? {
    var found: [UInt8]?
    try? DirectoryReader(opening: card).forEachName { name in
      let word = [UInt8](name).lowercasedASCII
      let isFile = word.span.starts(with: "homeward") && word.contains(UInt8(ascii: "."))
      guard isFile, !word.span.starts(with: "homeward-card.") else { return }
      if found.map({ [UInt8](name).lexicographicallyPrecedes($0) }) ?? true {
        found = [UInt8](name)
      }
    }
    return found
  }

  private func apply(_ settings: CardSettings, of file: CardFile) {
    applyKeys(settings.keys)
    if case .written(let name) = settings.hostName { applyHostName(name) }
    applyNetworks(settings)
    applyArguments(settings)
    if case .written(let token) = settings.token { applyToken(token, of: file) }
  }

  /// Performs a change of a file; reports a failure. Returns whether it was successful.
  @discardableResult
  func attempt(_ name: MessageText, _ change: () throws(Errno) -> Void) -> Bool {
    do throws(Errno) {
      try change()
      return true
    } catch {
      report.add(failure: "\(name) cannot be written: \(error); \(Self.remedy(error))")
      return false
    }
  }

  private static func remedy(_ error: Errno) -> MessageText {
    switch error {
    case .noSpace: "remove other files there"
    case .notPermitted, .operationNotPermitted: "use sudo"
    case .readOnlyFileSystem, .inputOutput: "check the card on a PC, and replace it if it fails"
    case .noSuchFile: "write the image to the card again"
    default: "start the board again, and report this if it stays"
    }
  }

  /// Writes a file of the card, unless it has this content. Returns whether it has it.
  @discardableResult
  func write(_ bytes: [UInt8], named name: [UInt8]) -> Bool {
    attempt("\(bytes: name) on the card") { () throws(Errno) in
      let folder = try Directory(opening: card)
      if (try? folder.read(Path(name), byteCountMax: bytes.count)) == bytes { return }
      try folder.replace(Path(name), with: bytes.span)
    }
  }
}

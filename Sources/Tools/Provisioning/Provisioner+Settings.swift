import Board
import Bytes
import LinuxIO

// The settings that the root and cmdline.txt hold.

extension Provisioner {
  func applyKeys(_ setting: CardSetting<[[UInt8]]>) {
    let name = [UInt8](Self.keysName)
    var keys: [[UInt8]] = []
    switch setting {
    case .wrong: return
    case .missing: break
    case .written(let lines): keys = lines
    }
    let isDone = attempt("\(bytes: SystemFiles.Folder.keys.path)/\(Self.keysName)") {
      () throws(Errno) in
      guard !keys.isEmpty else { return try system.remove(name, in: .keys) }
      try system.write(keys.flatMap { $0 + [UInt8(ascii: "\n")] }, to: name, in: .keys)
    }
    if isDone, !keys.isEmpty { report.add(setting: "Keys of SSH for root: \(keys.count)") }
  }

  func applyHostName(_ name: [UInt8]) {
    let isDone = attempt("/etc/hostname") { () throws(Errno) in
      try system.write(
        name + [UInt8(ascii: "\n")], to: [UInt8]("hostname"), in: .etc, isPublic: true)
    }
    let isInHosts = attempt("/etc/hosts") { () throws(Errno) in
      let file = [UInt8]("hosts")
      let hosts = try system.read(file, in: .etc) ?? [UInt8]("127.0.0.1\tlocalhost\n")
      try system.write(Self.hosts(hosts, naming: name), to: file, in: .etc, isPublic: true)
    }
    if system.isThisMachine, DeviceIdentity(host: .standard).hostName != name {
      attempt("the host name") { () throws(Errno) in try setHostName(name) }
    }
    if isDone, isInHosts { report.add(setting: "Host name: \(bytes: name)") }
  }

  /// Returns the text of `hosts(5)` with the name in the line of 127.0.1.1, as Debian has it.
  static func hosts(_ text: [UInt8], naming name: [UInt8]) -> [UInt8] {
    let (address, lineFeed): (StaticString, UInt8) = ("127.0.1.1", UInt8(ascii: "\n"))
    let line = [UInt8](address) + [UInt8(ascii: "\t")] + name
    var (hosts, start, isNamed): ([UInt8], Int, Bool) = ([], 0, false)
    while start < text.count {
      let end = text.span.firstIndex(of: lineFeed, from: start) ?? text.count
      let former = text.span.extracting(start..<end).trimmed()
      let length = address.utf8CodeUnitCount
      let isLine =
        !isNamed && former.starts(with: address)
        && (former.count == length || former[length].isASCIISpace)
      hosts += isLine ? line : [UInt8](text[start..<end])
      hosts.append(lineFeed)
      isNamed = isNamed || isLine
      start = end + 1
    }
    return isNamed ? hosts : hosts + line + [lineFeed]
  }

  func applyNetworks(_ settings: CardSettings) {
    var networks: [WiFiNetwork?] = []
    switch settings.networks {
    case .wrong: return
    case .missing: break
    case .written(let written): networks = written
    }
    let folder = SystemFiles.Folder.networks
    var names: [[UInt8]] = []
    for index in networks.indices {
      guard let network = networks[index] else { continue }
      let name = WiFiNetwork.fileName(index + 1)
      let isDone = attempt("\(bytes: folder.path)/\(bytes: name)") { () throws(Errno) in
        try system.write(network.profile(index + 1), to: name, in: folder)
      }
      if isDone { names.append(network.name) }
    }
    if !networks.contains(where: { $0 == nil }) { removeNetworks(after: networks.count) }
    guard !names.isEmpty else { return }
    report.add(setting: "Wi-Fi: \(listed: names, max: CardSettings.entriesMax)")
    if case .missing = settings.country {
      report.add(
        note: "card.country is missing, so the board does not see each channel of Wi-Fi; write for"
          + " example country: DE")
    }
  }

  private func removeNetworks(after count: Int) {
    guard count < CardSettings.entriesMax else { return }
    attempt("\(bytes: SystemFiles.Folder.networks.path)") { () throws(Errno) in
      for number in count + 1...CardSettings.entriesMax {
        try system.remove(WiFiNetwork.fileName(number), in: .networks)
      }
    }
  }

  func applyConfiguration(of file: CardFile) {
    do throws(CommandFailure) {
      let name = [UInt8](CardFile.name)
      let configuration = try Configuration.read(
        file.configuration, of: name, isJudged: !system.isThisMachine,
        hidesUnknownKeys: file.hasCard)
      for warning in configuration.warnings(of: name) { report.add(note: warning) }
    } catch {
      guard !file.hasCard, let place = file.indentedCard else {
        return report.add(mistake: error.text)
      }
      return report.add(
        mistake: "homeward.yaml:\(place.line):\(place.column): the section card is indented; begin"
          + " card: at the margin, and indent what belongs to it by two spaces")
    }
    // The agent reads it as another user, as it reads the one that `pair` writes. No key of it is a
    // secret.
    attempt("/etc/homeward/homeward.yaml") { () throws(Errno) in
      try system.write(
        file.configuration, to: [UInt8](CardFile.name), in: .configuration, isPublic: true)
    }
  }

  func readArguments() throws(Errno) -> KernelArguments? {
    let name = Path(KernelArguments.fileName)
    return KernelArguments(try Directory(opening: card).read(name, byteCountMax: 4096))
  }

  func applyArguments(_ settings: CardSettings) {
    let former: KernelArguments?
    do throws(Errno) { former = try readArguments() } catch { former = nil }
    guard let former else {
      guard case .written = settings.country else { return }
      return report.add(
        failure: "cmdline.txt on the card cannot be read, or names no root; write the image to the"
          + " card again")
    }
    var arguments = former
    if case .written(let code) = settings.country { arguments.setCountry(code) }
    if settings.isWritable, arguments.isSealed { arguments.unseal() }
    if arguments.words != former.words {
      guard write(arguments.text, named: [UInt8](KernelArguments.fileName)) else { return }
    }
    if case .written(let code) = settings.country {
      report.add(setting: "Country: \(bytes: code)")
    }
    let isWritable: MessageText =
      settings.isWritable
      ? report.isSealed ? "no, from the next start on" : "no" : "when the board is paired"
    guard arguments.isSealed || isSealing else { return }
    report.add(setting: "Read-only root: \(arguments.isSealed ? "yes" : isWritable)")
  }
}

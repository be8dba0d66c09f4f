import Board
import Bytes
import LinuxIO

/// Facts about a board and its system, from files that every user may read. Maintainers of programs
/// for boards ask for them in most bug reports.
struct BoardFacts {
  /// Larger than the list of packages of a desktop.
  private static let packagesByteCountMax = 8 << 20
  /// Packages whose version explains failures.
  private static let packages: [StaticString] = [
    "homeward", "gpsd", "chrony", "systemd-timesyncd", "network-manager", "raspi-firmware",
  ]
  /// Files whose first line is a fact.
  private static let files: [(name: StaticString, file: StaticString)] = [
    ("board", "sys/firmware/devicetree/base/model"), ("machine", "sys/class/dmi/id/product_name"),
    ("kernel", "proc/sys/kernel/osrelease"), ("built", "proc/sys/kernel/version"),
    ("processor", "proc/sys/kernel/arch"), ("Debian", "etc/debian_version"),
    ("image", "etc/rpi-issue"), ("seconds up", "proc/uptime"),
    ("security", "sys/kernel/security/lsm"),
  ]
  /// Settings of the firmware that decide about pins, buses and ports.
  private static let firmwareKeys: [StaticString] = [
    "[", "dtoverlay=", "dtparam=", "enable_uart=", "gpio=", "device_tree=",
  ]

  /// Root of the file system; empty for that of this process.
  private let root: Path
  private(set) var text: [UInt8] = []

  init(root: Path = Path("")) {
    self.root = root
    let program = try? target(ofLinkAt: root / "proc/self/exe")
    let bits = MemoryLayout<Int>.size * 8
    append("homeward", "\(homewardVersion), \(bits) bits, \(program ?? Path("?"))")
    for (name, file) in Self.files { append(name, line(file)) }
    append("system", words(["PRETTY_NAME="], in: "etc/os-release"))
    append("packages", installed)
    append("memory", words(["MemTotal:", "MemAvailable:", "SwapFree:"], in: "proc/meminfo"))
    append("disk", disk)
    append("boot", words(["console="], in: "proc/cmdline", separatedBy: UInt8(ascii: " ")))
    append("firmware", words(Self.firmwareKeys, in: "boot/firmware/config.txt"))
    append("firmware", words(Self.firmwareKeys, in: "boot/config.txt"))
    append("modules", modules)
    append("this command", words(["Uid:", "Groups:"], in: "proc/self/status"))
  }

  /// Appends `NAME: FACT` on a line; nothing without a fact.
  @inline(never)
  private mutating func append(_ name: StaticString, _ fact: MessageText) {
    let fact = [UInt8](fact.bytes.span.trimmed())
    if !fact.isEmpty { text += ("\(name): \(bytes: fact)\n" as MessageText).bytes }
  }

  /// Returns the beginning of a file; empty if it cannot be read: the board lacks the fact.
  private func bytes(_ name: StaticString, byteCountMax: Int = 64 * 1024) -> [UInt8] {
    var buffer = ByteBuffer(capacity: byteCountMax)
    try? readBeginning(ofFileAt: root / name, into: &buffer)
    return [UInt8](buffer.bytes)
  }

  /// Returns the first line of a file, which ends with a NUL in a device tree.
  private func line(_ name: StaticString) -> MessageText {
    let line = bytes(name, byteCountMax: 256).prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }
    return MessageText(bytes: [UInt8](line).printable)
  }

  /// Returns the lines of a file, or its words, that begin with one of these texts, in one line.
  private func words(
    _ beginnings: [StaticString], in name: StaticString,
    separatedBy separator: UInt8 = UInt8(ascii: "\n")
  ) -> MessageText {
    var found: [UInt8] = []
    for word in bytes(name).split(separator: separator)
    where beginnings.contains(where: { word.starts(with: [UInt8]($0)) }) {
      found += [UInt8](found.isEmpty ? "" : "; ")
      // Quotes are for texts from outside.
      found += word.filter { $0 != UInt8(ascii: "\"") }.map { $0 < 0x20 ? 0x20 : $0 }
    }
    return MessageText(bytes: found.printable)
  }

  private var disk: MessageText {
    guard let space = try? FileSystemSpace(holding: root / "") else { return "" }
    let free = Int(clamping: space.availableBytes >> 20)
    let state: StaticString = space.isReadOnly ? ", read-only" : ""
    return "\(free) of \(Int(clamping: space.totalBytes >> 20)) MiB free on /\(state)"
  }

  private var modules: MessageText {
    var names: [UInt8] = []
    for line in bytes("proc/modules").split(separator: UInt8(ascii: "\n")) {
      names += line.prefix { $0 != UInt8(ascii: " ") } + [UInt8](" ")
    }
    return MessageText(bytes: names.printable)
  }

  /// Versions of the installed packages, as dpkg keeps them.
  private var installed: MessageText {
    var found: [UInt8] = []
    var isWanted = false
    let file = bytes("var/lib/dpkg/status", byteCountMax: Self.packagesByteCountMax)
    for line in file.split(separator: UInt8(ascii: "\n")) {
      if line.starts(with: [UInt8]("Package: ")) {
        let name = [UInt8](line.dropFirst(9))
        isWanted = Self.packages.contains { name.span.elementsEqual($0) }
        if isWanted { found += name + [UInt8](" ") }
      } else if isWanted, line.starts(with: [UInt8]("Version: ")) {
        found += line.dropFirst(9) + [UInt8](" ")
      }
    }
    return MessageText(bytes: found.printable)
  }
}

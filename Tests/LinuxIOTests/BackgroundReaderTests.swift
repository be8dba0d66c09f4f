import Bytes
import CLinux
import Testing

@testable import LinuxIO

@Suite final class BackgroundReaderTests {
  private let loop: EventLoop
  private let reader: BackgroundReader

  init() throws {
    loop = try EventLoop()
    reader = BackgroundReader(loop: loop)
  }

  /// A file that is open, and what became of reading it.
  private final class File: BackgroundReadOwner {
    let descriptor: Descriptor
    var texts: [String] = []
    var error: Errno?
    var again: (() throws -> Void)?

    init(_ path: String) throws {
      descriptor = try Descriptor(opening: Path([UInt8](path.utf8)), mode: .read)
    }

    var isAnswered: Bool { !texts.isEmpty || error != nil }

    func fileRead(_ bytes: Span<UInt8>) {
      texts.append(String(decoding: [UInt8](bytes), as: UTF8.self))
      if let again {
        self.again = nil
        try? again()
      }
    }

    func fileReadFailed(_ error: Errno) { self.error = error }
  }

  private func read(_ file: File) throws {
    try reader.read(file.descriptor.number, telling: file)
  }

  private func wait(until isOver: () -> Bool) throws {
    while !isOver() { try loop.turn(until: nil) }
  }

  @Test func aFileIsReadFromItsStartEachTime() throws {
    let file = try File("/proc/sys/kernel/ostype")
    for count in 1...3 {
      try read(file)
      try wait { file.texts.count == count }
    }
    #expect(file.texts == ["Linux\n", "Linux\n", "Linux\n"])
  }

  @Test func whatIsLongerIsCut() throws {
    let file = try File("/proc/self/status")
    try read(file)
    try wait { file.isAnswered }
    #expect(file.texts.first?.utf8.count == BackgroundReader.byteCountMax)
    #expect(file.texts.first?.hasPrefix("Name:") == true)
  }

  /// EIO is what `/proc/self/mem` says of the address 0.
  @Test func anErrorOfTheKernelReachesItsOwner() throws {
    let file = try File("/proc/self/mem")
    try read(file)
    try wait { file.isAnswered }
    #expect(file.error == .inputOutput)
    #expect(file.texts.isEmpty)
  }

  @Test func manyFilesAreReadAndEachOwnerHearsOfItsOwn() throws {
    let files = try (0..<BackgroundReader.filesMax).map { number in
      try File(number.isMultiple(of: 2) ? "/proc/sys/kernel/ostype" : "/proc/self/mem")
    }
    for file in files { try read(file) }
    let oneMore = try File("/proc/sys/kernel/ostype")
    #expect(throws: Errno.busy) { try read(oneMore) }
    try wait { files.allSatisfy { $0.isAnswered } }
    for (number, file) in files.enumerated() {
      #expect(file.texts == (number.isMultiple(of: 2) ? ["Linux\n"] : []))
      #expect((file.error == .inputOutput) == !number.isMultiple(of: 2))
    }
    try read(oneMore)
    try wait { oneMore.isAnswered }
    #expect(oneMore.texts == ["Linux\n"])
  }

  @Test func anOwnerMayAskAgainAtOnce() throws {
    let file = try File("/proc/sys/kernel/ostype")
    file.again = { [self] in try read(file) }
    try read(file)
    try wait { file.texts.count == 2 }
    #expect(file.texts == ["Linux\n", "Linux\n"])
  }
}

import Bytes
import CLinux
import Testing

@testable import LinuxIO

@Suite struct DescriptorTests {
  /// All else could be waited for, for ever.
  @Test func onlyARegularFileIsOpenedToBeReadOrAddedTo() throws {
    let directory = try TestDirectory()
    try check(unsafe mkfifo(directory.name + "/pipe", 0o600))
    let pipe = directory.path("pipe")
    #expect(throws: Errno.isPipe) { _ = try Descriptor(opening: pipe, mode: .read) }
    #expect(throws: Errno.noSuchAddress) { _ = try Descriptor(opening: pipe, mode: .append) }
    #expect(throws: Errno.isPipe) { _ = try Descriptor(opening: Path("/dev/null"), mode: .read) }
    #expect(throws: Errno.isDirectory) {
      _ = try Descriptor(opening: directory.path, mode: .read)
    }
    #expect(throws: Errno.isPipe) {
      _ = try Directory(opening: directory.path).open(Path("pipe"), mode: .read)
    }
    _ = try Descriptor(opening: Path("/dev/null"), mode: .device)
  }

  @Test func aFileIsChangedInPlaceAndNoneIsMade() throws {
    let directory = try TestDirectory()
    try directory.write([1, 2, 3, 4], to: "file")
    let file = try Descriptor(opening: directory.path("file"), mode: .update)
    try file.writeAll([8, 9].span, from: 1)
    #expect(try readFile(at: directory.path("file"), byteCountMax: 9) == [1, 8, 9, 4])
    #expect(throws: Errno.noSuchFile) {
      _ = try Descriptor(opening: directory.path("other"), mode: .update)
    }
  }

  @Test func readingTellsBytesFromSilenceAndSilenceFromTheEnd() throws {
    let ends = try makePipe()
    let reader = Descriptor(owning: ends.read)
    var buffer = ByteBuffer(capacity: 8)
    #expect(try reader.read(into: &buffer) == .wouldBlock)
    do {
      let writer = Descriptor(owning: ends.write)
      #expect(try writer.write([1, 2, 3].span) == 3)
    }
    #expect(try reader.read(into: &buffer) == .bytes(3))
    #expect(try reader.read(into: &buffer) == .end)
    #expect([UInt8](buffer.bytes) == [1, 2, 3])
  }

  @Test func readingAppendsAsMuchAsFitsAndLeavesTheRest() throws {
    let ends = try makePipe()
    let (reader, writer) = (Owned(ends.read), Owned(ends.write))
    #expect(try writer.descriptor.write([1, 2, 3, 4, 5].span) == 5)
    var buffer = ByteBuffer(capacity: 4)
    buffer.append(0)
    #expect(try reader.descriptor.read(into: &buffer) == .bytes(3))
    #expect([UInt8](buffer.bytes) == [0, 1, 2, 3])
    buffer.removeAll()
    #expect(try reader.descriptor.read(into: &buffer) == .bytes(2))
    #expect([UInt8](buffer.bytes) == [4, 5])
  }

  @Test func anErrorOfReadingLeavesTheBufferAsItWas() throws {
    let directory = try TestDirectory()
    let descriptor = try Descriptor(opening: directory.path, mode: .directory)
    var buffer = ByteBuffer(capacity: 4)
    buffer.append(7)
    #expect(throws: Errno.isDirectory) { try descriptor.read(into: &buffer) }
    #expect([UInt8](buffer.bytes) == [7])
  }

  @Test func aFullPipeTakesNothingNow() throws {
    let ends = try makePipe()
    let (reader, writer) = (Owned(ends.read), Owned(ends.write))
    let block = [UInt8](repeating: 0, count: 65_536)
    while try writer.descriptor.write(block.span) > 0 {}
    #expect(try writer.descriptor.write([1].span) == 0)
    var buffer = ByteBuffer(capacity: block.count)
    _ = try reader.descriptor.read(into: &buffer)
    #expect(try writer.descriptor.write([1].span) == 1)
  }

  @Test func sendingToAPeerThatIsGoneIsAnErrorAndNoSignal() throws {
    let ends = try makeSocketPair()
    let near = Descriptor(owning: ends.0)
    do { _ = Descriptor(owning: ends.1) }
    #expect(throws: Errno(code: EPIPE)) { try near.send("hello") }
  }

  @Test func aFileIsReadFromItsStartAgainAndAgain() throws {
    let directory = try TestDirectory()
    try directory.write([1, 2, 3, 4, 5, 6], to: "value")
    let file = try Descriptor(opening: directory.path("value"), mode: .read)
    var buffer = ByteBuffer(capacity: 4)
    for _ in 0..<2 {
      try file.readFromStart(into: &buffer)
      #expect([UInt8](buffer.bytes) == [1, 2, 3, 4])
    }
    try directory.write([9], to: "value")
    try file.readFromStart(into: &buffer)
    #expect([UInt8](buffer.bytes) == [9], "nothing is left of the longer text")
    try directory.write([], to: "value")
    try file.readFromStart(into: &buffer)
    #expect([UInt8](buffer.bytes) == [])
  }

  @Test(arguments: [(3, [2, 3, 4, 0]), (100, [2, 3, 4, 5])] as [(Int, [UInt8])])
  func aPartOfAFileIsReadUpToTheLimitAndTheEndOfTheBuffer(limit: Int, _ read: [UInt8]) throws {
    let directory = try TestDirectory()
    try directory.write([1, 2, 3, 4, 5, 6], to: "file")
    let file = try Descriptor(opening: directory.path("file"), mode: .read)
    var bytes: [UInt8] = [0, 0, 0, 0]
    var span = bytes.mutableSpan
    let count = try file.read(into: &span, byteCountMax: limit, from: 1)
    #expect(count == min(limit, 4))
    #expect(bytes == read)
  }

  @Test func oneLockKeepsTheOthersOut() throws {
    let directory = try TestDirectory()
    do {
      let first = try Descriptor(opening: directory.path, mode: .directory)
      let second = try Descriptor(opening: directory.path, mode: .directory)
      #expect(try first.lock())
      #expect(try !second.lock())
      #expect(try first.lock(), "its owner may ask again")
    }
    let third = try Descriptor(opening: directory.path, mode: .directory)
    #expect(try third.lock(), "a lock ends with its descriptor")
  }

  @Test func openingWhatIsNotThereSaysSo() {
    #expect(throws: Errno.noSuchFile) {
      _ = try Descriptor(opening: Path("/nonexistent/file"), mode: .read)
    }
    #expect(throws: Errno(code: ENOTDIR)) {
      _ = try Descriptor(opening: Path("/proc/self/status"), mode: .directory)
    }
  }

  @Test func anOpenFileDoesNotPassToOtherPrograms() throws {
    let file = try Descriptor(opening: Path("/proc/self/status"), mode: .read)
    let entry = "/proc/self/fdinfo/\(file.number)"
    let text = try readFile(at: Path([UInt8](entry.utf8)), byteCountMax: 4096)
    let flags = String(decoding: text, as: UTF8.self).split(separator: "\n")
      .first { $0.hasPrefix("flags:") }?.split(separator: "\t").last
    let value = try #require(flags.flatMap { Int32($0, radix: 8) })
    #expect(value & O_CLOEXEC != 0)
  }

  @Test func errorsAreSaidInTheWordsOfTheKernel() {
    func words(_ code: Int32) -> String {
      var buffer = ByteBuffer(capacity: 128)
      buffer.append(Errno(code: code))
      return String(decoding: [UInt8](buffer.bytes), as: UTF8.self)
    }
    #expect(words(EACCES) == "Permission denied")
    #expect(words(99_999) == "error 99999")
  }

  /// A descriptor that two expectations may look at.
  private final class Owned {
    let descriptor: Descriptor
    init(_ number: Int32) { descriptor = Descriptor(owning: number) }
  }
}

/// What the kernel's errors become.
@Suite struct ErrnoTests {
  /// A call that fails with these errors, one after the other, and then returns 7.
  private final class Call {
    private var errors: [Int32]
    private(set) var count = 0

    init(failingWith errors: [Int32]) { self.errors = errors }

    func callAsFunction() -> Int32 {
      count += 1
      guard !errors.isEmpty else { return 7 }
      unsafe __errno_location().pointee = errors.removeFirst()
      return -1
    }
  }

  @Test func aCallThatASignalInterruptsIsMadeAgain() throws {
    let call = Call(failingWith: [EINTR, EINTR])
    #expect(try retryingInterrupts { call() } == 7)
    #expect(call.count == 3)
  }

  @Test func anyOtherErrorIsToldAtOnce() {
    let call = Call(failingWith: [EINTR, EIO])
    #expect(throws: Errno(code: EIO)) { try retryingInterrupts { call() } }
    #expect(call.count == 2)
  }
}

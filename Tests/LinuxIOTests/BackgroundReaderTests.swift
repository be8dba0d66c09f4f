import Bytes
import CLinux
import FailingReads
import TestRun
import Testing

@testable import LinuxIO

@Suite final class BackgroundReaderTests {
  private let loop: EventLoop
  private let reader: BackgroundReader

  init() throws {
    loop = try EventLoop()
    // Another test may have left it later.
    advance_reading_clock(-reading_clock())
    reader = BackgroundReader(loop: loop, clock: reading_clock)
  }

  /// A file that is open, and what became of reading it.
  private final class File: BackgroundReadOwner {
    let descriptor: Descriptor
    var texts: [String] = []
    var error: Errno?
    var duration: Duration?
    var again: (() throws -> Void)?

    init(_ path: String) throws {
      descriptor = try Descriptor(opening: Path([UInt8](path.utf8)), mode: .read)
    }

    var isAnswered: Bool { !texts.isEmpty || error != nil }

    func fileRead(_ bytes: Span<UInt8>, in duration: Duration) {
      self.duration = duration
      texts.append(String(decoding: [UInt8](bytes), as: UTF8.self))
      if let again {
        self.again = nil
        try? again()
      }
    }

    func fileReadFailed(_ error: Errno, in duration: Duration) {
      self.error = error
      self.duration = duration
    }
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

  // MARK: What takes its time

  /// A file that goes with its owner, and answers as its text says.
  private final class Driver {
    let path: String

    init(_ text: String) throws {
      path = "\(TestRun.folder.path)/driver-\(randomSeed())"
      try say(text)
    }

    deinit { unsafe unlink(path) }

    func say(_ text: String) throws {
      try Descriptor(opening: Path([UInt8](path.utf8)), mode: .writePrivate)
        .writeAll([UInt8](text.utf8).span)
    }
  }

  private static let hangs = "\(HANGING_READ_MARK)0"

  @Test(arguments: [("\(SLOW_READ_MARK)180\n42\n", Int64(180)), ("42\n", 0)])
  func howLongAReadTookIsTold(text: String, milliseconds: Int64) throws {
    let driver = try Driver(text)
    let file = try File(driver.path)
    try read(file)
    try wait { file.isAnswered }
    #expect(file.texts == ["42\n"])
    #expect(file.duration == .milliseconds(milliseconds))
  }

  @Test func aReadThatDoesNotComeBackHoldsUpNoOther() throws {
    let driver = try Driver(Self.hangs)
    let (hanging, other) = (try File(driver.path), try File("/proc/sys/kernel/ostype"))
    try read(hanging)
    try read(other)
    advance_reading_clock(BackgroundReader.longestRead.nanoseconds + 1)
    try wait(relieving: true) { other.isAnswered }
    #expect(reader.threadCount == 2)
    #expect(!hanging.isAnswered)
    try driver.say("42\n")
    try wait { hanging.isAnswered }
    #expect(hanging.texts == ["42\n"])
  }

  @Test func aReadThatIsMerelySlowGetsNoOtherThread() throws {
    let driver = try Driver(Self.hangs)
    let hanging = try File(driver.path)
    try read(hanging)
    advance_reading_clock(BackgroundReader.longestRead.nanoseconds)
    for _ in 0..<20 { try turn(relieving: true) }
    #expect(reader.threadCount == 1)
    try driver.say("42\n")
    try wait { hanging.isAnswered }
  }

  @Test func manyReadsThatDoNotComeBackTakeFourThreads() throws {
    let driver = try Driver(Self.hangs)
    let files = try (0..<6).map { _ in try File(driver.path) }
    for file in files { try read(file) }
    advance_reading_clock(BackgroundReader.longestRead.nanoseconds + 1)
    while reader.threadCount < CLINUX_READER_THREADS_MAX { try turn(relieving: true) }
    for _ in 0..<50 { try turn(relieving: true) }
    #expect(reader.threadCount == 4)
    try driver.say("42\n")
    try wait { files.allSatisfy { $0.isAnswered } }
  }

  @Test func theEndOfTheReaderWaitsForNoRead() throws {
    let driver = try Driver(Self.hangs)
    let file = try File(driver.path)
    let reader = unsafe try #require(clinux_reader_start(reading_clock))
    unsafe clinux_reader_ask(reader, 0, file.descriptor.number)
    unsafe clinux_reader_stop(reader)
    // What is still read then is read into memory that stays until it is over.
    try driver.say("42\n")
  }

  private func wait(relieving: Bool, until isOver: () -> Bool) throws {
    while !isOver() { try turn(relieving: relieving) }
  }

  /// Gives the threads a moment.
  private func turn(relieving: Bool) throws {
    if relieving { reader.relieve() }
    try loop.turn(until: Moment.now.instant + .milliseconds(1))
  }
}

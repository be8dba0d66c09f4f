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
  private final class File: BackgroundRead {
    let descriptor: Descriptor
    var texts: [String] = []
    var error: Errno?
    var duration: Duration?
    var again: (() throws -> Void)?
    private var buffer = ByteBuffer(capacity: 128)
    private var failure: Errno?

    init(_ path: String) throws {
      descriptor = try Descriptor(opening: Path([UInt8](path.utf8)), mode: .read)
    }

    var isAnswered: Bool { !texts.isEmpty || error != nil }

    override func readBesideLoop() {
      failure = nil
      do throws(Errno) { try descriptor.readFromStart(into: &buffer) } catch { failure = error }
    }

    override func readEnded(after duration: Duration) {
      self.duration = duration
      error = failure
      if failure != nil { return }
      texts.append(String(decoding: buffer.withBytes { [UInt8]($0) }, as: UTF8.self))
      if let again {
        self.again = nil
        try? again()
      }
    }
  }

  private static func bus(_ number: Int) -> DeviceBus {
    DeviceBus(named: [UInt8]("i2c-\(number)".utf8).span)
  }

  private func read(_ file: File, on bus: Int = 1) throws {
    try reader.perform(file, on: Self.bus(bus))
  }

  /// Gives the threads a moment, until it is over.
  private func wait(until isOver: () -> Bool) throws {
    while !isOver() { try loop.turn(until: Moment.now.instant + .milliseconds(1)) }
  }

  @Test func aFileIsReadFromItsStartEachTime() throws {
    let file = try File("/proc/sys/kernel/ostype")
    for count in 1...3 {
      try read(file)
      try wait { file.texts.count == count }
    }
    #expect(file.texts == ["Linux\n", "Linux\n", "Linux\n"])
  }

  @Test func manyFilesAreReadAndEachOwnerHearsOfItsOwn() throws {
    let files = try (0..<BackgroundReader.readsMax).map { number in
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

  // MARK: What takes its time

  /// A file that goes with its owner, and answers as its text says.
  private final class Driver {
    let path: String

    init(_ text: String) throws {
      path = "\(TestRun.folder.path)/driver-\(randomSeed())"
      try write(text, .writePrivate)
    }

    deinit { unsafe unlink(path) }

    /// What hangs goes on. Who reads the file meanwhile finds the mark or the answer.
    func answer() throws {
      try write(BackgroundReaderTests.answer, OpenMode(flags: O_WRONLY, permissions: 0))
    }

    private func write(_ text: String, _ mode: OpenMode) throws {
      try Descriptor(opening: Path([UInt8](path.utf8)), mode: mode)
        .writeAll([UInt8](text.utf8).span)
    }
  }

  private static let hangs = "\(HANGING_READ_MARK)0"
  /// As long as that.
  private static let answer = "42\n\n\n\n\n"

  @Test(arguments: [("\(SLOW_READ_MARK)180\n42\n", Int64(180)), ("42\n", 0)])
  func howLongAReadTookIsTold(text: String, milliseconds: Int64) throws {
    let driver = try Driver(text)
    let file = try File(driver.path)
    try read(file)
    try wait { file.isAnswered }
    #expect(file.texts == ["42\n"])
    #expect(file.duration == .milliseconds(milliseconds))
  }

  @Test func aReadThatDoesNotComeBackHoldsUpNoOtherBus() throws {
    let driver = try Driver(Self.hangs)
    let (hanging, other) = (try File(driver.path), try File("/proc/sys/kernel/ostype"))
    try read(hanging, on: 1)
    try read(other, on: 2)
    try wait { other.isAnswered }
    #expect(!hanging.isAnswered)
    try driver.answer()
    try wait { hanging.isAnswered }
    #expect(hanging.texts == [Self.answer])
  }

  /// A bus that is dead for all of its parts takes one thread.
  @Test func theFilesOfABusWaitForOneAnother() throws {
    let driver = try Driver(Self.hangs)
    let hanging = try (0..<BackgroundReader.threadsMax + 2).map { _ in try File(driver.path) }
    let behind = try File("/proc/sys/kernel/ostype")
    for file in hanging + [behind] { try read(file, on: 1) }
    let others = try (0..<10).map { _ in try File("/proc/sys/kernel/ostype") }
    for file in others { try read(file, on: 2) }
    try wait { others.allSatisfy { $0.isAnswered } }
    #expect((1...2).contains(reader.threadCount), "one may have ended")
    #expect(!behind.isAnswered)
    try driver.answer()
    try wait { (hanging + [behind]).allSatisfy { $0.isAnswered } }
  }

  @Test func ofBusesThatDoNotAnswerEightAreReadAndTheOthersLater() throws {
    let driver = try Driver(Self.hangs)
    let files = try (0..<10).map { _ in try File(driver.path) }
    for (bus, file) in files.enumerated() { try read(file, on: bus) }
    #expect(reader.threadCount == 8)
    #expect(reader.threadCount == BackgroundReader.threadsMax)
    try driver.answer()
    try wait { files.allSatisfy { $0.isAnswered } }
  }

  @Test func aThreadThatHasNothingToReadEnds() throws {
    #expect(reader.threadCount == 0)
    for _ in 0..<20 {
      let files = try (0..<12).map { _ in try File("/proc/sys/kernel/ostype") }
      for (bus, file) in files.enumerated() { try read(file, on: bus / 2) }
      try wait { files.allSatisfy { $0.isAnswered } }
      try wait { reader.threadCount == 0 }
    }
  }

  @Test func aBusIsReadUntilItsOwnersHaveHeard() throws {
    let (bus, other) = (Self.bus(1), Self.bus(2))
    let files = try (0..<2).map { _ in try File("/proc/sys/kernel/ostype") }
    #expect(!reader.isReading(bus))
    for file in files { try read(file, on: 1) }
    #expect(reader.isReading(bus))
    #expect(!reader.isReading(other))
    try wait { files.allSatisfy { $0.isAnswered } }
    #expect(!reader.isReading(bus))
  }

  /// One that asks again at once, as a thermometer that says 0 does, keeps no neighbour waiting.
  @Test func theFilesOfABusAreReadInTurn() throws {
    let drivers = [try Driver(Self.hangs), try Driver(Self.hangs)]
    let greedy = try File("/proc/sys/kernel/ostype")
    let others = try drivers.map { try File($0.path) }
    greedy.again = { [self] in try read(greedy) }
    for file in [greedy] + others { try read(file) }
    try wait { greedy.texts.count == 1 }
    try drivers[0].answer()
    try wait { others[0].isAnswered }
    for _ in 0..<20 { try loop.turn(until: Moment.now.instant + .milliseconds(1)) }
    #expect(greedy.texts.count == 1)
    try drivers[1].answer()
    try wait { others[1].isAnswered && greedy.texts.count == 2 }
  }

  @Test func theEndOfTheReaderWaitsForNoRead() throws {
    let driver = try Driver(Self.hangs)
    let file = try File(driver.path)
    let reader = unsafe try #require(
      clinux_reader_start(reading_clock) {
        unsafe Unmanaged<BackgroundRead>.fromOpaque($0).takeUnretainedValue().readBesideLoop()
      })
    let work = unsafe Unmanaged<BackgroundRead>.passRetained(file).toOpaque()
    #expect(unsafe clinux_reader_ask(reader, 0, work, 1) == 0)
    unsafe clinux_reader_stop(reader)
    // What is still read then is read into memory that stays.
    try driver.answer()
  }
}

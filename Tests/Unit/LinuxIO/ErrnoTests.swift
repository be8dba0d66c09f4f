import CLinux
import Testing

@testable import LinuxIO

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

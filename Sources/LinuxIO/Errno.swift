public import Bytes
import CLinux

/// Error number of the kernel, as in `errno(3)`.
public struct Errno: Error, Equatable, Sendable {
  public let code: Int32

  public init(code: Int32) { self.code = code }

  /// Error of the call that just failed.
  static var current: Errno { Errno(code: clinux_errno()) }

  public static let notPermitted = Errno(code: EACCES)
  public static let operationNotPermitted = Errno(code: EPERM)
  public static let noSuchFile = Errno(code: ENOENT)
  public static let fileExists = Errno(code: EEXIST)
  public static let noSuchDevice = Errno(code: ENODEV)
  /// Error of a device node whose device is gone.
  public static let noSuchAddress = Errno(code: ENXIO)
  /// Error of a file that is not a serial port.
  public static let notATerminal = Errno(code: ENOTTY)
  public static let noData = Errno(code: ENODATA)
  public static let isDirectory = Errno(code: EISDIR)
  public static let isPipe = Errno(code: ESPIPE)
  public static let fileTooLarge = Errno(code: EFBIG)
  public static let readOnlyFileSystem = Errno(code: EROFS)
  public static let noSpace = Errno(code: ENOSPC)
  public static let invalidArgument = Errno(code: EINVAL)
  public static let inputOutput = Errno(code: EIO)
  public static let outOfMemory = Errno(code: ENOMEM)
  public static let brokenPipe = Errno(code: EPIPE)
  public static let connectionReset = Errno(code: ECONNRESET)
  public static let connectionRefused = Errno(code: ECONNREFUSED)
  public static let nameTooLong = Errno(code: ENAMETOOLONG)
  public static let busy = Errno(code: EBUSY)
  /// Also the error of a kernel sensor that has no value at this moment.
  public static let wouldBlock = Errno(code: EAGAIN)
  /// Error of netlink after it had to drop messages.
  static let noBufferSpace = Errno(code: ENOBUFS)
  static let interrupted = Errno(code: EINTR)
}

extension ByteBuffer {
  /// Appends the kernel's description, such as `Permission denied`.
  public mutating func append(_ error: Errno) {
    guard let text = unsafe clinux_error_description(error.code) else {
      append("error ")
      append(decimal: error.code)
      return
    }
    unsafe append(
      UnsafeRawBufferPointer(start: text, count: strlen(text)).bindMemory(to: UInt8.self).span)
  }
}

/// Repeats `call` while a signal interrupts it, and throws an error if it returns -1.
func retryingInterrupts<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
  while true {
    let result = call()
    if result >= 0 { return result }
    let error = Errno.current
    if error != .interrupted { throw error }
  }
}

extension ByteBuffer {
  /// Lets a call of the kernel fill the free part, and repeats it while a signal interrupts it.
  /// Returns its result, a number of bytes: those that do not fit are lost.
  @unsafe
  mutating func fillFromKernel(
    _ call: (UnsafeMutablePointer<UInt8>?, Int) -> Int
  ) throws(Errno) -> Int {
    var result = 0
    try fill { (free) throws(Errno) in
      result = try unsafe free.withUnsafeMutableBufferPointer { (bytes) throws(Errno) in
        try retryingInterrupts { unsafe call(bytes.baseAddress, bytes.count) }
      }
      return min(result, free.count)
    }
    return result
  }
}

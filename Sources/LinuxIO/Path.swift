import Bytes

/// Path of the file system, as bytes: Linux does not define their encoding.
public struct Path: Equatable, Sendable {
  /// Bytes followed by a NUL, as the kernel expects them.
  private let terminated: [UInt8]

  /// - Precondition: `bytes` holds no NUL; the configuration refuses one.
  @inline(never)
  public init(_ bytes: [UInt8]) {
    precondition(!bytes.contains(0), "a NUL would end the path early")
    terminated = bytes + [0]
  }

  public init(_ text: StaticString) { self.init([UInt8](text)) }

  @inline(never)
  public var bytes: [UInt8] { [UInt8](terminated.dropLast()) }

  @inline(never)
  public static func / (directory: consuming Path, name: StaticString) -> Path {
    directory / [UInt8](name)
  }

  // Called, not inlined: dozens of paths are built with it.
  @inline(never)
  public static func / (directory: consuming Path, name: consuming [UInt8]) -> Path {
    Path(directory.bytes + [UInt8(ascii: "/")] + name)
  }

  public var parent: Path {
    let (place, text) = split
    guard let place else { return Path(".") }
    return place == 0 ? Path("/") : Path([UInt8](text[..<place]))
  }

  /// Last part of the path.
  public var name: Path {
    let (place, text) = split
    return Path([UInt8](text[(place.map { $0 + 1 } ?? 0)...]))
  }

  /// Position of the slash before the last part, and the path without slashes at its end.
  private var split: (place: Int?, text: ArraySlice<UInt8>) {
    var text = bytes[...]
    while text.count > 1, text.last == UInt8(ascii: "/") { text.removeLast() }
    return (text.lastIndex(of: UInt8(ascii: "/")), text)
  }

  @unsafe
  public func withCString<Result, Failure: Error>(
    _ body: (UnsafePointer<CChar>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe try terminated.span.withUnsafeBufferPointer { (bytes) throws(Failure) in
      guard let start = bytes.baseAddress else { preconditionFailure("the NUL is always there") }
      return unsafe try body(UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self))
    }
  }
}

extension Path {
  /// Passes the path to a call of the kernel, which is repeated while a signal interrupts it.
  @unsafe
  func call<Result: SignedInteger>(
    _ body: (UnsafePointer<CChar>) -> Result
  ) throws(Errno) -> Result {
    try unsafe withCString { (path) throws(Errno) in
      try retryingInterrupts { unsafe body(path) }
    }
  }
}

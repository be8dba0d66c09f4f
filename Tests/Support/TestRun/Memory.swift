import Foundation

extension TestRun {
  /// How much of some bytes the kernel has in memory, in whole pages.
  public static func residentByteCount(of bytes: UnsafeRawBufferPointer) -> Int {
    let page = sysconf(Int32(_SC_PAGESIZE))
    guard let start = bytes.baseAddress else { return 0 }
    let before = Int(bitPattern: start) % page
    let byteCount = before + bytes.count
    var pages = [UInt8](repeating: 0, count: (byteCount + page - 1) / page)
    let first = unsafe UnsafeMutableRawPointer(mutating: start - before)
    precondition(unsafe mincore(first, byteCount, &pages) == 0, "the bytes are there")
    return pages.count { $0 & 1 != 0 } * page
  }
}

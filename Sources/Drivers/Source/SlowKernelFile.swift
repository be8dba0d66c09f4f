import Bytes
import LinuxIO

/// Who hears what a slow file says.
protocol SlowKernelFileOwner: AnyObject {
  func fileRead(_ text: Span<UInt8>, of file: SlowKernelFile)
  func fileReadFailed(_ error: Errno, of file: SlowKernelFile)
}

/// A file of a device in sysfs whose driver takes its time: asked for, and answered when it was
/// read. Otherwise it is like a `KernelFile`.
final class SlowKernelFile {
  private let path: Path
  private let reader: BackgroundReader
  private var descriptor: Descriptor?
  private var bus: DeviceBus?
  /// Whether the descriptor is older than the question.
  private var wasOpen = false
  private unowned(unsafe) var owner: (any SlowKernelFileOwner)?

  /// Opens nothing yet.
  init(_ path: Path, reader: BackgroundReader) {
    self.path = path
    self.reader = reader
  }

  /// Has the file read. `owner`, which outlives this, is told.
  ///
  /// - Throws: what `open(2)` says, and what `BackgroundReader.read` throws.
  func ask(telling owner: any SlowKernelFileOwner) throws(Errno) {
    unsafe self.owner = owner
    wasOpen = descriptor != nil
    if descriptor == nil {
      descriptor = try Descriptor(opening: path, mode: .read)
      bus = DeviceBus(ofDeviceAt: path.parent)
    }
    if let number = descriptor?.number, let bus { try reader.read(number, on: bus, telling: self) }
  }
}

extension SlowKernelFile: BackgroundReadOwner {
  func fileRead(_ bytes: Span<UInt8>, in duration: Duration) {
    unsafe owner?.fileRead(bytes, of: self)
  }

  func fileReadFailed(_ error: Errno, in duration: Duration) {
    descriptor = nil
    do throws(Errno) {
      // A device that left and came back has other files of the same names.
      guard error == .noSuchDevice, wasOpen, let owner = unsafe owner else { throw error }
      try ask(telling: owner)
    } catch {
      unsafe owner?.fileReadFailed(error, of: self)
    }
  }
}

import Bytes
import LinuxIO

/// Receiver of the text or the error of slow files.
protocol SlowKernelFileOwner: AnyObject {
  func fileRead(_ text: Span<UInt8>, of file: SlowKernelFile)
  func fileReadFailed(_ error: Errno, of file: SlowKernelFile)
}

/// A file of sysfs whose driver is slow: requested with `ask`, and delivered to the owner after it
/// was read. Otherwise it is like a `KernelFile`.
final class SlowKernelFile: BackgroundRead {
  /// Size of the buffer, enough for the scratchpad of a thermometer; longer text is cut.
  private static let byteCountMax = 128

  private let path: Path
  private let reader: BackgroundReader
  private let file: KernelFile
  private var bus: DeviceBus?
  private var error: Errno?
  private unowned(unsafe) var owner: (any SlowKernelFileOwner)?

  /// Opens nothing yet.
  init(_ path: Path, reader: BackgroundReader) {
    self.path = path
    self.reader = reader
    file = KernelFile(path, byteCountMax: Self.byteCountMax)
  }

  /// Requests a reading, and reports its outcome to `owner`, which outlives this object.
  ///
  /// - Throws: the errors of `BackgroundReader.perform`.
  func ask(telling owner: any SlowKernelFileOwner) throws(Errno) {
    unsafe self.owner = owner
    let bus = bus ?? DeviceBus(ofDeviceAt: path.parent)
    self.bus = bus
    try reader.perform(self, on: bus)
  }

  override func readBesideLoop() {
    error = nil
    do throws(Errno) { try file.refresh() } catch { self.error = error }
  }

  override func readEnded(after duration: Duration) {
    if let error {
      // The device may come back at another place.
      file.close()
      bus = nil
      unsafe owner?.fileReadFailed(error, of: self)
    } else {
      file.withText { unsafe owner?.fileRead($0, of: self) }
    }
  }
}

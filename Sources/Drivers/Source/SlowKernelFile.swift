import Bytes
import LinuxIO

/// Who hears what a slow file says.
protocol SlowKernelFileOwner: AnyObject {
  func fileRead(_ text: Span<UInt8>, of file: SlowKernelFile)
  func fileReadFailed(_ error: Errno, of file: SlowKernelFile)
}

/// A file of a device in sysfs whose driver takes its time: asked for, and answered when it was
/// read. Otherwise it is like a `KernelFile`.
final class SlowKernelFile: BackgroundRead {
  /// Enough for the scratchpad of a thermometer; what is longer is cut.
  private static let byteCountMax = 128

  private let path: Path
  private let reader: BackgroundReader
  private let file: KernelFile
  private var bus: DeviceBus?
  /// What the last reading failed with.
  private var error: Errno?
  private unowned(unsafe) var owner: (any SlowKernelFileOwner)?

  /// Opens nothing yet.
  init(_ path: Path, reader: BackgroundReader) {
    self.path = path
    self.reader = reader
    file = KernelFile(path, byteCountMax: Self.byteCountMax)
  }

  /// Has the file read. `owner`, which outlives this, is told.
  ///
  /// - Throws: what `BackgroundReader.perform` throws.
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
      // The device may come back elsewhere.
      file.close()
      bus = nil
      unsafe owner?.fileReadFailed(error, of: self)
    } else {
      file.withText { unsafe owner?.fileRead($0, of: self) }
    }
  }
}

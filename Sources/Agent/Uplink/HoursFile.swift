import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox

/// The file that keeps hours until Home Assistant's statistics have them. It is there only where
/// hours wait.
final class HoursFile {
  private static let name: StaticString = "statistics.hours"
  private static let asideName: StaticString = "statistics.hours.aside"

  /// Nil where nothing is to be kept on the disk, or what is there cannot be read.
  private var directory: Path?
  private let device: DeviceFingerprint
  private let reporter: Reporter

  init(in directory: Path?, of device: DeviceFingerprint, reporter: Reporter) {
    self.directory = directory
    self.device = device
    self.reporter = reporter
  }

  /// What an earlier run kept. A file that is none of ours is set aside.
  func read() -> WaitingHours {
    guard let directory else { return WaitingHours() }
    do throws(Errno) {
      let bytes = try readFile(
        at: directory / Self.name, byteCountMax: WaitingHours.fileByteCountMax)
      if let hours = try? WaitingHours(file: bytes.span, of: device) { return hours }
      try renameFile(at: directory / Self.name, to: directory / Self.asideName)
      reporter.statisticsSetAside()
    } catch .noSuchFile {} catch {
      // It is not written over.
      self.directory = nil
      reporter.hoursNotKept(error)
    }
    return WaitingHours()
  }

  /// Returns why the hours could not be written; nil where there is nothing more to be done.
  func write(_ hours: WaitingHours) -> DiskFailure? {
    guard let directory else { return nil }
    do throws(Errno) {
      if hours.isEmpty {
        try removeFile(at: directory / Self.name)
      } else {
        try replaceFile(named: Self.name, in: directory, with: hours.file(of: device).bytes)
      }
      return nil
    } catch {
      return DiskFailure(code: error.code)
    }
  }
}

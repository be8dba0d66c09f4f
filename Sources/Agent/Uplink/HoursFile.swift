import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox

/// The file that stores hours until Home Assistant's statistics have them. It exists only while
/// hours wait.
final class HoursFile {
  private static let asideName: StaticString = "statistics.hours.aside"

  /// Nil if nothing is to be stored on the disk, or if the existing file cannot be read.
  private var directory: Path?
  private let device: DeviceFingerprint
  private let reporter: Reporter

  init(in directory: Path?, of device: DeviceFingerprint, reporter: Reporter) {
    self.directory = directory
    self.device = device
    self.reporter = reporter
  }

  /// Returns the hours of an earlier run. A foreign file is set aside.
  func read() -> WaitingHours {
    guard let directory else { return WaitingHours() }
    do throws(Errno) {
      let bytes = try readFile(
        at: directory / StateDirectory.hoursName, byteCountMax: WaitingHours.fileByteCountMax)
      if let hours = try? WaitingHours(file: bytes.span, of: device) { return hours }
      try renameFile(at: directory / StateDirectory.hoursName, to: directory / Self.asideName)
      reporter.statisticsSetAside()
    } catch .noSuchFile {} catch {
      // An unreadable file is not overwritten.
      self.directory = nil
      reporter.hoursNotKept(error)
    }
    return WaitingHours()
  }

  /// Stores the hours, or removes the file if there are none. Returns the error; nil on success.
  func write(_ hours: WaitingHours) -> DiskFailure? {
    guard let directory else { return nil }
    do throws(Errno) {
      if hours.isEmpty {
        try removeFile(at: directory / StateDirectory.hoursName)
      } else {
        try replaceFile(
          named: StateDirectory.hoursName, in: directory, with: hours.file(of: device).bytes)
      }
      return nil
    } catch {
      return DiskFailure(code: error.code)
    }
  }
}

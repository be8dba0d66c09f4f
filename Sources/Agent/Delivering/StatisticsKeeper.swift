import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox

/// The file that keeps hours until Home Assistant's statistics have them. It is there only where
/// hours wait.
final class StatisticsKeeper {
  private static let name: StaticString = "statistics.hours"
  private static let asideName: StaticString = "statistics.hours.aside"

  /// Nil where nothing is to be kept on the disk, or what is there cannot be read.
  private var directory: Path?
  private let device: DeviceFingerprint
  private let reporter: Reporter
  /// Why it could not be written last, which has been said.
  private var error: Errno?

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
      report(error)
    }
    return WaitingHours()
  }

  /// Returns whether there is nothing more to be done.
  func keep(_ hours: WaitingHours) -> Bool {
    guard let directory else { return true }
    do throws(Errno) {
      if hours.isEmpty {
        try removeFile(at: directory / Self.name)
      } else {
        try replaceFile(named: Self.name, in: directory, with: hours.file(of: device).bytes)
      }
      error = nil
      return true
    } catch {
      report(error)
      return false
    }
  }

  private func report(_ error: Errno) {
    guard error != self.error else { return }
    self.error = error
    reporter.statisticsNotKept(error)
  }
}

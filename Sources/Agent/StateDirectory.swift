import Bytes
import HomeAssistant
import LinuxIO

/// The files that outlive a restart: the registration, and the fingerprint of a rejected token.
/// All are replaced as a whole, so that a power cut leaves the old one or the new one.
final class StateDirectory {
  private static let registrationName: StaticString = "registration.json"
  private static let rejectedName: StaticString = "rejected-token"
  private static let probeName: StaticString = "probe"
  private static let fingerprintByteCount = 32

  let path: Path
  private var lock: Descriptor?

  init(_ path: Path) { self.path = path }

  enum Opening: Equatable {
    case open
    /// It cannot be made or entered.
    case failed(Errno)
    /// Another agent uses it.
    case inUse
  }

  /// Makes the directory where it is missing, and keeps other agents out until the process ends.
  func open() -> Opening {
    do throws(Errno) {
      try makePrivateDirectory(at: path)
      let directory = try Descriptor(opening: path, mode: .directory)
      guard try directory.lock() else { return .inUse }
      lock = consume directory
      return .open
    } catch {
      return .failed(error)
    }
  }

  /// Tries to write, as keeping a registration will.
  func checkIsWritable() throws(Errno) {
    try replaceFile(named: Self.probeName, in: path, with: [UInt8]("probe\n").span)
    try removeFile(at: path / Self.probeName)
  }

  enum Kept {
    case registration(Registration)
    case none
    case damaged(RegistrationFileError)
    case unreadable(Errno)
  }

  func readRegistration() -> Kept {
    let bytes: [UInt8]
    do throws(Errno) {
      bytes = try readFile(
        at: path / Self.registrationName, byteCountMax: Registration.fileByteCountMax)
    } catch .noSuchFile {
      return .none
    } catch .fileTooLarge {
      return .damaged(.damaged)
    } catch {
      return .unreadable(error)
    }
    do throws(RegistrationFileError) {
      return .registration(try Registration(file: bytes.span))
    } catch {
      return .damaged(error)
    }
  }

  func write(_ registration: Registration) throws(Errno) {
    var buffer = ByteBuffer(capacity: Registration.fileByteCountMax)
    registration.writeFile(into: &buffer)
    try replaceFile(named: Self.registrationName, in: path, with: buffer.bytes)
    try removeFile(at: path / Self.rejectedName)
  }

  /// The fingerprint of the token that Home Assistant rejected last, if there is one.
  func readRejectedFingerprint() -> [UInt8]? {
    let bytes = try? readFile(
      at: path / Self.rejectedName, byteCountMax: Self.fingerprintByteCount)
    return bytes.flatMap { $0.count == Self.fingerprintByteCount ? $0 : nil }
  }

  func write(rejectedFingerprint: [UInt8]) throws(Errno) {
    try replaceFile(named: Self.rejectedName, in: path, with: rejectedFingerprint.span)
  }
}

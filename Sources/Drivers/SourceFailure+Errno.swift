import Bytes
import LinuxIO
import Sensing

extension SourceFailure {
  /// What the kernel's error says about `subject`.
  init(_ error: Errno, of subject: InlineText) {
    switch error {
    case .noSuchFile, .noSuchDevice: self = .missing(subject)
    case .notPermitted, .operationNotPermitted: self = .notPermitted(subject)
    case .busy: self = .busy(subject)
    default: self = .failed(subject, errno: error.code)
    }
  }

  /// What a sensor says whose source failed like this: it is there and makes no sense, or it is
  /// not to be had.
  var value: Value {
    switch self {
    case .malformed: .unknown
    case .missing, .notPermitted, .busy, .failed, .silent, .withoutFix, .wrongDate, .behind,
      .refused,
      .unsupported:
      .unavailable
    }
  }
}

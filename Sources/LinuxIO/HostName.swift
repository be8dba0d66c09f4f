import CLinux

/// Sets the name of this machine until its next start; only root may (`sethostname(2)`).
///
/// - Precondition: `name` holds no NUL.
public func setHostName(_ name: [UInt8]) throws(Errno) {
  _ = try unsafe Path(name).call { unsafe sethostname($0, name.count) }
}

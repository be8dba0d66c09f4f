import Foundation

/// Starts a program that gets no other descriptors, no blocked and no ignored signals (the threads
/// of tests block most), and a process group of its own: Ctrl-C at the terminal is for the tests.
///
/// - Parameters:
///   - words: the program, as a path or a name that is looked up in `PATH`, and its arguments.
///   - environment: variables beside those of this process.
///   - streams: what its descriptors 0, 1 and 2 are here; nil for `/dev/null`.
///   - directory: where it works; nil for the directory of this process.
/// - Returns: its number.
/// - Throws: why it does not start.
func spawn(
  _ words: [String], with environment: [String: String] = [:], streams: [Int32?],
  in directory: String? = nil
) throws(POSIXError) -> pid_t {
  var actions = unsafe posix_spawn_file_actions_t()
  var attributes = posix_spawnattr_t()
  unsafe posix_spawn_file_actions_init(&actions)
  unsafe posix_spawnattr_init(&attributes)
  defer {
    unsafe posix_spawn_file_actions_destroy(&actions)
    unsafe posix_spawnattr_destroy(&attributes)
  }
  for (number, stream) in zip(Int32(0)..., streams) {
    if let stream {
      unsafe posix_spawn_file_actions_adddup2(&actions, stream, number)
    } else {
      unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
    }
  }
  unsafe posix_spawn_file_actions_addclosefrom_np(&actions, Int32(streams.count))
  if let directory { unsafe posix_spawn_file_actions_addchdir_np(&actions, directory) }
  var signals = sigset_t()
  unsafe sigfillset(&signals)
  unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
  unsafe sigemptyset(&signals)
  unsafe posix_spawnattr_setsigmask(&attributes, &signals)
  unsafe posix_spawnattr_setflags(
    &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

  let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
  var process: pid_t = 0
  var code: Int32 = ETXTBSY
  // A program that a test beside this one starts has what is being written here open for a moment.
  for _ in 0..<200 where code == ETXTBSY {
    code = unsafe withCStrings(words) { arguments in
      unsafe withCStrings(variables.map { "\($0)=\($1)" }) { settings in
        unsafe posix_spawnp(&process, words[0], &actions, &attributes, arguments, settings)
      }
    }
    if code == ETXTBSY { usleep(10_000) }
  }
  guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
  return process
}

/// Strings as C's `argv` and `environ` have them.
private func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let pointers = unsafe strings.map { unsafe strdup($0) }
  defer { unsafe pointers.forEach { unsafe free($0) } }
  return unsafe body(pointers + [nil])
}

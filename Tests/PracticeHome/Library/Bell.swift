import CMicroHTTPD

/// Wakes the thread that serves a connection.
final class Bell: Sendable {
  let descriptor: Int32

  init() {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    precondition(descriptor >= 0, "no descriptors left for a bell")
  }

  func ring() { _ = eventfd_write(descriptor, 1) }

  func silence() {
    var count: eventfd_t = 0
    _ = unsafe eventfd_read(descriptor, &count)
  }

  deinit { close(descriptor) }
}

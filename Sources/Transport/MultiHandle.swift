import Bytes
import CCurl
import LinuxIO

/// Receiver of the end of the transfer in a `MultiHandle`.
protocol MultiHandleOwner: AnyObject {
  func transferFinished(_ result: CURLcode)
}

/// Multi handle of libcurl with one transfer at a time, driven by the event loop.
///
/// The loop keeps this object alive while it watches a socket, but not its owner, who calls
/// `stopWatching` at its own end.
@safe final class MultiHandle {
  /// Maximum number of parallel sockets: the old connection, and IPv4 beside IPv6.
  static let socketsMax = 8

  private struct Socket {
    let descriptor: Int32
    let watch: Watch
  }

  private let loop: EventLoop
  private let multi: UnsafeMutableRawPointer
  private var sockets: [Socket] = []
  /// Owner of the present transfer; nil without one.
  private unowned(unsafe) var owner: (any MultiHandleOwner)?
  /// Time at which `deadlineReached` is due, or nil.
  private(set) var deadline: Instant?

  /// Creates a handle; nil if libcurl cannot start.
  init?(loop: EventLoop) {
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK,
      let multi = unsafe curl_multi_init()
    else { return nil }
    self.loop = loop
    unsafe self.multi = multi
    sockets.reserveCapacity(Self.socketsMax)
    setCallbacks()
  }

  deinit {
    unsafe ccurl_clear_callbacks(multi)
    unsafe curl_multi_cleanup(multi)
  }

  func stopWatching() {
    for socket in sockets { loop.stop(socket.watch) }
    sockets.removeAll()
  }

  /// Limits the idle connections to the newest one.
  func keepOneConnection() {
    let result = unsafe ccurl_keep_connections(multi, 1)
    precondition(result == CURLM_OK, "libcurl knows this option since 2007")
  }

  /// Begins a transfer, and reports its end to `owner`, later and once.
  func add(_ easy: EasyHandle, telling owner: any MultiHandleOwner) {
    unsafe self.owner = owner
    let added = unsafe curl_multi_add_handle(multi, easy.handle)
    precondition(added == CURLM_OK, "the handle is in no other multi handle")
  }

  /// Removes a transfer, complete or not. A connection without a transfer is closed with it.
  func remove(_ easy: EasyHandle) {
    unsafe owner = nil
    unsafe curl_multi_remove_handle(multi, easy.handle)
  }

  func deadlineReached(now: Instant) {
    guard let deadline, now >= deadline else { return }
    self.deadline = nil
    act(on: CURL_SOCKET_TIMEOUT, 0)
  }

  private func act(on socket: Int32, _ what: Int32) {
    var running: Int32 = 0
    unsafe curl_multi_socket_action(multi, socket, what, &running)
    var result = CURLE_OK
    guard unsafe ccurl_take_finished(multi, &result) == 1 else { return }
    unsafe owner?.transferFinished(result)
  }

  // MARK: Callbacks of libcurl

  private func setCallbacks() {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    let result = unsafe ccurl_set_callbacks(
      multi,
      { _, descriptor, what, context, _ in
        unsafe Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
          .socketWanted(descriptor, what)
        return 0
      },
      { _, milliseconds, context in
        unsafe Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue()
          .timeoutWanted(milliseconds)
        return 0
      }, context)
    precondition(result == CURLM_OK, "libcurl knows these callbacks since 2006")
  }

  private func socketWanted(_ descriptor: Int32, _ what: Int32) {
    if let index = sockets.firstIndex(where: { $0.descriptor == descriptor }) {
      loop.stop(sockets[index].watch)
      sockets.remove(at: index)
    }
    guard what != CURL_POLL_REMOVE else { return }
    var readiness = Readiness()
    if what & CURL_POLL_IN != 0 { readiness.insert(.input) }
    if what & CURL_POLL_OUT != 0 { readiness.insert(.output) }
    // A socket that cannot be watched ends its transfer by timeout. libcurl uses a few sockets for
    // one transfer; their number also depends on the addresses of the name.
    guard sockets.count < Self.socketsMax,
      let watch = try? loop.watch(descriptor, for: readiness, telling: self)
    else { return }
    sockets.append(Socket(descriptor: descriptor, watch: watch))
  }

  private func timeoutWanted(_ milliseconds: Int) {
    deadline = milliseconds < 0 ? nil : Moment.now.instant + .milliseconds(milliseconds)
  }
}

extension MultiHandle: Watcher {
  func descriptorReady(_ descriptor: Int32, _ readiness: Readiness) {
    var what: Int32 = 0
    if readiness.contains(.input) { what |= CURL_CSELECT_IN }
    if readiness.contains(.output) { what |= CURL_CSELECT_OUT }
    if !readiness.isDisjoint(with: .failure) { what |= CURL_CSELECT_ERR }
    act(on: descriptor, what)
  }
}

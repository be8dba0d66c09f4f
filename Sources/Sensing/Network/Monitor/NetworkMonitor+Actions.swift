extension NetworkMonitor {
  /// A request of the monitor to the owner of the sockets.
  public enum Action: Equatable, Sendable {
    /// Open both sockets and call `opened` or `failed`.
    case open
    /// Close both sockets.
    case close
    /// Join or leave a multicast group with announcements.
    case join(NetlinkProtocol, group: UInt32)
    case leave(NetlinkProtocol, group: UInt32)
    /// Send `request`.
    case send(NetlinkProtocol)
    /// Send a datagram to this address over the interface with this index, so that the kernel
    /// resolves its hardware address; the delivery does not matter.
    case speak(NetworkAddress, interface: UInt32)
    /// Report that `place` has changed.
    case tellPlace
    /// Report that the location cannot be determined, and why. The monitor retries.
    case tellFailure(SourceFailure)
    /// Report that the monitor works again.
    case tellRecovery
  }
}

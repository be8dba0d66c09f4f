extension NetworkMonitor {
  /// What the monitor asks of the owner of the sockets.
  public enum Action: Equatable, Sendable {
    /// Open both sockets and tell `opened` or `failed`.
    case open
    /// Close both sockets.
    case close
    /// Hear the announcements of a multicast group, or no longer.
    case join(NetlinkProtocol, group: UInt32)
    case leave(NetlinkProtocol, group: UInt32)
    /// Send what stands in `request`.
    case send(NetlinkProtocol)
    /// Send a datagram to this address over the interface with this index, so that the kernel finds
    /// out its hardware address; whether it arrives is of no interest.
    case speak(NetworkAddress, interface: UInt32)
    /// `place` is another one.
    case tellPlace
    /// Say that there is no telling where the machine is, and why. It is tried again.
    case tellFailure(SourceFailure)
    /// Say that it works again.
    case tellRecovery
  }
}

public import Bytes

// The actions and events of a session.

extension GPSDSession {
  public enum Pace: Sendable {
    case streaming, onDemand
    /// The connection is closed between two cycles, so that gpsd switches the receiver off.
    case releasing

    init(forCyclesOf cycle: Duration) {
      if cycle <= GPSDSession.streamingCycleMax {
        self = .streaming
      } else {
        self = cycle <= GPSDSession.heldCycleMax ? .onDemand : .releasing
      }
    }
  }

  public enum Action: Equatable, Sendable {
    /// Open the connection, then call `connected` or `failed`.
    case connect
    /// Read all bytes that wait, call `bytesReceived` as often as needed, and then `drained`. The
    /// bytes that are too many for one turn of the loop are read in the next turns.
    case drain
    /// Parse `report` with libgps, call `reportRead`, and then `bytesReceived` again.
    case readReport
    /// Send `reportsCommand`, and read the answer as it comes.
    case askForReports
    /// Send `quietCommand`; then stop listening.
    case askForQuiet
    /// Stop reading until a cycle is due.
    case stopListening
    /// Close the connection: gpsd is not needed for now.
    case release
    /// Close the connection because of this failure.
    indirect case fail(SourceFailure)
  }

  /// Events other than fixes.
  public enum News: Equatable, Sendable {
    case failed(SourceFailure)
    case recovered
    /// Of several receivers, this one supplies the fixes from now on.
    case chose(InlineText)
  }
}

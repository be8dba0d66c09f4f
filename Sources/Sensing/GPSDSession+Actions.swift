public import Bytes

// What a session wants, and what it tells.

extension GPSDSession {
  public enum Pace: Sendable {
    case streaming, onDemand
    /// Between two cycles there is no connection, so that gpsd switches the receiver off.
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
    /// Open the connection and tell `connected` or `failed`.
    case connect
    /// Read all there is, tell `bytesReceived` as often as needed, and then `drained`. What is too
    /// much for one turn of the loop is read in the next ones.
    case drain
    /// Let libgps read `report`, tell `reportRead`, and then `bytesReceived` again.
    case readReport
    /// Send a command and read what comes, at once.
    case askForReports
    /// Send a command; from now on there is nothing to listen for.
    case askForQuiet
    /// What comes is read when a cycle is due.
    case stopListening
    /// Close the connection: nothing is wanted of gpsd for now.
    case release
    /// Close the connection; this is why.
    indirect case fail(SourceFailure)
  }

  /// What is told beside the fixes.
  public enum News: Equatable, Sendable {
    case failed(SourceFailure)
    case recovered
    /// Of several receivers, this one's fixes are taken from now on.
    case chose(InlineText)
  }
}

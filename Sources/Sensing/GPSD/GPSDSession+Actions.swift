public import Bytes

// The actions and events of a session, its limits and its commands.

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
    /// Read all bytes that wait, call `bytesReceived` after each read, and then `drained`. The
    /// bytes that are too many for one turn of the loop are read in the next turns.
    case drain
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
  public indirect enum News: Equatable, Sendable {
    case failed(SourceFailure)
    case recovered
    /// Of several receivers, this one supplies the fixes from now on.
    case chose(InlineText)
  }
}

extension GPSDSession {
  /// Longest cycle whose reports fit the socket.
  public static let streamingCycleMax: Duration = .seconds(30)
  /// Longest cycle over which the receiver is kept running.
  public static let heldCycleMax: Duration = .seconds(300)
  /// Time that a receiver that was switched off has for a fix: twice that of a cold start under
  /// open sky.
  public static let startTimeout: Duration = .seconds(60)
  /// Largest output of a receiver in a cycle at the streaming pace: with the kernel's own records
  /// it fills the default buffer of a socket.
  public static let streamedByteCountMax = 64 * 1024
  public static let connectionTimeout: Duration = .seconds(5)
  public static let versionTimeout: Duration = .seconds(5)
  /// A socket that is not empty after this time is filled faster than it is read.
  public static let drainTimeout: Duration = .seconds(5)
  /// Time that a cycle with a fix waits for other receivers, and for other reports of its time.
  public static let othersTimeout: Duration = .seconds(2)
  /// Time by which a report may be older than a cycle: receivers need a while to compute it.
  public static let latencyMax: Duration = .seconds(2)
  /// A gpsd that was asked for reports and is silent for longer has lost its receiver.
  public static let silenceMax: Duration = .seconds(60)
  /// Longest line that is read; no longer one is of use here.
  public static let lineByteCountMax = 16 * 1024
  /// Size of gpsd's own buffer for a report; no line of gpsd is longer.
  public static let skippedByteCountMax = 40_960
  /// Longest TPV that is read: about twice what a TPV with all its members has.
  public static let reportByteCountMax = 2048
  /// Number of malformed lines in a row after which the peer is not gpsd.
  public static let malformedLinesMax = 10

  public static let reportsCommand: StaticString = "?WATCH={\"enable\":true,\"json\":true};\n"
  public static let quietCommand: StaticString = "?WATCH={\"enable\":true,\"json\":false};\n"
}

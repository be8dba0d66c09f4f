// How long the session waits, how much it takes in, and what it says.

extension GPSDSession {
  /// The longest cycle whose reports fit the socket.
  public static let streamingCycleMax: Duration = .seconds(30)
  /// The longest cycle over which the receiver is kept running.
  public static let heldCycleMax: Duration = .seconds(300)
  /// How long a receiver that was switched off may take for a fix: twice of what a cold start takes
  /// under open sky.
  public static let startTimeout: Duration = .seconds(60)
  /// The most that a receiver may say in a cycle at the streaming pace: with the kernel's own
  /// records, it is what a socket holds by default.
  public static let streamedByteCountMax = 64 * 1024
  public static let connectionTimeout: Duration = .seconds(5)
  public static let versionTimeout: Duration = .seconds(5)
  /// A socket that is not empty after this is filled faster than it can be read.
  public static let drainTimeout: Duration = .seconds(5)
  /// How long a cycle that has a fix waits for other receivers.
  public static let othersTimeout: Duration = .seconds(2)
  /// A report may be so much older than a cycle: receivers need a while to compute it.
  public static let latencyMax: Duration = .seconds(2)
  /// A gpsd that was asked for reports, and whose last one is older than this, has lost its
  /// receiver.
  public static let silenceMax: Duration = .seconds(60)
  /// A longer line is skipped: none of those is of use here.
  public static let lineByteCountMax = 16 * 1024
  /// gpsd's own buffer for a report. What is longer is no line of gpsd.
  public static let skippedByteCountMax = 40_960
  public static let reportByteCountMax = 1024
  /// Lines in a row that make no sense after which the peer is not believed to be gpsd.
  public static let malformedLinesMax = 10

  public static let reportsCommand: StaticString = "?WATCH={\"enable\":true,\"json\":true};\n"
  public static let quietCommand: StaticString = "?WATCH={\"enable\":true,\"json\":false};\n"
}

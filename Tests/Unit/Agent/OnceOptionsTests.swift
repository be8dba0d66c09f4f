import Testing

@testable import Agent

/// How long a run that ends by itself waits for its sources.
@Suite struct OnceOptionsTests {
  /// Seconds of the run, and seconds that a source has.
  @Test(arguments: [(6, 4), (60, 40), (90, 60), (120, 60), (180, 60), (600, 200)])
  func aReceiverHasItsTimeToStartAndTheUploadAThirdOfTheRun(run: Int64, source: Int64) {
    var options = OnceOptions()
    options.timeout = .seconds(run)
    #expect(options.answerTimeout == .seconds(source))
  }
}

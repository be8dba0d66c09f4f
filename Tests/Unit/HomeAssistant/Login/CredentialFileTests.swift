import Bytes
import Testing

@testable import HomeAssistant

@Suite struct CredentialFileTests {
  /// The checksums were computed without the code under test.
  private static let refresh =
    #"{"version":1,"kind":"refresh_token","token":"5ec","client_id":"http://ha:8123/","#
    + "\"checksum\":1439356543}\n"
  private static let access =
    #"{"version":1,"kind":"access_token","token":"eyJ.a-b_c","client_id":"","#
    + "\"checksum\":195791843}\n"

  private func reading(_ file: [UInt8]) -> Result<Credential, KeptFileError> {
    do throws(KeptFileError) { return .success(try Credential(file: file.span)) } catch {
      return .failure(error)
    }
  }

  @Test(arguments: [
    (refresh, Credential.refreshToken([UInt8]("5ec"), clientID: [UInt8]("http://ha:8123/"))),
    (access, .accessToken([UInt8]("eyJ.a-b_c"))),
  ])
  func aCredentialOfYearsAgoIsStillRead(file: String, credential: Credential) throws {
    #expect(reading([UInt8](file.utf8)) == .success(credential))
    #expect(written { credential.writeFile(into: &$0) } == file)
  }

  @Test func theLongestCredentialFitsItsFile() throws {
    let token = [UInt8](repeating: UInt8(ascii: "\""), count: Credential.tokenByteCountMax)
    let clientID = [UInt8](repeating: UInt8(ascii: "\\"), count: Credential.clientIDByteCountMax)
    let credential = try #require(Credential(refreshToken: token, clientID: clientID))
    var file = ByteBuffer(capacity: Credential.fileByteCountMax)
    credential.writeFile(into: &file)
    #expect(reading([UInt8](file.bytes)) == .success(credential))
  }

  @Test(arguments: [refresh, access])
  func aSingleFlippedBitIsNeverAnotherToken(file: String) {
    for flipped in flips(of: [UInt8](file.utf8)) {
      let result = reading(flipped)
      #expect(throws: KeptFileError.self, "\(String(decoding: flipped, as: UTF8.self))") {
        try result.get()
      }
    }
  }

  @Test func aFileThatThePowerCutShortIsDamaged() {
    for cut in truncations(of: [UInt8](Self.refresh.utf8)).dropLast() {
      #expect(reading(cut) == .failure(.damaged))
    }
  }

  @Test func theFileOfANewerHomewardIsNotCalledDamaged() {
    #expect(reading([UInt8](#"{"version":2}"#.utf8)) == .failure(.unknownVersion(2)))
  }

  /// What people paste with it would be a failed login at Home Assistant.
  @Test(arguments: [
    "", "a b", "a\nb", "\u{E9}", "a\u{7F}", "\"a\"", "'a'", "`a`", "<a", "a>", "TOKEN=a",
  ])
  func whatNoTokenHoldsIsNotOne(text: String) {
    #expect(Credential(accessToken: [UInt8](text.utf8)) == nil)
  }

  @Test func aTokenThatIsTooLongIsNotOne() {
    let longest = [UInt8](repeating: UInt8(ascii: "a"), count: Credential.tokenByteCountMax)
    #expect(Credential(accessToken: longest) != nil)
    #expect(Credential(accessToken: longest + longest) == nil)
  }
}

@Suite struct RejectedTokensTests {
  private func fingerprint(_ token: String) -> [UInt8] {
    RejectedTokens.fingerprint(of: [UInt8](token.utf8))
  }

  private func reread(_ tokens: RejectedTokens) throws -> RejectedTokens {
    var file = ByteBuffer(capacity: RejectedTokens.fileByteCountMax)
    tokens.writeFile(into: &file)
    return try RejectedTokens(file: file.bytes)
  }

  @Test func allOfThemOutliveARestart() throws {
    var tokens = RejectedTokens()
    for index in 0..<RejectedTokens.countMax {
      tokens.insert(fingerprint: fingerprint("\(index)"))
      #expect(try reread(tokens) == tokens)
    }
    #expect(tokens.contains(fingerprint: fingerprint("0")))
    tokens.insert(fingerprint: fingerprint("more"))
    let kept = try reread(tokens)
    #expect(!kept.contains(fingerprint: fingerprint("0")))
    #expect(kept.contains(fingerprint: fingerprint("1")))
    #expect(kept.contains(fingerprint: fingerprint("more")))
  }

  @Test func oneTokenTakesOnePlace() {
    var tokens = RejectedTokens()
    for _ in 0..<100 { tokens.insert(fingerprint: fingerprint("a")) }
    tokens.insert(fingerprint: fingerprint("b"))
    #expect(tokens.contains(fingerprint: fingerprint("a")))
  }

  @Test func theSingleOneThatWasOnceKeptIsRead() throws {
    let tokens = try RejectedTokens(file: fingerprint("a").span)
    #expect(tokens.contains(fingerprint: fingerprint("a")))
  }

  // MARK: Those that another machine may have rejected

  private static let start = Instant(nanoseconds: 5_000_000_000)
  private static let time = WallTime(nanoseconds: 1_790_000_000_000_000_000)

  private func reread(
    _ tokens: RejectedTokens, after off: Duration, clockAt time: WallTime? = nil
  ) throws -> RejectedTokens {
    var file = ByteBuffer(capacity: RejectedTokens.fileByteCountMax)
    tokens.writeFile(into: &file, now: Self.start, wallTime: Self.time)
    // After a restart the kernel counts from 0.
    return try RejectedTokens(
      file: file.bytes, now: Instant(nanoseconds: 0), wallTime: time ?? Self.time + off)
  }

  @Test func oneThatMayBeShownAgainKeepsItsMomentOverARestart() throws {
    var tokens = RejectedTokens()
    tokens.insert(fingerprint: fingerprint("a"), isForGood: false, now: Self.start)
    let wait = RejectedTokens.waits[0]
    #expect(tokens.end(of: fingerprint("a")) == Self.start + wait)
    let kept = try reread(tokens, after: .seconds(600))
    let end = try #require(kept.end(of: fingerprint("a")))
    #expect(end - Instant(nanoseconds: 0) <= wait - .seconds(600) + .seconds(1))
    #expect(kept.contains(fingerprint: fingerprint("a"), now: end + .nanoseconds(-1)))
    #expect(!kept.contains(fingerprint: fingerprint("a"), now: end))
  }

  /// The moment at hand is that of the last event, a little before the file was read.
  @Test func oneWhoseMomentHasPassedMayBeShownAtOnceAfterARestart() throws {
    var tokens = RejectedTokens()
    tokens.insert(fingerprint: fingerprint("a"), isForGood: false, now: Self.start)
    let kept = try reread(tokens, after: RejectedTokens.waits[0] + .seconds(1))
    #expect(!kept.contains(fingerprint: fingerprint("a"), now: Instant(nanoseconds: -1_000_000)))
  }

  /// A board without a clock begins in 1970, and one whose clock was years ahead comes back.
  @Test func aClockThatWasSetMakesNoWaitLonger() throws {
    var tokens = RejectedTokens()
    tokens.insert(fingerprint: fingerprint("a"), isForGood: false, now: Self.start)
    for time in [WallTime(nanoseconds: 0), WallTime(nanoseconds: .min)] {
      let kept = try reread(tokens, after: .zero, clockAt: time)
      #expect(
        kept.end(of: fingerprint("a")) == Instant(nanoseconds: 0) + RejectedTokens.waits[0])
    }
    let late = try reread(tokens, after: .zero, clockAt: WallTime(nanoseconds: .max))
    #expect(!late.contains(fingerprint: fingerprint("a"), now: Instant(nanoseconds: 0)))
  }

  /// With the usual `login_attempts_threshold` of 5 the fifth rejection bans the address, webhooks
  /// included. The first one may count twice: that of an access token, and that of its renewal.
  @Test func inAMonthARejectedTokenIsNotShownOftenEnoughForABan() {
    var tokens = RejectedTokens()
    var now = Instant(nanoseconds: 0)
    let end = now + .seconds(30 * 24 * 3600)
    var count = 1
    while now < end {
      if !tokens.contains(fingerprint: fingerprint("a"), now: now) {
        count += 1
        tokens.insert(fingerprint: fingerprint("a"), isForGood: false, now: now)
      }
      now = now + .seconds(900)
    }
    #expect(count < 5)
  }

  @Test func eachRejectionThatIsNewMakesTheNextWaitLonger() throws {
    var tokens = RejectedTokens()
    var now = Self.start
    for wait in RejectedTokens.waits + [RejectedTokens.waits[2], RejectedTokens.waits[2]] {
      for _ in 0..<3 {
        tokens.insert(fingerprint: fingerprint("a"), isForGood: false, now: now)
        #expect(tokens.end(of: fingerprint("a")) == now + wait, "the same is said once")
      }
      now = now + wait
    }
    tokens.insert(fingerprint: fingerprint("a"), isForGood: true, now: now)
    #expect(tokens.end(of: fingerprint("a")) == nil)
    now = now + .seconds(10 * 365 * 24 * 3600)
    #expect(tokens.contains(fingerprint: fingerprint("a"), now: now))
  }

  /// What was rejected over plain HTTP is read where `url` has TLS by now: nothing was shown to it.
  @Test func oneOfDoubtIsNotBurnedByAServerThatHasNotSeenIt() {
    var tokens = RejectedTokens()
    tokens.insert(fingerprint: fingerprint("a"), isForGood: false, now: Self.start)
    tokens.insert(fingerprint: fingerprint("a"), isForGood: true, now: Self.start)
    #expect(tokens.end(of: fingerprint("a")) == Self.start + RejectedTokens.waits[0])
  }

  @Test func aFileThatIsWrittenAgainAndAgainHoldsTheSameMoment() throws {
    var tokens = RejectedTokens()
    tokens.insert(fingerprint: fingerprint("a"), isForGood: false, now: Self.start)
    let end = Self.time + RejectedTokens.waits[0]
    var file = ByteBuffer(capacity: RejectedTokens.fileByteCountMax)
    for index in 0..<100 {
      let off = Duration.milliseconds(index * 10)
      if index > 0 {
        tokens = try RejectedTokens(
          file: file.bytes, now: Self.start + off, wallTime: Self.time + off)
      }
      tokens.writeFile(into: &file, now: Self.start + off, wallTime: Self.time + off)
      let second = String(end.nanoseconds / 1_000_000_000)
      #expect(String(decoding: file.withBytes { [UInt8]($0) }, as: UTF8.self).contains(second))
    }
  }

  @Test func oneThatIsAcceptedIsForgotten() {
    var tokens = RejectedTokens()
    tokens.insert(fingerprint: fingerprint("a"), isForGood: false, now: Self.start)
    let wasThere = tokens.remove(fingerprint: fingerprint("a"))
    #expect(wasThere && tokens.isEmpty)
    let isStillThere = tokens.remove(fingerprint: fingerprint("a"))
    #expect(!isStillThere)
  }

  /// The damaged line may be that of the token which is about to be sent.
  @Test func aDamagedFileIsNotTakenForOneWithoutThatToken() {
    let line = fingerprint("a") + [UInt8]("\n")
    let damaged: [[UInt8]] = [
      [], [0], [UInt8]("\n"), line.dropLast(2), line + [UInt8]("short\n"), line + [UInt8]("\n"),
      line + [UInt8](repeating: 0, count: line.count), [0x67] + line.dropFirst(),
      (0..<9).flatMap { fingerprint("\($0)") + [UInt8]("\n") },
      fingerprint("a") + [UInt8](" \n"), fingerprint("a") + [UInt8](" 1\n"),
      fingerprint("a") + [UInt8](" 0 1\n"), fingerprint("a") + [UInt8](" 1 x\n"),
      fingerprint("a") + [UInt8](" 1 1234567890123\n"), fingerprint("a") + [UInt8](" 1 \n"),
    ]
    for file in damaged {
      #expect(throws: KeptFileError.damaged, "\(file)") { try RejectedTokens(file: file.span) }
    }
  }
}

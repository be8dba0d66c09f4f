import Bytes
import Glibc
import Testing

@Suite struct ISO8601Tests {
  private func time(_ text: String) -> WallTime? {
    let bytes = [UInt8](text.utf8)
    return WallTime(iso8601: bytes.span)
  }

  /// What the C library makes of the same calendar date.
  private func oracle(_ date: String, seconds: Int64 = 0, nanoseconds: Int64 = 0) -> WallTime? {
    let numbers = date.split { "-T:".contains($0) }.compactMap { Int32($0) }
    var fields = unsafe tm()
    unsafe (fields.tm_year, fields.tm_mon, fields.tm_mday) = (
      numbers[0] - 1900, numbers[1] - 1, numbers[2]
    )
    unsafe (fields.tm_hour, fields.tm_min, fields.tm_sec) = (numbers[3], numbers[4], numbers[5])
    return unsafe WallTime(
      seconds: Int64(timegm(&fields)) + seconds, nanoseconds: nanoseconds)
  }

  @Test(
    arguments: [
      ("2021-02-20T05:14:52.647932+00:00", "2021-02-20T05:14:52", 0, 647_932_000),
      ("2021-02-20T05:14:52.647932Z", "2021-02-20T05:14:52", 0, 647_932_000),
      ("2021-02-20T05:14:52Z", "2021-02-20T05:14:52", 0, 0),
      ("2021-02-20T05:14:52-08:00", "2021-02-20T05:14:52", 8 * 3600, 0),
      ("2021-02-20T05:14:52.5+05:45", "2021-02-20T05:14:52", -(5 * 3600 + 45 * 60), 500_000_000),
      ("2024-02-29T23:59:59.999999999+00:00", "2024-02-29T23:59:59", 0, 999_999_999),
      ("2024-02-29T23:59:59.9999999999+00:00", "2024-02-29T23:59:59", 0, 999_999_999),
      ("1969-12-31T23:59:59.25Z", "1969-12-31T23:59:59", 0, 250_000_000),
      ("1678-01-01T00:00:00Z", "1678-01-01T00:00:00", 0, 0),
      ("2261-12-31T23:59:59Z", "2261-12-31T23:59:59", 0, 0),
    ] as [(String, String, Int64, Int64)])
  func aMomentIsReadToTheMicrosecond(
    text: String, date: String, seconds: Int64, nanoseconds: Int64
  ) throws {
    let expected = try #require(oracle(date, seconds: seconds, nanoseconds: nanoseconds))
    #expect(time(text) == expected)
  }

  @Test(arguments: [
    "", "2021-02-20", "2021-02-20 05:14:52+00:00", "2021-02-20T05:14:52", "2021-02-20T05:14+00:00",
    "2021-02-20T05:14:52.+00:00", "2021-02-20T05:14:52,5Z", "2021-02-20T05:14:52+0000",
    "2021-02-20T05:14:52+00", "2021-02-20T05:14:52z", "2021-2-20T05:14:52Z",
    "2021-02-29T05:14:52Z", "2100-02-29T00:00:00Z", "2021-04-31T00:00:00Z", "2021-13-01T00:00:00Z",
    "2021-00-01T00:00:00Z", "2021-01-00T00:00:00Z", "2021-02-20T24:00:00Z", "2021-02-20T05:60:52Z",
    "2021-02-20T05:14:60Z", "2021-02-20T05:14:52+24:00", "2021-02-20T05:14:52+00:60",
    "2021-02-20T05:14:52Z ", " 2021-02-20T05:14:52Z", "2021-02-20T05:14:52ZZ", "20210220T051452Z",
    "1600-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "-021-02-20T05:14:52Z", "2021-02-20T05:14:52.5",
  ])
  func otherFormsAreRefused(text: String) { #expect(time(text) == nil) }

  @Test func momentsAreWrittenAsHomeAssistantWritesThem() {
    func text(_ nanoseconds: Int64) -> Text { Text(iso8601: WallTime(nanoseconds: nanoseconds)) }
    #expect(text(0) == "1970-01-01T00:00:00+00:00")
    #expect(text(1_000_000) == "1970-01-01T00:00:00.001000+00:00")
    #expect(text(999) == "1970-01-01T00:00:00+00:00")
    #expect(text(-1000) == "1969-12-31T23:59:59.999999+00:00")
    #expect(text(.max) == "2262-04-11T23:47:16.854775+00:00")
    #expect(text(.min) == "1677-09-21T00:12:43.145224+00:00")
  }

  /// The seconds after which 32 bits are full, with their sign and without it, and before 1970.
  @Test(
    arguments: [
      ("2038-01-19T03:14:07+00:00", 2_147_483_647), ("2038-01-19T03:14:08+00:00", 2_147_483_648),
      ("2106-02-07T06:28:16+00:00", 4_294_967_296), ("1901-12-13T20:45:51+00:00", -2_147_483_649),
    ] as [(String, Int64)])
  func noMomentIsHeldIn32Bits(text: String, seconds: Int64) {
    let time = WallTime(nanoseconds: seconds * 1_000_000_000)
    #expect(Text(iso8601: time) == Text([UInt8](text.utf8)))
    #expect(self.time(text) == time)
  }

  @Test func anyMomentIsWrittenAsTheCLibraryWritesItAndReadBack() {
    var random = SplitMix64(seed: 4)
    for _ in 0..<20_000 {
      let nanoseconds = Int64(bitPattern: random.next()) / 1000 * 1000
      let time = WallTime(nanoseconds: nanoseconds)
      let written = Text(iso8601: time)
      #expect(WallTime(iso8601: written.bytes.span) == time)
      var seconds = time_t(nanoseconds / 1_000_000_000)
      if nanoseconds % 1_000_000_000 < 0 { seconds -= 1 }
      var fields = unsafe tm()
      unsafe gmtime_r(&seconds, &fields)
      var date = [CChar](repeating: 0, count: 64)
      let count = unsafe strftime(&date, 64, "%Y-%m-%dT%H:%M:%S", &fields)
      let expected = date[..<count].map { UInt8(bitPattern: $0) }
      #expect(Array(written.bytes[..<count]) == expected)
    }
  }

  @Test(
    arguments: [
      ("0", 0), ("1.5", 1_500_000_000), ("1691234567.123456", 1_691_234_567_123_456_000),
      ("-0.000001", -1000), ("1.6912345671234558e9", 1_691_234_567_123_456_000),
      ("1795272783.4273827", 1_795_272_783_427_383_000),
      (#""1970-01-01T00:00:01.000001+00:00""#, 1_000_001_000),
    ] as [(String, Int64)])
  func aTimeIsANumberOfSecondsOrAText(text: String, nanoseconds: Int64) throws {
    let value = try json(text)
    #expect(try WallTime(json: value) == WallTime(nanoseconds: nanoseconds))
  }

  @Test func aListOfTimesIsDecodedWholeOrNotAtAll() throws {
    let times: JSON = [
      "list": ["1970-01-01T00:00:01+00:00", 2, "1969-12-31T16:00:03-08:00"], "null": nil,
      "bad": ["1970-01-01T00:00:01+00:00", "then"], "one": "1970-01-01T00:00:01+00:00",
    ]
    let expected = (1...3).map { WallTime(nanoseconds: $0 * 1_000_000_000) }
    #expect(try times.get("list") as [WallTime] == expected)
    #expect(try times.getIfPresent("list") as [WallTime]? == expected)
    #expect(try times.getIfPresent("null") as [WallTime]? == nil)
    #expect(try times.get("one") as WallTime? == expected[0])
    #expect(throws: JSONDecodingError.invalidValue(key: "bad")) {
      try times.get("bad") as [WallTime]
    }
    #expect(
      throws: JSONDecodingError.wrongKind(key: "one", expected: .array, found: .string)
    ) { try times.get("one") as [WallTime] }
  }

  @Test(arguments: [#""today""#, "1e30", #""""#])
  func aTimeThatIsNoneIsInvalid(text: String) throws {
    let value = try json(text)
    #expect(throws: JSONDecodingError.invalidValue(key: "root")) { try WallTime(json: value) }
  }

  /// Every 400th year has a leap day although every 100th has none. The C library is the oracle.
  @Test func theEndOfEveryFebruaryAndOfEveryYearIsWrittenAsItsDate() throws {
    for year in 1678...2261 {
      for date in ["\(year)-02-28", "\(year)-03-01", "\(year)-12-31", "\(year)-01-01"] {
        let time = try #require(oracle(date + "T12:00:00"))
        #expect(Text(iso8601: time) == Text([UInt8]((date + "T12:00:00+00:00").utf8)))
      }
      let dayBeforeMarch = try #require(oracle("\(year)-03-01T12:00:00", seconds: -86_400))
      let isLeap = oracle("\(year)-02-29T12:00:00") == dayBeforeMarch
      let last = isLeap ? "29" : "28"
      #expect(
        Text(iso8601: dayBeforeMarch) == Text([UInt8]("\(year)-02-\(last)T12:00:00+00:00".utf8)))
    }
  }
}

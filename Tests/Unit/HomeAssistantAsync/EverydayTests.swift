import Foundation
import HomeAssistantAsync
import Testing

// One import beside Foundation's: these are the types of a program that never heard of the core's.

/// Over real sockets, as a program of its own would use the client.
@Suite(.timeLimit(.minutes(10))) struct EverydayTests {
  private let house: PracticeHouse
  private let home: AsyncClient

  init() throws {
    house = try PracticeHouse()
    let url = try #require(URL(string: house.url))
    home = try AsyncClient(url: url, accessToken: house.token)
  }

  @Test func theEntitiesOfADomainAreThoseOfNoOther() async throws {
    let people = try await home.entities(in: "person")
    #expect(people.map { String($0.id) } == ["person.practice"])
    #expect(people.allSatisfy { $0.state == "unknown" })
    let all = try await home.entities()
    #expect(all.count > people.count)
    #expect(try await home.entities(in: "perso").isEmpty)
  }

  @Test func aServiceTakesStringsAndAnswers() async throws {
    let text = ["How", "are", "you?"].joined(separator: " ")
    let answer = try await home.callService(
      "conversation", "process", data: ["text": JSON(text)], wantsResponse: true)
    #expect(
      answer?["response"]?["speech"]?["plain"]?["speech"]?.string == "This is only practice.")
  }
}

/// What the types of both sides make of each other.
@Suite struct ConversionTests {
  @Test func aTextEqualsTheStringOfTheSameBytes() {
    let name = ["caf", "\u{e9}"].joined()
    #expect(Text("caf\u{e9}") == name)
    #expect(name == Text("caf\u{e9}"))
    // Equal to Swift, and another text to Home Assistant.
    #expect(Text("cafe\u{301}") != name)
    #expect(String(Text("caf\u{e9}")) == name)
  }

  @Test func aStringThatIsNoIDOfAnEntityIsNone() {
    let id = "light.hall"
    #expect(EntityID(id).map { String($0) } == id)
    #expect(EntityID(id.uppercased() + ".") != nil)
    #expect(EntityID(String(id.dropFirst(5))) == nil)
  }

  @Test func aDateIsTheSameMomentToTheMicrosecond() {
    let date = Date(timeIntervalSince1970: 1_763_752_802.123456)
    #expect(WallTime(date).nanoseconds == 1_763_752_802_123_456_000)
    #expect(abs(WallTime(date).date.timeIntervalSince(date)) < 1e-6)
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300])
  func aDateThatNoWallTimeHoldsBecomesTheNearest(seconds: Double) {
    let date = WallTime(Date(timeIntervalSince1970: seconds)).date
    #expect(date > Date(timeIntervalSince1970: -9.3e9))
    #expect(date < Date(timeIntervalSince1970: 9.3e9))
  }

  @Test func membersOfAnObjectAreFoundByString() throws {
    let key = String("edoc".reversed())
    let (count, isOn, half) = (7, true, 0.5)
    var object = JSONObject([
      "code": JSON(count), "on": JSON(isOn), "half": try #require(JSON(half)),
    ])
    #expect(object[key] == JSON(count))
    object[key] = nil
    #expect(object.members.map { String($0.key) } == ["half", "on"])
    let none = Double.nan
    #expect(JSON(none) == nil)
  }
}

import Bytes
import Foundation
import Testing

@testable import Board
@testable import HomeAssistant
@testable import Tools

/// What a person is shown of the addresses that an instance claims, and where the password goes.
@Suite struct AddressChoiceTests {
  private final class Person {
    /// What they answer, in order; nil is an empty line.
    var answers: [Bool?]
    var questions: [String] = []
    var told: [String] = []

    init(_ answers: [Bool?]) { self.answers = answers }
  }

  /// Nothing answers at the addresses that are `dead`.
  private func choose(_ person: Person, _ urls: [String], dead: [String] = []) throws -> String? {
    let choice = AddressChoice(
      instance: FoundInstance(name: "Boat", urls: urls.map { Text($0) }),
      say: { person.told.append(String(decoding: $0.bytes, as: UTF8.self)) },
      confirm: { (question, standard) throws(CommandFailure) in
        person.questions.append(String(decoding: question.bytes, as: UTF8.self))
        return (person.answers.isEmpty ? nil : person.answers.removeFirst()) ?? standard
      },
      reach: { (url) throws(CommandFailure) in
        let isDead = dead.contains(String(decoding: url, as: UTF8.self))
        return isDead ? CommandFailure(code: .temporaryFailure, text: "\(bytes: url) is dead") : nil
      })
    return try choice.run().map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func theAddressThatAnswersIsTheOneThatIsConfirmed() throws {
    let person = Person([true])
    let urls = ["http://boat.local:8123", "http://192.0.2.2:8123"]
    #expect(try choose(person, urls, dead: ["http://boat.local:8123"]) == urls[1])
    #expect(person.questions == ["Pair with Boat at http://192.0.2.2:8123?"])
    #expect(person.told.contains("http://boat.local:8123 is dead"))
  }

  @Test func everyAddressThatIsClaimedIsShown() throws {
    let person = Person([true])
    let urls = ["http://192.0.2.2:8123", "http://203.0.113.9:8123", "https://boat.example"]
    _ = try choose(person, urls)
    for url in urls { #expect(person.told.joined().contains(url)) }
  }

  /// An empty line is no.
  @Test(arguments: [nil, true] as [Bool?])
  func onlyAClearYesFallsFromTLSToPlainHTTP(answer: Bool?) throws {
    let person = Person([answer])
    let urls = ["https://boat.local:8123", "http://192.0.2.2:8123"]
    let chosen = try choose(person, urls, dead: ["https://boat.local:8123"])
    #expect(chosen == (answer == true ? urls[1] : nil))
    #expect(
      person.questions == [
        "Its https:// address cannot be used. Send the password unencrypted to Boat at"
          + " http://192.0.2.2:8123?"
      ])
  }

  @Test func whoSaysNoIsOfferedTheNextAddress() throws {
    let person = Person([false, true])
    let urls = ["http://203.0.113.9:8123", "http://192.0.2.2:8123"]
    #expect(try choose(person, urls) == urls[1])
    #expect(person.questions.count == 2)
  }

  @Test func whereNothingAnswersNothingIsAsked() throws {
    let person = Person([])
    let urls = ["http://192.0.2.2:8123"]
    #expect(try choose(person, urls, dead: urls) == nil)
    #expect(person.questions.isEmpty && person.told == ["http://192.0.2.2:8123 is dead"])
  }

  /// What a liar sends is judged like what a person types.
  @Test func anAddressWithAUserNameIsNotOffered() throws {
    let person = Person([true])
    #expect(try choose(person, ["http://home.example@203.0.113.9"]) == nil)
    #expect(person.questions.isEmpty)
  }
}

@Suite struct AddressAdviceTests {
  private func advice(_ url: String) -> String? {
    addressAdvice([UInt8](url.utf8)).map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  @Test(
    arguments: [
      ("http://192.168.1.5:8123/lovelace/0", "http://192.168.1.5:8123"),
      ("https://boat.example/dashboard", "https://boat.example"),
      ("http://192.168.1.5", "http://192.168.1.5:8123"),
      ("http://[fd00::1]", "http://[fd00::1]:8123"), ("http://192.168.1.5:8123", nil),
      ("https://[fd00::1]:8123", nil), ("http://h:80", nil),
    ] as [(String, String?)])
  func whatWasForgottenOrCopiedAlongIsSaid(url: String, right: String?) {
    #expect(advice(url)?.components(separatedBy: ": ").last == right)
  }

  @Test(arguments: ["HTTP://192.168.1.5:8123", "Http://192.168.1.5:8123"])
  func theSchemeIsOfAnyCase(url: String) throws {
    #expect(try serverURL([UInt8](url.utf8)) == [UInt8]("http://192.168.1.5:8123".utf8))
  }

  /// A network may be called as the one at home, and be an attacker's.
  @Test(arguments: [
    ("https://boat.example", "https://boat.example"),
    ("http://boat.example", "http://192.168.1.5:8123"),
  ])
  func aLoginGoesToTheAddressWithTLSWhereverTheBoardIs(url: String, wanted: String) throws {
    let home = "home_network: { ssids: [Harbour], url: \"http://192.168.1.5:8123\" }"
    let text = "home_assistant: { url: \"\(url)\", \(home) }\n"
    let settings = try Configuration.parse([UInt8](text.utf8)).homeAssistant
    let atHome = try #require(settings.server.home?.url)
    let chosen = try settings.urlForSecrets { atHome }
    #expect(chosen == [UInt8](wanted.utf8))
  }
}

import Bytes
import Foundation
import HomeAssistant
import HomeAssistantAsync
import TestRun
import Testing

/// The example as it is built, run against a practice home.
@Suite(.timeLimit(.minutes(10))) struct ExampleTests {
  private let house: PracticeHouse

  init() throws { house = try PracticeHouse() }

  /// Starts the executable that was built beside these tests, and what it prints until its end.
  private func start(_ arguments: String...) throws -> (ChildProcess, Task<String, any Error>) {
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appending(path: "example")
    let pipe = Pipe()
    let process = try ChildProcess(program.path, arguments, output: .pipe(pipe))
    let output = Task.detached {
      String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
    return (process, output)
  }

  @Test func itTellsOfTheHomeTalksToItAndWatchesADomain() async throws {
    let (process, output) = try start(house.url, house.token, "person")
    defer { process.terminate() }
    await house.untilCommanded("get_states")
    let client = try AsyncClient(
      address: house.url, accessToken: house.token)
    for name in ["Ada", "Grace", "Mary"] as [Text] {
      try await client.send(.updatePerson("practice", changes: ["name": .text(name)]))
    }
    #expect(
      try await output.value == """
        Home Assistant 2025.4.4 of Practice Home
        Logged in as Practice
        It says: This is only practice.
        person.practice is unknown
        person.practice becomes unknown
        person.practice becomes unknown
        person.practice becomes unknown

        """)
    #expect(await process.ending() == 0)
  }

  @Test func aWrongTokenIsSaidInWords() async throws {
    let (_, output) = try start(house.url, "another")
    #expect(try await output.value == "Home Assistant does not accept the token.\n")
  }

  @Test func aWrongAddressIsSaidInWords() async throws {
    let (_, output) = try start("homeassistant.local", "token")
    #expect(try await output.value == "There is no client: invalidAddress\n")
  }

  @Test func withoutArgumentsItSaysHowItIsUsed() async throws {
    let (_, output) = try start()
    #expect(try await output.value.hasPrefix("usage: example URL TOKEN"))
  }
}

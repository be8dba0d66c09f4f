import Testing

@testable import Board

/// How the words of a command line are taken.
@Suite struct ArgumentsTests {
  private func arguments(_ words: [String]) -> Arguments {
    Arguments(words.map { Array($0.utf8) })
  }

  private func next(_ arguments: inout Arguments) throws -> String? {
    text(try arguments.next()?.bytes)
  }

  @Test(arguments: [["--config", "a=b"], ["--config=a=b"]])
  func aValueStandsBehindItsOptionOrBehindASign(words: [String]) throws {
    var arguments = arguments(words)
    let option = try #require(try arguments.next())
    #expect("--config" ~= option && option.isOption)
    #expect(text(try arguments.value(of: option, "a file")) == "a=b")
    #expect(try next(&arguments) == nil)
  }

  @Test func aWordIsTakenAsItIs() throws {
    var arguments = arguments(["a=b", "-", "--", "-x=1"])
    for word in ["a=b", "-", "--", "-x=1"] { #expect(try next(&arguments) == word) }
    #expect(try next(&arguments) == nil)
  }

  /// Without its options unpair would delete the device.
  @Test func withSudoThereIsTheSameCommandLine() {
    let words = arguments(["unpair", "--local", "--config", "my boat.yaml", ""])
    #expect(text(words.withSudo.bytes) == "sudo homeward unpair --local --config 'my boat.yaml' ''")
  }

  @Test(
    arguments: [
      ("check --config boat.yaml --json", " --config boat.yaml"),
      ("check --json=1 --config=boat.yaml", " --config boat.yaml"),
      ("check --help --config=b", " --config b"), ("", ""), ("check --json", ""),
      ("check --config", ""), ("check --config -", ""),
      ("check --config a\u{1B}[2J", " --config 'a?[2J'"),
    ])
  func theNextCommandHasTheSameConfiguration(words: String, option: String) {
    let arguments = arguments(words.split(separator: " ").map(String.init))
    #expect(text(arguments.configurationOption.bytes) == option)
  }

  @Test func aValueWhereNoneBelongsIsAMistake() throws {
    var arguments = arguments(["--once=1", "--all"])
    #expect(try next(&arguments) == "--once")
    guard case .mistake(let words)? = failure(&arguments) else {
      Issue.record("the value was passed over")
      return
    }
    #expect(text(words.bytes) == "--once takes no value")
  }

  @Test(arguments: [["--config"], ["--config="], ["--config", ""]])
  func aValueThatIsMissingIsAskedFor(words: [String]) throws {
    var arguments = arguments(words)
    let option = try #require(try arguments.next())
    do throws(UsageError) {
      _ = try arguments.value(of: option, "the name of a file")
      Issue.record("nothing was missed")
    } catch {
      guard case .mistake(let words) = error else { throw error }
      #expect(text(words.bytes) == "--config needs the name of a file")
    }
  }

  @Test(arguments: ["--help", "-h"]) func helpIsGivenToWhoAsks(word: String) {
    var arguments = arguments([word])
    guard case .helpWanted? = failure(&arguments) else {
      Issue.record("\(word) asks for help")
      return
    }
  }

  @Test func theWordsOfThisProcessAreTakenWithoutItsName() throws {
    var arguments = Arguments.ofProcess
    for word in CommandLine.arguments.dropFirst() where !word.isEmpty {
      let value = try arguments.value(of: Argument(bytes: []), "a word")
      #expect(text(value) == word)
    }
    #expect(try next(&arguments) == nil)
  }

  private func failure(_ arguments: inout Arguments) -> UsageError? {
    do throws(UsageError) {
      _ = try arguments.next()
      return nil
    } catch {
      return error
    }
  }
}

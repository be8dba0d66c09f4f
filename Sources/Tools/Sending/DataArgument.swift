import Board
import Bytes
import HomeAssistant
import LinuxIO

/// Value of `--data`: JSON from the command line or from standard input.
struct DataArgument {
  static let byteCountMax = 1 << 20

  private let text: [UInt8]

  init(_ text: [UInt8]) { self.text = text }

  /// Reads the word after `--data`; `-` stands for standard input.
  init(
    of option: Argument, from arguments: inout Arguments
  ) throws(UsageError) {
    let value = try arguments.value(of: option, "JSON, or - for standard input")
    guard value.span.elementsEqual("-") else {
      self.init(value)
      return
    }
    do throws(Errno) {
      self.init(try readStandardInput(byteCountMax: Self.byteCountMax))
    } catch .fileTooLarge {
      throw .mistake("standard input holds more than 1 MiB, which no message may")
    } catch {
      throw .mistake("standard input cannot be read: \(error)")
    }
  }

  func object() throws(UsageError) -> JSONObject {
    do throws(Webhook.ArgumentError) { return try Webhook.members(parsing: text.span) } catch {
      throw error.mistake
    }
  }

  func array() throws(UsageError) -> [JSON] {
    let value: JSON
    do throws(Webhook.ArgumentError) { value = try Webhook.value(parsing: text.span) } catch {
      throw error.mistake
    }
    guard case .array(let elements) = value else {
      throw .mistake("--data is JSON, and no array: write it in brackets")
    }
    return elements
  }
}

extension Webhook.ArgumentError {
  var mistake: UsageError {
    switch self {
    case .malformed(.truncated): .mistake("--data is no JSON: it ends too early")
    case .malformed(.unexpected(let place)), .malformed(.outOfRange(let place)):
      .mistake("--data is no JSON: look at its byte \(place + 1)")
    case .malformed(.tooDeep), .malformed(.tooLarge):
      .mistake("--data is too deep or has too many values")
    case .notAnObject: .mistake("--data is JSON, and no object: write it in braces")
    case .numberTooLarge: .mistake("--data holds a number that is too large for Home Assistant")
    case .eventTypeTooLong(let count):
      .mistake(
        "an event's type has \(Webhook.FireEvent.typeCharacterCountMax) characters at most, and not"
          + " \(count)")
    }
  }
}

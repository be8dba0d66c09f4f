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
      throw .mistake("standard input holds more than 1 MiB, the limit of a message")
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
      throw .mistake("--data must be a JSON array: write it in brackets")
    }
    return elements
  }
}

extension Webhook.ArgumentError {
  var mistake: UsageError {
    switch self {
    case .malformed(.truncated): .mistake("--data is not JSON: it ends too early")
    case .malformed(.unexpected(let place)), .malformed(.outOfRange(let place)):
      .mistake("--data is not JSON: the error is at byte \(place + 1)")
    case .malformed(.tooDeep), .malformed(.tooLarge):
      .mistake("--data is nested too deeply or has too many values")
    case .notAnObject: .mistake("--data must be a JSON object: write it in braces")
    case .numberTooLarge: .mistake("--data holds a number that is too large for Home Assistant")
    case .eventTypeTooLong(let count):
      .mistake(
        "an event's type can have at most \(Webhook.FireEvent.typeCharacterCountMax) characters,"
          + " not \(count)")
    }
  }
}

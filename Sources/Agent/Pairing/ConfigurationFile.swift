import Bytes
import LinuxIO

/// The configuration file, as far as pairing has to do with it.
struct ConfigurationFile {
  let path: [UInt8]
  let dialog: Dialog

  /// Offers to write one where there is none, or says that the one there names another address.
  /// Returns whether one was written.
  func offer(_ existing: Configuration?, url: [UInt8]) throws(CommandFailure) -> Bool {
    let file = Path(path)
    if let existing {
      if !existing.homeAssistant.url.span.elementsEqual(url.span) {
        dialog.say(
          "\(file) names another address, \(bytes: existing.homeAssistant.url), and the agent"
            + " reports there: write \(bytes: url) into it.")
      }
      return false
    }
    let line = Configuration.minimalText(url: url)
    let advice: MessageText =
      "Before the agent starts, write \(file): \(bytes: [UInt8](line.dropLast()))"
    guard try dialog.confirm("There is no \(file). Write one with this address?", standard: false)
    else {
      dialog.say(advice)
      return false
    }
    do throws(Errno) { try writeNewFile(at: file, line.span) } catch {
      dialog.say("\(file) cannot be written: \(error). \(advice)")
      return false
    }
    dialog.say("\(file) is written; it can also say which sensors this board has.")
    return true
  }
}

extension Configuration {
  /// The shortest configuration: an address, which was checked.
  static func minimalText(url: [UInt8]) -> [UInt8] {
    // Such an address has no quotation mark and no backslash.
    ("home_assistant: { url: \"\(bytes: url)\" }\n" as MessageText).bytes
  }

  static func minimal(url: [UInt8]) -> Configuration {
    do throws(ConfigurationErrors) { return try parse(minimalText(url: url)) } catch {
      preconditionFailure("an address that was checked is enough")
    }
  }
}

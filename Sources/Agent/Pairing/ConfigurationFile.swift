import Bytes
import LinuxIO

/// The configuration file, as far as pairing has to do with it.
struct ConfigurationFile {
  let path: [UInt8]
  let dialog: Dialog

  /// Offers to write one where there is none, or says that the one there names another address.
  /// Returns whether one was written.
  func offer(
    _ existing: Configuration?, url: [UInt8], stateDirectory: [UInt8]?
  ) throws(CommandFailure) -> Bool {
    let file = Path(path)
    if let existing {
      if !existing.homeAssistant.url.span.elementsEqual(url.span) {
        dialog.say(
          "\(file) names another address, \(bytes: existing.homeAssistant.url), and the agent"
            + " reports there: write \(bytes: url) into it.")
      }
      return false
    }
    let text = Configuration.minimalText(url: url, stateDirectory: stateDirectory)
    let advice: MessageText =
      "Before the agent starts, write \(file):\n\n\(bytes: [UInt8](text))"
    guard try dialog.confirm("There is no \(file). Write one with this address?", standard: false)
    else {
      dialog.say(advice)
      return false
    }
    do throws(Errno) { try writeNewFile(at: file, text.span) } catch {
      dialog.say("\(file) cannot be written: \(error). \(advice)")
      return false
    }
    dialog.say("\(file) is written; it can also say which sensors this board has.")
    return true
  }
}

extension Configuration {
  /// The shortest configuration: an address, and where things are kept if that is not the usual
  /// place. Both were checked: there is no quotation mark and no backslash in them.
  static func minimalText(url: [UInt8], stateDirectory: [UInt8]?) -> [UInt8] {
    var text: MessageText = "home_assistant: { url: \"\(bytes: url)\" }\n"
    if let stateDirectory {
      text = text + "state_directory: \"\(bytes: stateDirectory)\"\n"
    }
    return text.bytes
  }

  static func minimal(url: [UInt8], stateDirectory: [UInt8]?) -> Configuration {
    do throws(ConfigurationErrors) {
      return try parse(minimalText(url: url, stateDirectory: stateDirectory))
    } catch {
      preconditionFailure("an address and a path that were checked are enough")
    }
  }
}

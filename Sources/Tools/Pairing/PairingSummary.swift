import Board
import Bytes
import CLinux
import HomeAssistant
import HomeAssistantClient
import LinuxIO

struct PairingSummary {
  var url: [UInt8] = []
  var deviceName: [UInt8] = []
  /// Nil if Home Assistant did not report it.
  var user: User?
  /// Nil if this board is no person's tracker, or Home Assistant did not report it.
  var person: TrackedPerson?
  var isDetached = false
  var offer = ConfigurationFile.Offer.asItIs

  /// Page of the board in Home Assistant. It is not the first page, which Home Assistant makes
  /// without devices of this kind.
  var place: MessageText {
    "Home Assistant shows this board under Settings, Devices & services, Mobile App,"
      + " \(quoted: deviceName): \(bytes: url)/config/devices/dashboard\n\"Add to dashboard\" there"
      + " puts its entities onto a page."
  }

  /// Writes one JSON object to standard output.
  func print() {
    let line = jsonLine { line in
      line.appendMember("paired", true)
      line.appendMember("url", url.span)
      line.appendMember("device", deviceName.span)
      if let user {
        if let name = user.name { line.appendMember("user", name.bytes.span) }
        line.appendMember("is_admin", user.isAdmin)
      }
      if let person {
        line.appendMember("person", person.person.name.bytes.span)
        line.appendMember("tracker", person.tracker.text.bytes.span)
        line.appendMember("is_detached", isDetached)
      }
      line.appendMember("is_configuration_written", offer == .written)
    }
    writeToTerminal(line, STDOUT_FILENO)
  }
}

import Board
import Bytes
import Drivers
import Sensing

extension NetworkHere {
  /// Finding of `homeward check` about the network.
  var finding: Finding {
    let reason: MessageText = place.reason(presence).map { ": \($0)" } ?? ""
    switch presence {
    case .home: return .well("network", "At home\(connection)")
    case .away: return .note("network", "Not at home\(connection)\(reason)", remedy: remedy)
    case .unknown:
      return .wrong(
        "network", "not_known", .network, .temporaryFailure,
        "It is not known whether this is home\(connection)\(reason)", remedy: remedy)
    }
  }

  /// Description of the present connection.
  private var connection: MessageText {
    switch place {
    case .unknown, .none: ""
    case .wireless(let network, let interface):
      network.ssid.map { ": \($0.words), over \(interface.name)" } ?? ": over \(interface.name)"
    case .wired(let gateway?, let interface):
      ": by cable, over \(interface.name), gateway \(gateway.words)"
    case .wired(nil, let interface), .silent(_, let interface):
      ": by cable, over \(interface.name)"
    case .elsewhere(let interface): ": over \(interface.name)"
    }
  }

  private var remedy: MessageText {
    switch place {
    case .unknown, .none: "check the cable or the Wi-Fi of this board"
    case .wireless(let network, _):
      "if this is home, add its name to home_network.ssids, or its access point"
        + " \(network.bssid.words) to home_network.bssids"
    case .wired(let gateway?, _): "if this is home, add \(gateway.words) to home_network.gateways"
    case .wired(nil, _), .silent:
      "switch the gateway on; or, if Home Assistant is on the same cable, add its hardware address"
        + " to home_network.gateways"
    case .elsewhere:
      "if this is home, write the numeric address of Home Assistant into home_network.url: the"
        + " route to it decides"
    }
  }
}

extension SSID {
  fileprivate var words: MessageText {
    var text = ByteBuffer(capacity: Self.printableByteCountMax)
    text.append(self)
    return "\(bytes: [UInt8](text.bytes))"
  }
}

extension HardwareAddress {
  fileprivate var words: MessageText {
    var text = ByteBuffer(capacity: Self.textByteCount)
    text.append(self)
    return "\(bytes: [UInt8](text.bytes))"
  }
}

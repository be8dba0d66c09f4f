import Board
import Bytes
import HomeAssistant
import HomeAssistantClient

/// Deletion of this board's device in Home Assistant, which only an administrator may do: its
/// configuration entry, and with that the webhook and all entities.
struct DeviceDeletion {
  enum Problem {
    case failed(RequestError)
    case notAdministrator
    case deviceMissing
  }

  let client: BlockingClient

  /// Returns the problem; nil if the device is deleted.
  func run(deviceID: [UInt8]) throws(CommandFailure) -> Problem? {
    switch try client.ask(CurrentUser()) {
    case .success(let user) where !user.isAdmin: return .notAdministrator
    case .success: break
    case .failure(let error): return .failed(error)
    }
    let devices: [Device]
    switch try client.ask(GetDevices()) {
    case .success(let answer): devices = answer.elements
    case .failure(let error): return .failed(error)
    }
    let device = devices.first { $0.isBoard(deviceID) }
    guard let entry = device?.configEntryIDs.first else { return .deviceMissing }
    switch try client.call(RawRESTRequest(.delete, "config/config_entries/entry/" + entry)) {
    case .success: return nil
    case .failure(let error): return .failed(error)
    }
  }
}

extension Device {
  /// Returns whether this is the device of the board with this id.
  func isBoard(_ deviceID: [UInt8]) -> Bool {
    identifiers.contains(["mobile_app", Text(deviceID)])
  }
}

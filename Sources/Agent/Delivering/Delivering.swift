import Board
import Bytes
import HomeAssistant
import LinuxIO
import Outbox

/// Makes the parts that bring readings to Home Assistant, as the configuration wants them.
struct Delivering {
  let configuration: Configuration
  let state: StateDirectory
  let registration: Registration?
  let loop: EventLoop
  let reporter: Reporter

  func courier(now: Instant) throws(Errno) -> Courier {
    let keeper = Keeper(state, reporter)
    if let file = configuration.homeAssistant.tokenFile.map({ Path($0) }),
      isReadableByEverybody(file)
    {
      reporter.tokenExposed(in: file)
    }
    let identity = configuration.registrationRequest { reporter.withoutPushToken($0) }
    let line = try line(keeper)
    let sensors = SensorTable()
    guard
      let courier = Courier(
        settings: configuration.homeAssistant,
        identity: identity, history: history(of: identity, sensors), state: state,
        registration: registration, keeper: keeper, line: line,
        statistics: line.flatMap { statistics(of: identity, sensors, over: $0) },
        whereabouts: configuration.homeAssistant.homeNetwork.map {
          Whereabouts($0.networks, reporter: reporter)
        }, loop: loop, reporter: reporter, now: now)
    else { throw .outOfMemory }
    return courier
  }

  /// What earlier runs could not deliver, and what this one cannot.
  private func history(of device: RegistrationRequest, _ sensors: SensorTable) -> History {
    let settings = configuration.history
    let spool = Spool(
      device: DeviceFingerprint(ofDeviceID: device.deviceID), durability: configuration.durability,
      order: settings.order, byteCountCap: settings.diskMegabytes << 20, seed: randomSeed())
    return History(
      History.Device(id: device.deviceID, name: device.deviceName), spool: spool,
      of: sensors, bytesPerMinute: settings.bytesPerMinute)
  }

  private func statistics(
    of device: RegistrationRequest, _ sensors: SensorTable, over line: WebSocketLine
  ) -> StatisticsCourier? {
    guard configuration.history.isForStatistics else { return nil }
    let keeper = StatisticsKeeper(
      in: configuration.durability == .memory ? nil : state.path,
      of: DeviceFingerprint(ofDeviceID: device.deviceID), reporter: reporter)
    return StatisticsCourier(of: sensors, line: line, keeper: keeper, reporter: reporter)
  }

  private func line(_ keeper: Keeper) throws(Errno) -> WebSocketLine? {
    let settings = configuration.homeAssistant
    let isChannelWanted = configuration.notifications.isWebSocketWanted
    guard
      isChannelWanted || settings.transport == .webSocket || configuration.history.isForStatistics
    else { return nil }
    let login: Login
    do throws(CommandFailure) { login = try Login(configuration, state) } catch {
      reporter.withoutLogin(error.text)
      return nil
    }
    guard let rejected = keeper.rejectedTokens() else {
      reporter.withoutRejectedTokens()
      return nil
    }
    guard
      let line = WebSocketLine(
        settings: settings, isChannelWanted: isChannelWanted, login: login, rejected: rejected,
        keeper: keeper, loop: loop, reporter: reporter)
    else { throw .outOfMemory }
    return line
  }
}

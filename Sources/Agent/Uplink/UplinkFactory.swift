import Board
import Bytes
import Drivers
import HomeAssistant
import LinuxIO
import Outbox
import Transport

/// Creates the uplink and its driver from the configuration.
struct UplinkFactory {
  let configuration: Configuration
  let state: StateDirectory
  let registration: Registration?
  /// Time limit of a run with an end; nil for a run until it is stopped.
  let onceTimeout: Duration?
  let loop: EventLoop
  let reporter: Reporter

  func driver(now: Instant) throws(Errno) -> UplinkDriver {
    let home = configuration.homeAssistant
    if let file = home.tokenFile.map({ Path($0) }), isReadableByAllUsers(file) {
      reporter.tokenExposed(in: file)
    }
    let token = relayToken()
    let identity = configuration.registrationRequest(keeping: registration, token)
    let device = DeviceFingerprint(ofDeviceID: identity.deviceID)
    let hours = HoursFile(
      in: configuration.durability == .memory ? nil : state.path, of: device, reporter: reporter)
    let login = wantsWebSocket ? login() : nil
    var memory = Uplink.Memory(registration: registration)
    memory.commandIDs = commandIDs()
    memory.isKeyless = registration.map { state.isKeyless($0) } ?? false
    memory.credential =
      login?.credential ?? (home.tokenFile == nil ? state.credential() : nil)
    if login != nil, configuration.history.isForStatistics { memory.waitingHours = hours.read() }
    let relay = relay(token, &memory)
    var socket: WebSocketDriver?
    if login != nil {
      socket = WebSocketDriver(
        address: home.url, settings: home.tls, loop: loop, userAgent: homewardUserAgent)
      guard socket != nil else { throw .outOfMemory }
    }
    reporter.login = login
    guard
      let driver = UplinkDriver(
        Uplink(
          settings(hasWebSocket: login != nil), identity: identity,
          history: history(of: identity, device), memory: memory, seed: randomSeed(), now: now),
        settings: home, state: state, hours: hours, socket: socket, relay: relay, loop: loop,
        reporter: reporter)
    else { throw .outOfMemory }
    return driver
  }

  private func settings(hasWebSocket: Bool) -> Uplink.Settings {
    let home = configuration.homeAssistant
    var settings = Uplink.Settings(
      home.server, every: configuration.every, readsTokenFile: home.tokenFile != nil)
    settings.uploadEvery = configuration.uploadEvery
    settings.onceTimeout = onceTimeout
    settings.powerLevels = configuration.power
    settings.commands = configuration.commands
    settings.pushURL = configuration.push?.url
    settings.track = configuration.location?.track
    if hasWebSocket {
      settings.webSocket = Uplink.Settings.WebSocket(
        carriesMessages: home.transport == .webSocket,
        takesNotifications: takesNotifications)
    }
    return settings
  }

  /// Returns the history: undelivered entries of earlier runs and of this one.
  private func history(
    of identity: RegistrationRequest, _ device: DeviceFingerprint
  ) -> History {
    let settings = configuration.history
    let spool = Spool(
      device: device, durability: configuration.durability,
      byteCountCap: Spool.byteCountCap(megabytes: settings.diskMegabytes), seed: randomSeed())
    return History(
      History.Device(id: identity.deviceID, name: identity.deviceName), spool: spool,
      of: SensorTable(), bytesPerMinute: settings.bytesPerMinute, kernelStart: kernelStart())
  }

  private var wantsWebSocket: Bool {
    takesNotifications || configuration.homeAssistant.transport == .webSocket
      || configuration.history.isForStatistics
  }

  /// Whether notifications come over the WebSocket. A short run gets them from the relay.
  private var takesNotifications: Bool {
    configuration.takesNotifications && (onceTimeout == nil || configuration.push == nil)
  }

  /// Returns the token of the push relay; nil if there is none, which is reported.
  private func relayToken() -> PushRelayToken? {
    do throws(Enrollment.TokenFlaw) { return try configuration.relayToken() } catch {
      reporter.withoutRelay(
        "the token of the push relay (push.token_file, or written by \(Arguments.command("pair"))"
          + " --relay) cannot be used (\(error.code))")
      return nil
    }
  }

  /// Returns the way to the push relay, and adds its keys to `memory`; nil without one.
  private func relay(
    _ token: PushRelayToken?, _ memory: inout Uplink.Memory
  ) -> (settings: TransportSettings, endpoint: Endpoint)? {
    guard let push = configuration.push, let token else { return nil }
    do throws(CommandFailure) {
      memory.pushKeys = try state.keptPushKeys()
      let endpoint = Endpoint(
        address: push.url, path: [UInt8](PushFetch.path), bearerToken: token.text)
      return (push.transport, endpoint)
    } catch {
      reporter.withoutRelay(error.text)
      return nil
    }
  }

  /// Returns the commands that came before; a damaged list is reported.
  private func commandIDs() -> CommandIDs {
    guard !configuration.commands.isEmpty else { return CommandIDs() }
    do throws(CommandFailure) { return try state.keptCommandIDs() } catch {
      reporter.stateFailed(error.text)
      return CommandIDs()
    }
  }

  /// Returns the login; nil if there is none, which is reported.
  private func login() -> Login? {
    do throws(CommandFailure) { return try Login(configuration, state) } catch {
      reporter.withoutLogin(error.text)
      return nil
    }
  }
}

import Bytes
import LinuxIO
import Outbox
import Sensing
import Transport
import YAML

// The sections about Home Assistant and the connection to it.

extension ConfigurationField {
  func homeAssistant() -> Configuration.HomeAssistantSettings? {
    guard let keys = section(example: "home_assistant: { url: http://192.168.1.5:8123 }") else {
      return nil
    }
    defer { keys.reportUnknownKeys() }
    let url = keys.required("url", example: "url: http://192.168.1.5:8123")?.httpURL()
    let tokenFile = keys.optional("token_file")?.absolutePath()
    let transport = keys.optional("transport")?.word(of: ["http", "websocket"])
    var server = Uplink.Settings.Server(url: url ?? [])
    server.isPlainAllowed =
      keys.optional("encryption")?.word(of: ["required", "preferred"]) == 1
    server.registersAgainAfter = keys.optional("register_again")?.registersAgainAfter()
    server.home = keys.optional("home_network")?.homeNetwork(of: server.url)
    server.isPlainAllowedAway = keys.optional("plain_http_away")?.boolean() ?? false
    let tls = keys.optional("tls")?.tls()
    keys.hint(
      "token",
      remedy:
        "put the token into a separate file and name that file with \"token_file\"; on a card image,"
        + " write it as token: below card:")
    guard url != nil else { return nil }
    return Configuration.HomeAssistantSettings(
      server: server, tokenFile: tokenFile, transport: transport == 1 ? .webSocket : .http,
      tls: tls ?? .system)
  }

  private func registersAgainAfter() -> Duration? {
    if let text = text(), text.span.elementsEqual("off") { return nil }
    return duration(in: Configuration.registerAgainRange, example: "10min")
  }

  /// Reads `home_network`; `usual` is the address of Home Assistant if `url` is missing.
  private func homeNetwork(of usual: [UInt8]) -> Uplink.Settings.Home? {
    guard let keys = section(example: "home_network: { ssids: [Harbour] }") else { return nil }
    defer { keys.reportUnknownKeys() }
    let range = 1...Configuration.homeNetworksMax
    let ssids = keys.optional("ssids")?.items(count: range, example: "[Harbour]")
    let bssids = keys.optional("bssids")?.items(count: range, example: "[aa:bb:cc:dd:ee:ff]")
    let gateways = keys.optional("gateways")?.items(count: range, example: "[aa:bb:cc:dd:ee:ff]")
    let url = keys.optional("url")?.httpURL()
    guard ssids != nil || bssids != nil || gateways != nil else {
      report(
        "no key defines the home network", remedy: "write ssids, bssids or gateways")
      return nil
    }
    return Uplink.Settings.Home(
      networks: HomeNetworks(
        ssids: ssids?.compactMap { $0.ssid() } ?? [],
        bssids: bssids?.compactMap { $0.hardwareAddress() } ?? [],
        gateways: gateways?.compactMap { $0.hardwareAddress() } ?? []),
      url: url ?? usual)
  }

  private func ssid() -> SSID? {
    guard let text = text() else { return nil }
    if let ssid = SSID(text.span) { return ssid }
    report(
      "the name of the network has \(text.count) bytes",
      remedy: "the most is \(SSID.byteCountMax)")
    return nil
  }

  private func hardwareAddress() -> HardwareAddress? {
    guard let text = text() else { return nil }
    if let address = HardwareAddress(text: text.span), address.isOfDevice { return address }
    report(
      "\(quoted: text) is not a hardware address", remedy: "write for example aa:bb:cc:dd:ee:ff")
    return nil
  }

  private func tls() -> TransportSettings? {
    guard let keys = section(example: "tls: { ca_file: /etc/homeward/ca.pem }") else { return nil }
    defer { keys.reportUnknownKeys() }
    let authorityFile = keys.optional("ca_file")?.absolutePath()
    let pin = keys.optional("public_key")?.publicKeyPin()
    let certificateFile = keys.optional("certificate_file")?.absolutePath()
    let keyFile = keys.optional("key_file")?.absolutePath()
    var certificate: ClientCertificate?
    if let certificateFile, let keyFile {
      certificate = ClientCertificate(
        certificateFile: Path(certificateFile), keyFile: Path(keyFile))
    } else if certificateFile != nil || keyFile != nil {
      report(
        "a certificate and its key go together",
        remedy: "write certificate_file and key_file, or neither")
    }
    return TransportSettings(
      authorityFile: authorityFile.map { Path($0) }, publicKeyPin: pin,
      clientCertificate: certificate)
  }

  private func publicKeyPin() -> PublicKeyPin? {
    guard let text = text() else { return nil }
    if let pin = PublicKeyPin(text) { return pin }
    report(
      "\(quoted: text) is not the SHA-256 of a public key",
      remedy: "write sha256// and 44 characters of Base64")
    return nil
  }

  /// Reads `notifications`: whether they come over the WebSocket.
  func takesNotifications(
    _ commands: CommandKinds, _ push: Configuration.PushSettings?
  ) -> Bool? {
    guard let word = word(of: ["off", "websocket"], remedy: "write off or websocket") else {
      return nil
    }
    if word == 0, push == nil, !commands.isEmpty {
      report(
        "commands arrive as notifications, and none arrive",
        remedy: "write notifications: websocket, or a push: with a relay, or remove commands")
    }
    return word == 1
  }

  /// Reads `push`; a nil `directory` is the default one.
  func push(in directory: [UInt8]?) -> Configuration.PushSettings? {
    guard let keys = section(example: "push: { relay: https://relay.example }") else { return nil }
    defer { keys.reportUnknownKeys() }
    let url = keys.required("relay", example: "relay: https://relay.example")?.httpURL()
    let tokenFile = keys.optional("token_file")?.absolutePath()
    let authorityFile = keys.optional("ca_file")?.absolutePath()
    guard let url else { return nil }
    let state = Path(directory ?? [UInt8](Configuration.defaultStateDirectory))
    return Configuration.PushSettings(
      url: url, tokenFile: tokenFile ?? (state / StateDirectory.relayTokenName).bytes,
      authorityFile: authorityFile)
  }
}

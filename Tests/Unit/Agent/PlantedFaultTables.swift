import Foundation
import PracticeHome
import Testing

extension SetUp.PlantedFaults {
  /// What Home Assistant, a proxy, a network or another server says in its place.
  static let server = [
    PlantedFault(
      "a wrong port", "server         {url} cannot be reached: {reason}", atFault: "the network",
      remedy: "check that this board has a network, that Home Assistant is running, and"
        + " home_assistant.url: the port is 8123, or on new systems of Home Assistant 80",
      status: 75
    ) { $0.home.stop() },
    PlantedFault(
      "a proxy of the environment that is not there",
      "server         {url} cannot be reached: {reason}", atFault: "this board",
      remedy: "check http_proxy, https_proxy and all_proxy in its environment; no_proxy excludes a"
        + " server", status: 75
    ) { $0.setEnvironment("http_proxy", "http://127.0.0.1:1") },
    PlantedFault(
      "a wrong port beside a proxy that no_proxy leaves out",
      "server         {url} cannot be reached: {reason}", atFault: "the network",
      remedy: "check that this board has a network, that Home Assistant is running, and"
        + " home_assistant.url: the port is 8123, or on new systems of Home Assistant 80",
      status: 75
    ) {
      $0.home.stop()
      $0.setEnvironment("http_proxy", "http://127.0.0.1:1")
      $0.setEnvironment("no_proxy", "localhost,127.0.0.1")
    },
    PlantedFault(
      "a name that is not known",
      "server         http://nowhere.invalid:8123 cannot be reached: {reason}",
      atFault: "the network",
      remedy: "check the name in home_assistant.url, or use a numeric address, such as"
        + " http://192.168.1.5:8123", status: 75
    ) { try $0.board.configure($0.home.url, "http://nowhere.invalid:8123") },
    PlantedFault(
      "a server that hangs", "server         {url} cannot be reached: {reason}",
      atFault: "the network",
      remedy: "check that the machine in home_assistant.url is on; if it is, read its log",
      status: 75
    ) { $0.home.fault = .hang },
    PlantedFault(
      "HTTPS to an HTTP port", "server         {tls-encrypted} cannot be reached: {reason}",
      atFault: "the configuration", remedy: "write {tls} into home_assistant.url", status: 75
    ) { try await $0.speakTLSToPlain() },
    PlantedFault(
      "a certificate of an authority that is not believed",
      "server         {tls} cannot be reached: {reason}", atFault: "the network",
      remedy: "name its authority's certificate in home_assistant.tls.ca_file, or renew an expired"
        + " certificate", status: 75
    ) { try await $0.useTLS() },
    PlantedFault(
      "a login page", "server         the server at {url} is not Home Assistant (200)",
      atFault: "the network",
      remedy: "open that address in a browser: does this network have a login page? If not, check"
        + " home_assistant.url; if a proxy requires its own login, let it pass /api/ and /auth/",
      status: 75
    ) { $0.home.fault = .captivePortal },
    PlantedFault(
      "a ban",
      "server         Home Assistant at {url} refuses this address (403); is it in its"
        + " ip_bans.yaml?", atFault: "Home Assistant",
      remedy: "check ip_bans.yaml of Home Assistant", status: 77
    ) { $0.home.fault = .status(403) },
    PlantedFault(
      "HTTP to an HTTPS port", "server         {tls} cannot be reached: {reason}",
      atFault: "the configuration",
      remedy: "if that port needs TLS, write {tls-encrypted} into home_assistant.url",
      status: 75
    ) {
      try await $0.useTLS()
      try $0.speakPlainToTLS()
    },
    PlantedFault(
      "an authority that is not in ca_file",
      "server         {tls} cannot be reached: {reason}", atFault: "the configuration",
      remedy: "home_assistant.tls.ca_file must hold the certificate of the authority that signed"
        + " it: {folder}/other.pem", status: 75
    ) {
      try await $0.useTLS()
      try $0.believeAnotherAuthority()
    },
    PlantedFault(
      "a missing ca_file", "server         {tls} cannot be reached: {reason}",
      atFault: "the configuration",
      remedy: "check home_assistant.tls.ca_file: {folder}/none.pem", status: 75
    ) {
      try await $0.useTLS()
      try $0.believe("none.pem")
    },
    PlantedFault(
      "a proxy that Home Assistant does not trust",
      "server         Home Assistant at {url} rejects requests from its proxy (400: Bad"
        + " Request)", atFault: "Home Assistant",
      remedy: "add the proxy's address, which is in Home Assistant's log, to http.trusted_proxies"
        + " in its configuration.yaml, with use_x_forwarded_for: true",
      status: 75
    ) { $0.home.fault = .status(400) },
    PlantedFault(
      "a proxy with a login of its own",
      "server         a proxy in front of Home Assistant at {url} refuses this address (401): it"
        + " requires its own login", atFault: "the network",
      remedy: "let the proxy pass /api/ and /auth/ without its own login, or use an address that"
        + " does not go through it", status: 77
    ) {
      $0.home.fault = .foreign(
        status: 401, "<html>401</html>", ForeignField("WWW-Authenticate", "Basic realm=\"x\""))
    },
    PlantedFault(
      "a proxy that gets no answer",
      "server         a proxy in front of Home Assistant at {url} gets no answer from it (502)",
      atFault: "Home Assistant",
      remedy: "check that Home Assistant is running, and that the proxy has its address", status: 75
    ) { $0.home.fault = .foreign(status: 502, "<html>502 Bad Gateway</html>") },
    PlantedFault(
      "a server that has moved to HTTPS",
      "server         the server at {url} redirects to https://boat.example",
      atFault: "the configuration",
      remedy: "write https://boat.example into home_assistant.url", status: 75
    ) {
      $0.home.fault = .foreign(
        status: 301, "", ForeignField("Location", "https://boat.example/auth/providers"))
    },
    PlantedFault(
      "a page to log in elsewhere",
      "server         the server at {url} is not Home Assistant (302), and redirects to a page at"
        + " https://team.example", atFault: "the network",
      remedy: "open that address in a browser: does this network have a login page? If not, check"
        + " home_assistant.url; if a proxy requires its own login, let it pass /api/ and /auth/",
      status: 75
    ) {
      $0.home.fault = .foreign(
        status: 302, "", ForeignField("Location", "https://team.example/cdn-cgi/access/login/x"))
    },
    PlantedFault(
      "HTTP to an HTTPS port of nginx",
      "server         the server at {url} speaks HTTPS at that port, not HTTP (400)",
      atFault: "the configuration",
      remedy: "write https:// instead of http:// in home_assistant.url", status: 75
    ) {
      $0.home.fault = .foreign(
        status: 400, "<h1>400 The plain HTTP request was sent to HTTPS port</h1>")
    },
    PlantedFault(
      "a wrong key",
      "encryption     Home Assistant answers with another key: the registration is not this"
        + " board's. Waiting does not help", atFault: "Home Assistant", remedy: pairAgain,
      status: 76
    ) { $0.home.fault = .wrongKey },
    PlantedFault(
      "a deleted device",
      "encryption     Home Assistant is running, but this board was deleted there",
      atFault: "Home Assistant", remedy: pairAgain, status: 69
    ) { $0.home.forgetAll() },
  ]

  /// Numbers of the kernel that are not there, that cannot be, or for which nothing vouches.
  static let numbers = [
    PlantedFault(
      "a monitor reads rubbish",
      "source         nct6793/temp15 reports \"3892313.987 °C\", outside of -100 to 250 °C",
      atFault: "this board",
      remedy: "nothing is connected there, or its driver reads it wrong: check the part and its"
        + " cable, or remove the channel", status: 74
    ) {
      let chip = "sys/class/hwmon/hwmon0"
      try $0.board.write("nct6793\n", to: "\(chip)/name")
      try $0.board.write("3892313987\n", to: "\(chip)/temp15_input")
      try $0.configure("sensors: [{ hwmon: nct6793/temp15, name: Box }]")
    },
    PlantedFault(
      "a diode is open",
      "source         lm90/temp2 is faulty: its part reports that the reading cannot be trusted",
      atFault: "this board",
      remedy: "check what is connected there and its cable: open or shorted", status: 74
    ) {
      let chip = "sys/class/hwmon/hwmon0"
      try $0.board.write("lm90\n", to: "\(chip)/name")
      try $0.board.write("127000\n", to: "\(chip)/temp2_input")
      try $0.board.write("1\n", to: "\(chip)/temp2_fault")
      try $0.configure("sensors: [{ hwmon: lm90/temp2, name: Box }]")
    },
    PlantedFault(
      "a converter has no scale",
      "source         am335x/voltage0 has no scale: the kernel does not say what its numbers mean",
      atFault: "this board",
      remedy: "write what they mean: scale and to, table or factor, with unit and device_class",
      status: 74
    ) {
      let device = "sys/bus/iio/devices/iio:device0"
      try $0.board.write("am335x\n", to: "\(device)/name")
      try $0.board.write("3849\n", to: "\(device)/in_voltage0_raw")
      try $0.configure("sensors: [{ iio: am335x/voltage0, name: House }]")
    },
    PlantedFault(
      "a thermocouple is open",
      "source         3b-0000001921e8 reports \"2047.750 °C\", outside of -270 to 1372 °C",
      atFault: "this board",
      remedy: "check the thermocouple, which may be open, shorted or reversed, and the"
        + " cable: three wires, and a resistor of 4.7 kOhm between data and 3.3 V", status: 74
    ) {
      try $0.board.write("2047750\n", to: "sys/bus/w1/devices/3b-0000001921e8/temperature")
      try $0.configure("sensors: [{ one_wire: 3b-0000001921e8, name: Stove }]")
    },
    PlantedFault(
      "the thermal zone that was asked for is absent",
      "source         processor temperature: a thermal zone that answers was not found",
      atFault: "the configuration", remedy: "leave cpu_temperature out of system", status: 74
    ) {
      try $0.board.makeFolder("sys/class/thermal")
      try $0.board.configure("system: off", "system: [cpu_temperature]")
    },
  ]
}

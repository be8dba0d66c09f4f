import Foundation
import PracticeHome
import Testing

extension SetUp.PlantedFaults {
  /// What Home Assistant, a proxy, a network or another server says in its place.
  static let server = [
    PlantedFault(
      "a wrong port", "server         {url} cannot be reached: {reason}", atFault: "the network",
      remedy: "look whether Home Assistant runs, and at home_assistant.url: its port is 8123 where"
        + " nothing else was set up", status: 75
    ) { $0.home.stop() },
    PlantedFault(
      "a proxy of the environment that is not there",
      "server         {url} cannot be reached: {reason}", atFault: "this board",
      remedy: "look at http_proxy, https_proxy and all_proxy of its environment; no_proxy excepts a"
        + " server", status: 75
    ) { $0.setEnvironment("http_proxy", "http://127.0.0.1:1") },
    PlantedFault(
      "a name that is not known",
      "server         http://nowhere.invalid:8123 cannot be reached: {reason}",
      atFault: "the network",
      remedy: "look at the name in home_assistant.url, or write a numeric address there, such as"
        + " http://192.168.1.5:8123", status: 75
    ) { try $0.replace($0.home.url, with: "http://nowhere.invalid:8123") },
    PlantedFault(
      "a server that hangs", "server         {url} cannot be reached: {reason}",
      atFault: "the network",
      remedy: "look whether the machine in home_assistant.url is on, and its log if it is",
      status: 75
    ) { $0.home.fault = .hang },
    PlantedFault(
      "HTTPS to an HTTP port", "server         {tls-encrypted} cannot be reached: {reason}",
      atFault: "the configuration", remedy: "write {tls} into home_assistant.url", status: 75
    ) { try await $0.speakTLSToPlain() },
    PlantedFault(
      "a certificate of an authority that is not believed",
      "server         {tls} cannot be reached: {reason}", atFault: "the network",
      remedy: "name its authority's certificate in home_assistant.tls.ca_file, or renew a"
        + " certificate that is out of date", status: 75
    ) { try await $0.useTLS() },
    PlantedFault(
      "a login page", "server         what answers at {url} is not Home Assistant (200)",
      atFault: "the network",
      remedy: "open that address in a browser: does this network have a login page? Else look at"
        + " home_assistant.url", status: 75
    ) { $0.home.fault = .captivePortal },
    PlantedFault(
      "a ban",
      "server         Home Assistant at {url} refuses this address (403); is it in its"
        + " ip_bans.yaml?", atFault: "Home Assistant",
      remedy: "look into ip_bans.yaml of Home Assistant", status: 77
    ) { $0.home.fault = .status(403) },
    PlantedFault(
      "HTTP to an HTTPS port", "server         {tls} cannot be reached: {reason}",
      atFault: "the configuration",
      remedy: "does that port want TLS? Then write {tls-encrypted} into home_assistant.url",
      status: 75
    ) {
      try await $0.useTLS()
      try $0.speakPlainToTLS()
    },
    PlantedFault(
      "an authority that is not in ca_file",
      "server         {tls} cannot be reached: {reason}", atFault: "the configuration",
      remedy: "home_assistant.tls.ca_file has to hold the certificate of the authority that signed"
        + " it: {folder}/other.pem", status: 75
    ) {
      try await $0.useTLS()
      try $0.believeAnotherAuthority()
    },
    PlantedFault(
      "a missing ca_file", "server         {tls} cannot be reached: {reason}",
      atFault: "the configuration",
      remedy: "look at home_assistant.tls.ca_file: {folder}/none.pem", status: 75
    ) {
      try await $0.useTLS()
      try $0.believe("none.pem")
    },
    PlantedFault(
      "a proxy that Home Assistant does not trust",
      "server         Home Assistant at {url} refuses what the proxy before it forwards (400: Bad"
        + " Request)", atFault: "Home Assistant",
      remedy: "write the proxy's address, which Home Assistant's log names, into"
        + " http.trusted_proxies of its configuration.yaml, beside use_x_forwarded_for: true",
      status: 75
    ) { $0.home.fault = .status(400) },
    PlantedFault(
      "a proxy with a login of its own",
      "server         a proxy before Home Assistant at {url} refuses this address (401): it wants a"
        + " login of its own", atFault: "the network",
      remedy: "have the proxy let /api/ and /auth/ pass without a login of its own, or write an"
        + " address that does not lead through it", status: 77
    ) {
      $0.home.fault = .foreign(
        status: 401, "<html>401</html>", ForeignField("WWW-Authenticate", "Basic realm=\"x\""))
    },
    PlantedFault(
      "a proxy that gets no answer",
      "server         a proxy before Home Assistant at {url} gets no answer from it (502)",
      atFault: "Home Assistant",
      remedy: "look whether Home Assistant runs, and which address of it the proxy has", status: 75
    ) { $0.home.fault = .foreign(status: 502, "<html>502 Bad Gateway</html>") },
    PlantedFault(
      "a server that has moved to HTTPS",
      "server         what answers at {url} redirects to https://boat.example",
      atFault: "the configuration",
      remedy: "write https://boat.example into home_assistant.url", status: 75
    ) {
      $0.home.fault = .foreign(
        status: 301, "", ForeignField("Location", "https://boat.example/auth/providers"))
    },
    PlantedFault(
      "a page to log in elsewhere",
      "server         what answers at {url} is not Home Assistant (302), and redirects to a page at"
        + " https://team.example", atFault: "the network",
      remedy: "open that address in a browser: does this network have a login page? Else look at"
        + " home_assistant.url", status: 75
    ) {
      $0.home.fault = .foreign(
        status: 302, "", ForeignField("Location", "https://team.example/cdn-cgi/access/login/x"))
    },
    PlantedFault(
      "HTTP to an HTTPS port of nginx",
      "server         what answers at {url} speaks HTTPS at that port, and not HTTP (400)",
      atFault: "the configuration",
      remedy: "write https:// in home_assistant.url, in place of http://", status: 75
    ) {
      $0.home.fault = .foreign(
        status: 400, "<h1>400 The plain HTTP request was sent to HTTPS port</h1>")
    },
    PlantedFault(
      "a wrong key",
      "encryption     Home Assistant answers with another key: the registration is not ours. That"
        + " does not mend itself", atFault: "Home Assistant", remedy: pairAgain, status: 76
    ) { $0.home.fault = .wrongKey },
    PlantedFault(
      "a deleted device", "encryption     Home Assistant runs, and this board was deleted there",
      atFault: "Home Assistant", remedy: pairAgain, status: 69
    ) { $0.home.forgetAll() },
    PlantedFault(
      "a rejected token",
      "login          Home Assistant does not accept the login of this board any more; as it may"
        + " ban this address, the same is never sent again over https://, and ever more rarely over"
        + " http://", atFault: "Home Assistant", remedy: logIn, status: 77
    ) { $0.home.revoke(try $0.board.refreshToken) },
  ]
}

import HomeAssistant
import Outbox
import Transport

/// The webhook endpoint over the route of the last message. It is rebuilt only after a change, so
/// that a steady cycle allocates nothing for it.
struct WebhookEndpoint {
  private struct Made {
    let route: Route
    let address: [UInt8]
    let id: [UInt8]
    let endpoint: Endpoint
  }

  private var last: Made?

  mutating func endpoint(over route: Route, of uplink: Uplink) -> Endpoint {
    guard let address = uplink.delivery.routes.url(of: route),
      let registration = uplink.registration
    else { preconditionFailure("a message goes over a route with an address") }
    if let last, last.route == route, last.address == address, last.id == registration.webhookID {
      return last.endpoint
    }
    let endpoint = Endpoint(
      address: address, path: route.path(of: registration),
      trust: route.isConfigured ? .configured : .system)
    last = Made(route: route, address: address, id: registration.webhookID, endpoint: endpoint)
    return endpoint
  }
}

public import Bytes

/// Search for Home Assistant in the local network: multicast DNS as a simple client does it (RFC
/// 6762, 5.1). The query leaves from a port other than 5353, so the answers are unicast (6.7,
/// "legacy unicast").
public struct Discovery: Sendable {
  /// Address of all queries: 224.0.0.251.
  public static let group: InlineArray<4, UInt8> = [224, 0, 0, 251]
  /// Port of multicast DNS (RFC 6762, 3).
  public static let port: UInt16 = 5353
  /// Time to wait for answers.
  public static let duration: Duration = .seconds(2)
  /// Delay before the second query: a datagram may get lost, and the query also asks for records
  /// that are still missing.
  static let repetitionDelay: Duration = .seconds(1)
  /// Maximum number of instances, more than a home has; further ones are ignored.
  public static let instancesMax = 16
  static let addressesMax = 4

  /// Next step of the search.
  public enum Action: Equatable, Sendable {
    /// Send this query on every interface.
    case send([UInt8])
    /// End the search; no more instances will come.
    case end
  }

  private struct Service {
    let name: DomainName
    var host: DomainName?
    var port: UInt16?
    var attributes: [Text]?

    /// Stores the content of a record. Returns false if it contradicts an earlier record.
    mutating func take(_ content: DNSMessage.Content) -> Bool {
      switch content {
      case .host(let host, let port):
        if self.host == nil { (self.host, self.port) = (host, port) }
        return self.host == host && self.port == port
      case .attributes(let attributes):
        if self.attributes == nil { self.attributes = attributes }
        return self.attributes == attributes
      case .instance, .address: return true
      }
    }

    func replaced(by content: DNSMessage.Content) -> Service {
      var other = self
      if case .host = content { other.host = nil } else { other.attributes = nil }
      _ = other.take(content)
      return other
    }
  }

  private struct Host {
    let name: DomainName
    var addresses: [[UInt8]]
  }

  private static let serviceType = DomainName(["_home-assistant", "_tcp", "local"])

  private enum State {
    case starting
    case listening(repeatAt: Instant?, until: Instant)
    case over
  }

  private var state = State.starting
  private var services: [Service] = []
  private var hosts: [Host] = []

  /// Creates a search that has not begun.
  public init() {}

  /// Starts the search and returns the first query, to be sent at once.
  public mutating func begin(now: Instant) -> Action {
    state = .listening(repeatAt: now + Self.repetitionDelay, until: now + Self.duration)
    return .send(query())
  }

  /// Instant at which to call `deadlineReached`; nil before the start and after the end.
  public var deadline: Instant? {
    switch state {
    case .listening(let repeatAt, let until): repeatAt ?? until
    case .starting, .over: nil
    }
  }

  /// Returns the next step when `deadline` has come, or nil if nothing is due yet.
  public mutating func deadlineReached(now: Instant) -> Action? {
    guard case .listening(let repeatAt, let until) = state else { return nil }
    if now >= until {
      state = .over
      return .end
    }
    guard let repeatAt, now >= repeatAt else { return nil }
    state = .listening(repeatAt: nil, until: until)
    return .send(query())
  }

  /// Reads a datagram; unrelated records are ignored.
  public mutating func datagramReceived(_ bytes: Span<UInt8>) {
    guard let message = try? DNSMessage(parsing: bytes) else { return }
    // The order of sending does not matter: each pass names the records that the next one needs.
    for record in message.records { addInstance(record) }
    for record in message.records { addService(record) }
    for record in message.records { addAddress(record) }
  }

  /// Instances found so far, without duplicates. Two with different addresses are both listed, even
  /// if they claim to be one: one of them may be forged.
  public var instances: [FoundInstance] {
    var found: [FoundInstance] = []
    for service in services {
      let instance = FoundInstance(
        name: service.name, attributes: service.attributes ?? [], port: service.port,
        addresses: hosts.first { $0.name == service.host }?.addresses ?? [])
      let isKnown = found.contains {
        instance.uuid != nil && $0.uuid == instance.uuid && $0.urls == instance.urls
      }
      if !isKnown, !instance.urls.isEmpty { found.append(instance) }
    }
    return found
  }

  private func query() -> [UInt8] {
    var query = DNSQuery()
    query.ask(for: DNSType.pointer, of: Self.serviceType)
    for service in services {
      if service.host == nil { query.ask(for: DNSType.service, of: service.name) }
      if service.attributes == nil { query.ask(for: DNSType.text, of: service.name) }
    }
    for host in hosts where host.addresses.isEmpty {
      query.ask(for: DNSType.address, of: host.name)
    }
    return query.bytes
  }

  private mutating func addInstance(_ record: DNSMessage.Record) {
    guard case .instance(let name) = record.content, record.name == Self.serviceType,
      name.parent == Self.serviceType, services.count < Self.instancesMax,
      !services.contains(where: { $0.name == name })
    else { return }
    services.append(Service(name: name))
  }

  /// Adds a service record. A record that contradicts another one does not replace it: the service
  /// is then listed twice.
  private mutating func addService(_ record: DNSMessage.Record) {
    var isTaken = false
    var contradicted: Service?
    for index in services.indices where services[index].name == record.name {
      if services[index].take(record.content) {
        isTaken = true
      } else {
        contradicted = services[index]
      }
    }
    if !isTaken, let contradicted, services.count < Self.instancesMax {
      services.append(contradicted.replaced(by: record.content))
    }
    if case .host(let host, _) = record.content, isTaken || contradicted != nil,
      hosts.count < Self.instancesMax, !hosts.contains(where: { $0.name == host })
    {
      hosts.append(Host(name: host, addresses: []))
    }
  }

  private mutating func addAddress(_ record: DNSMessage.Record) {
    guard case .address(let address) = record.content,
      let index = hosts.firstIndex(where: { $0.name == record.name }),
      hosts[index].addresses.count < Self.addressesMax,
      !hosts[index].addresses.contains(address)
    else { return }
    hosts[index].addresses.append(address)
  }
}

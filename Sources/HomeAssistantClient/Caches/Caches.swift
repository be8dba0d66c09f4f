public import Bytes
public import HomeAssistant

/// Caches of a client, each created at its first use and shared from then on.
///
///     let caches = Caches(client)
///     let observation = caches.areas.observe { areas in … }
///
/// They live as long as this value, or as another reference to them.
public final class Caches {
  private let client: Client
  private var made: [(key: AnyObject, wish: JSONObject, cache: AnyObject)] = []

  /// Creates caches that hold this client.
  public init(_ client: Client) { self.client = client }

  /// Returns the cache of a key. One key may have several caches, one for each wish.
  public subscript<Kept: AnyObject>(
    key: CacheKey<Kept>, wish: JSONObject = [:]
  ) -> Kept {
    for entry in made where entry.key === key && entry.wish == wish {
      // Only this key, which knows the type, created it.
      return unsafe unsafeDowncast(entry.cache, to: Kept.self)
    }
    let cache = key.make(client, wish)
    made.append((key, wish, cache))
    return cache
  }
}

/// Kind of cache in `Caches`: an object that is created once, such as in a global `let`.
public final class CacheKey<Kept: AnyObject>: Sendable {
  let make: @Sendable (Client, JSONObject) -> Kept

  /// Creates a key from a function that creates a cache.
  public init(_ make: @escaping @Sendable (_ client: Client, _ wish: JSONObject) -> Kept) {
    self.make = make
  }
}

// MARK: Caches that Home Assistant has for all users

extension Caches {
  /// States of all entities, or of those in the wish.
  public func states(_ wish: SubscribeEntities = SubscribeEntities()) -> EntityCache {
    self[statesKey, wish.payload]
  }

  /// User of the token. Home Assistant reports no changes of it.
  public var user: Cache<User> { self[userKey] }
  /// Configuration of Home Assistant, and its loaded integrations.
  public var config: Cache<ServerConfig> { self[configKey] }
  /// Services that Home Assistant offers.
  public var services: Cache<Services> { self[servicesKey] }
  /// Pages of the user interface, by their path.
  public var panels: Cache<[Text: Panel]> { self[panelsKey] }
  /// Areas of the home, such as rooms.
  public var areas: Cache<[Area]> { self[areasKey] }
  /// Floors of the areas.
  public var floors: Cache<[Floor]> { self[floorsKey] }
  /// Labels of areas, devices and entities.
  public var labels: Cache<[Label]> { self[labelsKey] }
  /// Entries of the device registry; unreadable entries are skipped and counted.
  public var devices: Cache<LossyArray<Device>> { self[devicesKey] }
  /// Entries of the entity registry; unreadable entries are skipped and counted.
  public var entityRegistry: Cache<LossyArray<EntityRegistryEntry>> { self[entityRegistryKey] }
}

private let statesKey = CacheKey { EntityCache($0, $1) }
private let userKey = CacheKey { client, _ in
  Cache(client, populatedBy: CachePopulation(.currentUser))
}
private let configKey = CacheKey { client, _ in
  Cache(
    client, populatedBy: CachePopulation(.config),
    updatedBy: [
      .outdating(.events(.coreConfigUpdated)),
      CacheUpdate(.events(.componentLoaded)) { config, event in
        config.load(event.data.get("component", orOnFailure: "")) ? .changed : .unchanged
      },
    ], settlingTime: .milliseconds(500))
}
/// Waits 5 seconds: Home Assistant registers hundreds of services when it starts, and the answer is
/// large.
private let servicesKey = CacheKey { client, _ in
  Cache(
    client, populatedBy: CachePopulation(.services),
    updatedBy: [
      .outdating(.events(.serviceRegistered)),
      .outdating(.events(.serviceRemoved)),
    ], settlingTime: .seconds(5))
}
private let panelsKey = registryKey(.panels, .panelsUpdated)
private let areasKey = registryKey(.areas, .areaRegistryUpdated)
private let floorsKey = registryKey(.floors, .floorRegistryUpdated)
private let labelsKey = registryKey(.labels, .labelRegistryUpdated)
private let devicesKey = registryKey(.devices, .deviceRegistryUpdated)
private let entityRegistryKey = registryKey(.entityRegistry, .entityRegistryUpdated)

/// Creates a key for a registry. Its events report that something changed, but not what.
private func registryKey<R: Request>(
  _ request: R, _ event: EventType
) -> CacheKey<Cache<R.Response>> {
  CacheKey { client, _ in
    Cache(
      client, populatedBy: CachePopulation(request),
      updatedBy: [.outdating(.events(event))],
      settlingTime: .milliseconds(500))
  }
}

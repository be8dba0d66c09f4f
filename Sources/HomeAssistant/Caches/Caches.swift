public import Bytes

/// The caches of a client, each made when it is first asked for, and the same one ever after.
///
///     let caches = Caches(client)
///     let observation = caches.areas.observe { areas in … }
///
/// They live as long as this value, or as another reference to them.
public final class Caches {
  private let client: Client
  private var made: [(key: AnyObject, wish: JSONObject, cache: AnyObject)] = []

  /// - Parameter client: is kept.
  public init(_ client: Client) { self.client = client }

  /// The cache of a key; of one key there may be several, each with a wish of its own.
  public subscript<Kept: AnyObject>(
    key: CacheKey<Kept>, wish: JSONObject = [:]
  ) -> Kept {
    for entry in made where entry.key === key && entry.wish == wish {
      // Only this key, which knows the type, made it.
      return unsafe unsafeDowncast(entry.cache, to: Kept.self)
    }
    let cache = key.make(client, wish)
    made.append((key, wish, cache))
    return cache
  }
}

/// Stands for a kind of cache in `Caches`: an object that is made once, such as in a global `let`.
public final class CacheKey<Kept: AnyObject>: Sendable {
  let make: @Sendable (Client, JSONObject) -> Kept

  /// - Parameter make: makes a cache for a client and a wish.
  public init(_ make: @escaping @Sendable (_ client: Client, _ wish: JSONObject) -> Kept) {
    self.make = make
  }
}

// MARK: Those that Home Assistant has for all users

extension Caches {
  /// What entities are: all, or those that are wished for.
  public func states(_ wish: SubscribeEntities = SubscribeEntities()) -> EntityCache {
    self[statesKey, wish.payload]
  }

  /// The user that the token belongs to. Home Assistant tells no changes of it.
  public var user: Cache<User> { self[userKey] }
  /// How Home Assistant is set up, and what it has loaded.
  public var config: Cache<ServerConfig> { self[configKey] }
  /// What Home Assistant can be told to do.
  public var services: Cache<Services> { self[servicesKey] }
  /// The pages of the user interface, by their path.
  public var panels: Cache<[Text: Panel]> { self[panelsKey] }
  /// The rooms and places of the home.
  public var areas: Cache<[Area]> { self[areasKey] }
  /// The floors that areas lie on.
  public var floors: Cache<[Floor]> { self[floorsKey] }
  /// What people mark areas, devices and entities with.
  public var labels: Cache<[Label]> { self[labelsKey] }
  /// The entries of the device registry; what cannot be read is left out and counted.
  public var devices: Cache<LossyArray<Device>> { self[devicesKey] }
  /// The entries of the entity registry; what cannot be read is left out and counted.
  public var entityRegistry: Cache<LossyArray<EntityRegistryEntry>> { self[entityRegistryKey] }
}

private let statesKey = CacheKey { EntityCache($0, $1) }
private let userKey = CacheKey { client, _ in
  Cache(client, populatedBy: CachePopulation(CurrentUser()))
}
private let configKey = CacheKey { client, _ in
  Cache(
    client, populatedBy: CachePopulation(GetConfig()),
    updatedBy: [
      .outdating(SubscribeEvents(.coreConfigUpdated)),
      CacheUpdate(SubscribeEvents(.componentLoaded)) { config, event in
        config.load(event.data.get("component", orOnFailure: "")) ? .changed : .unchanged
      },
    ], settlingTime: .milliseconds(500))
}
/// While Home Assistant starts it registers hundreds of services, and the answer is a large one.
private let servicesKey = CacheKey { client, _ in
  Cache(
    client, populatedBy: CachePopulation(GetServices()),
    updatedBy: [
      .outdating(SubscribeEvents(.serviceRegistered)),
      .outdating(SubscribeEvents(.serviceRemoved)),
    ], settlingTime: .seconds(5))
}
private let panelsKey = registryKey(GetPanels(), .panelsUpdated)
private let areasKey = registryKey(GetAreas(), .areaRegistryUpdated)
private let floorsKey = registryKey(GetFloors(), .floorRegistryUpdated)
private let labelsKey = registryKey(GetLabels(), .labelRegistryUpdated)
private let devicesKey = registryKey(GetDevices(), .deviceRegistryUpdated)
private let entityRegistryKey = registryKey(GetEntityRegistry(), .entityRegistryUpdated)

/// Events of registries say that something changed, and not what became of it.
private func registryKey<R: Request>(
  _ request: R, _ event: EventType
) -> CacheKey<Cache<R.Response>> {
  CacheKey { client, _ in
    Cache(
      client, populatedBy: CachePopulation(request),
      updatedBy: [.outdating(SubscribeEvents(event))],
      settlingTime: .milliseconds(500))
  }
}

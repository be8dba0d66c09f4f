extension Home {
  static let statesPath = "/api/states"
  private static let registrationPath = "/api/mobile_app/registrations"
  private static let servicesPrefix = "/api/services/"
  private static let entryPrefix = "/api/config/config_entries/entry/"

  /// Something that asks for a token, found by its path.
  private enum Place {
    case registration
    case greeting
    case config
    case allStates
    case state(String)
    case service(domain: String, name: String)
    case entry(String)

    init?(_ path: String) {
      switch path {
      case Home.registrationPath: self = .registration
      case "/api/": self = .greeting
      case "/api/config": self = .config
      case Home.statesPath: self = .allStates
      default: self.init(under: path)
      }
    }

    private init?(under path: String) {
      let parts = { (prefix: String) in
        path.hasPrefix(prefix) ? path.dropFirst(prefix.count).split(separator: "/") : []
      }
      let (state, entry) = (parts(Home.statesPath + "/"), parts(Home.entryPrefix))
      let service = parts(Home.servicesPrefix)
      switch (state.count, service.count, entry.count) {
      case (1, _, _): self = .state(String(state[0]))
      case (_, 2, _): self = .service(domain: String(service[0]), name: String(service[1]))
      case (_, _, 1): self = .entry(String(entry[0]))
      default: return nil
      }
    }

    var method: String {
      switch self {
      case .registration, .service: "POST"
      case .entry: "DELETE"
      default: "GET"
      }
    }
  }

  /// Everything that asks for a token.
  mutating func restricted(_ request: Request, now: Moment) throws(Refusal) -> Answer {
    guard let place = Place(request.path) else { throw .notFound(path: request.path) }
    if case .registration = place, isDeaf(now) { throw .notLoaded }
    guard request.method == place.method else { throw .methodNotAllowed(request.method) }
    do throws(Refusal) { _ = try credential(of: request, now: now) } catch {
      door.noteFailure()
      throw error
    }
    switch place {
    case .registration: return register(request.body, now: now)
    case .greeting: return .open(["message": "API running."])
    case .config: return .open(wholeConfig)
    case .allStates: return Self.written(.array(states.all.map(\.json)))
    case .state(let id):
      guard let state = states[id] else {
        return .open(["message": "Entity not found."], status: 404)
      }
      return Self.written(state.json)
    case .service(let domain, let name): return callService(domain, name, request, now: now)
    case .entry(let id): return deleteEntry(id, now: now)
    }
  }

  /// One location with an integer too wide breaks the list of all states, as it does there.
  private static func written(_ content: JSON) -> Answer {
    content.hasOversizedInteger ? .serverError : .open(content)
  }

  private mutating func callService(
    _ domain: String, _ name: String, _ request: Request, now: Moment
  ) -> Answer {
    let parsed = try? JSONParser.parse(request.body.isEmpty ? Array("{}".utf8) : request.body)
    guard let parsed else {
      return .open(["message": "Data should be valid JSON."], status: 400)
    }
    do throws(ServiceFailure) {
      guard let data = parsed.object else { throw .invalid(Invalid("expected a dictionary")) }
      _ = try perform(domain, name, data, wantsResponse: false, now: now)
      note(.serviceCalled(domain: domain, service: name, data: data), at: now)
      return .open([])
    } catch {
      let answer: Answer =
        if case .failed = error { .serverError } else { .text(400, "400: Bad Request") }
      refuse(
        .failedService("\(domain).\(name)", error.message), status: answer.response().status,
        at: now)
      return answer
    }
  }

  private mutating func deleteEntry(_ id: String, now: Moment) -> Answer {
    guard let registration = registrations.first(where: { $0.entryID == id }) else {
      return .open(["message": "Invalid entry specified"], status: 404)
    }
    let entities = registeredEntities.filter {
      registrations[$0.registration].entryID == id
    }
    _ = remove(appID: registration.appID, deviceID: registration.deviceID)
    settle(now)
    for entity in entities {
      emit(
        "entity_registry_updated",
        ["action": "remove", "entity_id": .string(entity.entityID)], isRemote: false,
        user: false, now: now)
    }
    note(
      .registrationDeleted, device: registration.deviceName, deviceID: registration.deviceID,
      at: now)
    return .open(["require_restart": false])
  }
}

// MARK: Reading back

extension Home {
  /// What `GET /api/states` lists.
  public var entityStates: [EntityState] { states.all }

  /// What an entity shows, or nil if there is none.
  public func state(of entityID: String) -> EntityState? { states[entityID] }
}

extension Answer {
  static let serverError = Answer.text(
    500, "500 Internal Server Error\n\nServer got itself in trouble")
}

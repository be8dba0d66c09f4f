import ModelDisk
import Bytes
import HomeAssistant
import Outbox

/// The machine's files, as a process sees them: before and after each action the power may go.
struct Files {
  let world: World

  private func step<Value>(_ action: (ModelDisk) throws -> Value) throws -> Value {
    try world.step()
    let value = try action(world.disk)
    try world.step()
    return value
  }

  func names(in directory: String) throws -> [(name: String, byteCount: Int)] {
    try step { try $0.names(in: directory) }
  }

  /// Nil where it is not there.
  func read(_ name: String) throws -> [UInt8]? {
    do {
      return try step { try $0.read(name) }
    } catch ModelDisk.Failure.notThere {
      return nil
    }
  }

  func read(_ name: String, from offset: Int, byteCountMax: Int) throws -> ArraySlice<UInt8> {
    try step { try $0.read(name) }.dropFirst(offset).prefix(byteCountMax)
  }

  func create(_ name: String) throws { try step { try $0.create(name) } }

  func append(_ bytes: [UInt8], to name: String) throws {
    try step { try $0.append(bytes, to: name) }
  }

  func truncate(_ name: String, to byteCount: Int) throws {
    try step { try $0.truncate(name, to: byteCount) }
  }

  func synchronize(_ name: String) throws { try step { try $0.synchronize(name) } }

  func synchronizeDirectory(_ directory: String) throws {
    try step { try $0.synchronizeDirectory(directory) }
  }

  func remove(_ name: String) throws { try step { try $0.delete(name) } }

  func rename(_ old: String, to new: String, mayReplace: Bool) throws {
    try step { try $0.rename(old, to: new, mayReplace: mayReplace) }
  }

  /// As `replaceFile` does it.
  func replace(_ name: String, with bytes: [UInt8]) throws {
    let temporary = name + ".new"
    do {
      try remove(temporary)
      try create(temporary)
      try append(bytes, to: temporary)
      try synchronize(temporary)
      try rename(temporary, to: name, mayReplace: true)
    } catch let failure as ModelDisk.Failure {
      try? world.disk.delete(temporary)
      throw failure
    }
    try synchronizeDirectory(String(name.prefix { $0 != "/" }))
  }
}

/// What outlives a restart of the agent beside the spool; it stands for `StateDirectory`.
struct StateFiles {
  static let registration = "state/registration.json"
  private static let rejected = "state/rejected-token"
  private static let keyless = "state/without-key"
  static let hours = "state/statistics.hours"
  static let credential = "state/credential.json"
  private static let probe = "state/probe"
  /// What a person wrote.
  static let token = "etc/token"

  let files: Files

  func registration() throws -> Registration? {
    guard let bytes = try files.read(Self.registration) else { return nil }
    return try Registration(file: bytes.span)
  }

  /// As `readToken` reads it.
  func readToken() throws -> Result<[UInt8], Enrollment.TokenFlaw> {
    do {
      guard let bytes = try files.read(Self.token) else { return .failure(.unreadable(errno: 2)) }
      guard case .accessToken(let token)? = Credential(accessToken: bytes) else {
        return .failure(.notAToken)
      }
      return .success(token)
    } catch let failure as ModelDisk.Failure {
      return .failure(.unreadable(errno: failure.code))
    }
  }

  func write(_ registration: Registration) throws {
    var buffer = ByteBuffer(capacity: Registration.fileByteCountMax)
    registration.writeFile(into: &buffer)
    try files.replace(Self.registration, with: [UInt8](buffer.bytes))
  }

  /// What the tokens of the WebSocket come from, and those of a registration where no file is
  /// named.
  func credential(_ login: DayPlan.Login) throws -> Credential? {
    switch login {
    case .file: return try? Credential(accessToken: readToken().get())
    case .pairing: return try files.read(Self.credential).map { try Credential(file: $0.span) }
    }
  }

  func isKeyless(_ registration: Registration) throws -> Bool {
    try files.read(Self.keyless) == registration.webhookID
  }

  func writeKeyless(_ registration: Registration) throws {
    try files.replace(Self.keyless, with: registration.webhookID)
  }

  func hours(of device: DeviceFingerprint) throws -> WaitingHours {
    guard let bytes = try files.read(Self.hours) else { return WaitingHours() }
    return try WaitingHours(file: bytes.span, of: device)
  }

  func write(_ hours: WaitingHours, of device: DeviceFingerprint) throws {
    guard !hours.isEmpty else { return try files.remove(Self.hours) }
    try files.replace(Self.hours, with: [UInt8](hours.file(of: device).bytes))
  }

  func checkIsWritable() throws {
    try files.replace(Self.probe, with: [0])
    try files.remove(Self.probe)
  }

  func rejectedTokens() throws -> RejectedTokens {
    let world = files.world
    return try files.read(Self.rejected).map {
      try RejectedTokens(file: $0.span, now: world.instant, wallTime: world.wallTime)
    } ?? RejectedTokens()
  }

  func change(_ change: (inout RejectedTokens) -> Void) throws {
    var rejected = try rejectedTokens()
    change(&rejected)
    guard !rejected.isEmpty else { return try files.remove(Self.rejected) }
    let world = files.world
    var buffer = ByteBuffer(capacity: RejectedTokens.fileByteCountMax)
    rejected.writeFile(into: &buffer, now: world.instant, wallTime: world.wallTime)
    try files.replace(Self.rejected, with: [UInt8](buffer.bytes))
  }
}

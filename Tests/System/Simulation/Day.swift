import Bytes
import Foundation

/// One day in virtual time, and what is wrong with how it went.
struct Day {
  let seed: UInt64
  private let world: World

  init(seed: UInt64, isTold: Bool = false) {
    self.seed = seed
    world = World(seed: seed, isTold: isTold)
  }

  /// Lives through it; returns the complaints.
  func live() -> [String] {
    // Where one of our mistakes traps, the name of the thread is all that says which day it was.
    Thread.current.name = "seed \(seed)"
    for (moment, happening) in world.plan.happenings {
      world.happens(happening, at: Instant(nanoseconds: 0) + moment)
    }
    world.happens(.repaired, at: Instant(nanoseconds: 0) + world.plan.repair)
    world.run(until: Instant(nanoseconds: 0) + world.plan.end)
    // The world and its agent hold each other.
    defer { world.end() }
    guard world.ledger.complaints.isEmpty else { return world.ledger.complaints }
    return Audit(world).complaints
  }
}

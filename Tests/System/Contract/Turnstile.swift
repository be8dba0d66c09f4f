import Testing

/// Lets a few expectations run at a time. All at once, each would wait for all others between one
/// step and the next, and on a busy machine longer than is ever allowed.
struct Turnstile: SuiteTrait, TestTrait, TestScoping {
  private static let gate = Gate(places: 8)

  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    await Self.gate.enter()
    do { try await function() } catch {
      await Self.gate.leave()
      throw error
    }
    await Self.gate.leave()
  }

  private actor Gate {
    private var places: Int
    private var queue: [CheckedContinuation<Void, Never>] = []

    init(places: Int) { self.places = places }

    func enter() async {
      if places > 0 {
        places -= 1
      } else {
        await withCheckedContinuation { queue.append($0) }
      }
    }

    func leave() {
      if queue.isEmpty {
        places += 1
      } else {
        queue.removeFirst().resume()
      }
    }
  }
}

extension Trait where Self == Turnstile {
  static var fewAtATime: Turnstile { Turnstile() }
}

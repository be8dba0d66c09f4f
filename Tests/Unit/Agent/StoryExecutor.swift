import Foundation
import Testing

/// Runs stories on threads of their own. A test that computes for seconds keeps the few threads
/// that all tests share to itself, and a story that hears of events too late tells another story.
private final class StoryExecutor: TaskExecutor {
  static let shared = StoryExecutor()
  private let queue = DispatchQueue(label: "stories", attributes: .concurrent)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Lets so many stories run at a time. Each has a dozen descriptors, and Foundation's `Process`
/// reads past the end of a buffer where more than 1,364 are open.
private actor Entrance {
  static let shared = Entrance()
  private var free = 40
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func enter() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  func leave() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}

/// Where the tests of a suite run.
struct StoryTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // Only a case is a story; what holds several of them waits for nothing.
    guard testCase != nil else { return try await function() }
    await Entrance.shared.enter()
    let result: Result<Void, any Error>
    do {
      result = .success(
        try await withTaskExecutorPreference(StoryExecutor.shared) { try await function() })
    } catch {
      result = .failure(error)
    }
    await Entrance.shared.leave()
    try result.get()
  }
}

extension Trait where Self == StoryTrait {
  static var besideTheOthers: Self { StoryTrait() }
}

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

/// Where the tests of a suite run.
struct StoryTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(StoryExecutor.shared) { try await function() }
  }
}

extension Trait where Self == StoryTrait {
  static var besideTheOthers: Self { StoryTrait() }
}

import Bytes
import Foundation
import LinuxIO
import Testing

@testable import Board

/// How a running agent is asked to stop, or to read its configuration again.
@Suite struct SignalsTests {
  private let loop: EventLoop
  private let past = Instant(nanoseconds: 0)

  init() throws { loop = try EventLoop() }

  /// Sends a signal to this thread, which reads what it is sent, and to no other test.
  private func send(_ signal: Int32) { #expect(pthread_kill(pthread_self(), signal) == 0) }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func anAgentWorksUntilItIsAskedToStop(by signal: Int32) throws {
    let signals = try Signals(loop: loop)
    try loop.turn(until: past)
    #expect(!signals.isStopRequested)
    try end(signals, by: signal)
  }

  /// The process of the tests goes on: it takes back the limit that SIGTERM sets.
  private func end(_ signals: Signals, by signal: Int32) throws {
    defer { _ = alarm(0) }
    send(signal)
    try loop.turn(until: nil)
    #expect(signals.isStopRequested)
    #expect(!signals.hasReloadRequest)
  }

  /// At a terminal the same signal says that the terminal is closed.
  @Test func aServiceReadsItsConfigurationOnceForEachRequestUntilItIsAskedToStop() throws {
    let signals = try Signals(loop: loop, reloads: true)
    #expect(!signals.hasReloadRequest)
    for _ in 0..<2 {
      send(SIGHUP)
      try loop.turn(until: nil)
      #expect(signals.isStopRequested == hasControllingTerminal)
      #expect(signals.takeReloadRequest() != hasControllingTerminal)
      #expect(!signals.takeReloadRequest())
    }
    try end(signals, by: SIGTERM)
  }
}

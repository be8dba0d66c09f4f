import Foundation
import LinuxIO
import PracticeHome
import TestRun
import Testing

extension WholeAgent {
  /// The agent as a service whose manager wants to be told how it is.
  @Suite struct UnderAServiceManager {}
}

extension WholeAgent.UnderAServiceManager {
  private func path() -> String { TestRun.newPlace().path }

  private func board() throws -> Board { try homeAndBoard().1 }

  @Test(arguments: [false, true])
  func itIsToldWhenTheAgentIsReadyWhatIsProvenAndThatItStops(isAbstract: Bool) async throws {
    let manager = try NotifySocket(isAbstract ? "@homeward-\(UUID().uuidString)" : path())
    let agent = try RunningAgent(on: board(), environment: ["NOTIFY_SOCKET": manager.name])
    let ready = try await manager.notice("READY=1")
    #expect(!ready.contains("WATCHDOG=1"), "none was asked for")
    try await manager.notice("STATUS=Home Assistant has everything up to 20")
    #expect(await agent.stop().status == 0)
    try await manager.notice("STOPPING=1")
  }

  @Test func aWatchdogIsFedWhileTheLoopTurns() async throws {
    let manager = try NotifySocket(path())
    let agent = try RunningAgent(
      on: board(),
      environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "400000"])
    for _ in 0..<3 { try await manager.notice("WATCHDOG=1") }
    #expect(await agent.stop().status == 0)
  }

  @Test func aWatchdogOfAnotherProcessIsNotFed() async throws {
    let manager = try NotifySocket(path())
    let agent = try RunningAgent(
      on: board(),
      environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "400000", "WATCHDOG_PID": "1"])
    #expect(try await !manager.notice("READY=1").contains("WATCHDOG=1"))
    #expect(await agent.stop().status == 0)
  }

  @Test(.enabled(if: !hasControllingTerminal, "at a terminal SIGHUP says that it was closed"))
  func aReloadIsToldAlsoWhereTheConfigurationIsRefused() async throws {
    let manager = try NotifySocket(path())
    let (_, board, agent) = try await provenAgent(environment: ["NOTIFY_SOCKET": manager.name])
    agent.send(signal: SIGHUP)
    #expect(try await manager.notice("RELOADING=1").count == 2)
    try await manager.notice("READY=1")
    try await agent.event("proven")
    try board.write("every: 5", to: "homeward.yaml")
    agent.send(signal: SIGHUP)
    try await manager.notice("RELOADING=1")
    try await manager.notice("READY=1")
    #expect(await agent.stop().status == 0)
  }

  @Test func anAgentThatCannotTellItWorksAllTheSame() async throws {
    let (_, _, agent) = try await provenAgent(environment: ["NOTIFY_SOCKET": path()])
    let ending = await agent.stopWithSuccess()
    #expect(ending.lines(with: "the agent cannot report to the service manager").count == 1)
  }

  /// The pipe is full from the start, as of a pager that waits for its person.
  @Test func anAgentWhoseLogNobodyReadsReports() async throws {
    let pipe = path()
    let line =
      "mkfifo \(pipe) && exec 3<>\(pipe) && head -c 65536 /dev/zero >&3 && exec 2>&3 || exit"
    let agent = try RunningAgent(on: board(), startedBy: RunningAgent.after(line))
    try await agent.event("proven")
    #expect(await agent.stop().status == 0)
  }
}

import Bytes
import CLinux
import LinuxIO
import TestRun
import Testing

@testable import HomeAssistant
@testable import Transport

/// What was long for once costs nothing any more.
@Suite(.serialized) final class WebSocketMemoryTests {
  private static let long = [UInt8](repeating: 1, count: 1 << 20)
  /// What an empty buffer may cost; its first and its last page may have neighbours.
  private static let keptByteCountMax =
    WebSocketConnection.keptByteCount + 2 * sysconf(Int32(_SC_PAGESIZE))

  private let rig: WebSocketRig

  init() throws {
    rig = try WebSocketRig(receivedByteCountMax: NetworkDriver.receivedByteCountMax)
  }
  deinit { rig.stop() }

  /// Nil where something waits to be sent.
  private var outputByteCount: Int? {
    var byteCount: Int?
    rig.connection.conversation.withIdleOutput { byteCount = $0.residentByteCount }
    return byteCount
  }

  /// In a process of its own: memory that another test has freed is in use already.
  @Test func aBufferCostsOnlyWhatIsInIt() async {
    await #expect(processExitsWith: .success) {
      let rig = try WebSocketRig(receivedByteCountMax: NetworkDriver.receivedByteCountMax)
      defer { rig.stop() }
      let peer = try rig.openAndAccept()
      let long = WebSocketMemoryTests.long
      rig.server.send(WebSocketRig.frame(0x82, long).dropLast(), to: peer)
      try rig.turn { rig.connection.message.count == long.count - 1 }
      // Pages may be large.
      #expect(rig.connection.message.residentByteCount <= rig.connection.message.capacity / 4)
    }
  }

  @Test func aMessageThatHasArrivedGivesItsMemoryBack() throws {
    let peer = try rig.openAndAccept()
    rig.server.send(WebSocketRig.frame(0x82, Self.long), to: peer)
    try rig.turn(untilEvents: 2)
    #expect(rig.connection.message.residentByteCount <= Self.keptByteCountMax)
  }

  /// Also to a server that takes it in many parts.
  @Test func aMessageThatIsSentGivesItsMemoryBack() throws {
    let peer = try rig.openAndAccept()
    rig.server.setReading(false, from: peer)
    while rig.send(.binary, Self.long) {}
    #expect(outputByteCount == nil)
    rig.server.setReading(true, from: peer)
    try rig.turn {
      while peer.takeFrame() != nil {}
      return outputByteCount != nil
    }
    #expect(try #require(outputByteCount) <= Self.keptByteCountMax)
  }

  @Test func aMessageThatIsGivenUpGivesItsMemoryBack() throws {
    let peer = try rig.openAndAccept()
    rig.server.setReading(false, from: peer)
    while rig.send(.binary, Self.long) {}
    rig.connection.abandon()
    #expect(try #require(outputByteCount) <= Self.keptByteCountMax)
  }

  @Test func aMessageThatDoesNotArriveWholeGivesItsMemoryBack() throws {
    let peer = try rig.openAndAccept()
    rig.server.send(WebSocketRig.frame(0x82, Self.long).dropLast(), to: peer)
    try rig.turn { rig.connection.message.count > Self.long.count / 2 }
    rig.connection.abandon()
    #expect(rig.connection.message.residentByteCount <= Self.keptByteCountMax)
  }
}

extension ByteBuffer {
  /// What it costs, in whole pages.
  fileprivate var residentByteCount: Int {
    unsafe TestRun.residentByteCount(
      of: UnsafeRawBufferPointer(start: baseAddress, count: capacity))
  }
}

import Bytes
import CSodium
import Testing

@testable import Relay

@Suite struct SealingTests {
  private let sealer = Sealer()
  private let board = KeyPair()
  private let noon = WallTime(seconds: 1_795_867_200)

  /// Sealed secret key with which a notification for a board begins.
  private func sealedKey(for board: KeyPair, at time: WallTime) throws -> [UInt8] {
    let sealed = try #require(sealer.seal(Array("ahoy".utf8), to: board.publicKey, at: time))
    #expect(board.open(sealed) == Array("ahoy".utf8))
    return Array(sealed.prefix(80))
  }

  @Test func onlyTheBoardOpensWhatIsSealed() throws {
    let sealed = try #require(sealer.seal(Array("ahoy".utf8), to: board.publicKey, at: noon))
    #expect(sealed.count == 80 + 24 + 16 + 4)
    #expect(board.open(sealed) == Array("ahoy".utf8))
    #expect(KeyPair().open(sealed) == nil)
  }

  @Test func anEmptyMessageOpensAndAChangedOneDoesNot() throws {
    var sealed = try #require(sealer.seal([], to: board.publicKey, at: noon))
    #expect(board.open(sealed) == [])
    sealed[sealed.count - 1] ^= 1
    #expect(board.open(sealed) == nil)
  }

  @Test func theSameMessageIsNeverSealedToTheSameBytes() throws {
    let sealed = try (0..<1000).map { _ in
      try #require(sealer.seal(Array("ahoy".utf8), to: board.publicKey, at: noon))
    }
    #expect(Set(sealed.map { $0.dropFirst(80).prefix(24) }).count == 1000)
  }

  @Test func aKeyServesAnHour() throws {
    let first = try sealedKey(for: board, at: noon)
    #expect(try sealedKey(for: board, at: noon + .seconds(3600) - .nanoseconds(1)) == first)
    #expect(try sealedKey(for: board, at: noon + .seconds(3600)) != first)
  }

  @Test func aClockThatIsSetBackMakesNoKeyOlderThanAnHour() throws {
    let first = try sealedKey(for: board, at: noon)
    #expect(try sealedKey(for: board, at: noon - .seconds(1)) != first)
  }

  @Test func eachBoardAndEachKeyOfItHasAnotherSecretKey() throws {
    let first = try sealedKey(for: board, at: noon)
    #expect(try sealedKey(for: KeyPair(), at: noon) != first)
    #expect(try sealedKey(for: board, at: noon) == first)
    let another = try #require(Sealer().seal([], to: board.publicKey, at: noon))
    #expect(Array(another.prefix(80)) != first)
  }

  @Test func whatIsTooOldIsNotRemembered() throws {
    _ = try sealedKey(for: board, at: noon)
    _ = try sealedKey(for: KeyPair(), at: noon + .seconds(1))
    sealer.dropOld(at: noon + .seconds(3600))
    #expect(sealer.keyCount == 1)
    sealer.dropOld(at: noon)
    #expect(sealer.keyCount == 0)
  }

  @Test func ofTooManyBoardsTheOldestKeyMakesRoom() throws {
    let first = try sealedKey(for: board, at: noon)
    let second = KeyPair()
    let secondKey = try sealedKey(for: second, at: noon + .seconds(1))
    for number in 2...Sealer.keyCountMax {
      _ = try sealedKey(for: KeyPair(), at: noon + .seconds(Int64(number)))
      #expect(sealer.keyCount <= Sealer.keyCountMax)
    }
    let end = noon + .seconds(Int64(Sealer.keyCountMax))
    #expect(try sealedKey(for: second, at: end) == secondKey)
    #expect(try sealedKey(for: board, at: end) != first)
  }

  @Test func aKeyToWhichNothingCanBeSealedIsRefused() throws {
    let key = try #require(PublicKey([UInt8](repeating: 0, count: 32)))
    #expect(sealer.seal([1], to: key, at: noon) == nil)
    #expect(sealer.keyCount == 0)
  }
}

/// What a board has.
struct KeyPair {
  let publicKey: PublicKey
  private let publicBytes: [UInt8]
  private let secret: [UInt8]

  init() {
    var publicBytes = [UInt8](repeating: 0, count: 32)
    var secret = publicBytes
    unsafe crypto_box_keypair(&publicBytes, &secret)
    guard let key = PublicKey(publicBytes) else { fatalError("a key has 32 bytes") }
    publicKey = key
    self.publicBytes = publicBytes
    self.secret = secret
  }

  var base64: String {
    var buffer = ByteBuffer(capacity: 64)
    buffer.append(publicBytes)
    Base64.encodeTail(of: &buffer, from: 0)
    return String(decoding: Array(buffer.bytes), as: UTF8.self)
  }

  /// Opens a notification as a board does, by the README.
  func open(_ sealed: [UInt8]) -> [UInt8]? {
    guard sealed.count >= 80 + 24 + 16 else { return nil }
    var key = [UInt8](repeating: 0, count: 32)
    guard unsafe crypto_box_seal_open(&key, sealed, 80, publicBytes, secret) == 0 else {
      return nil
    }
    let box = Array(sealed[104...])
    var opened = [UInt8](repeating: 0, count: box.count - 16)
    let status = unsafe crypto_secretbox_open_easy(
      &opened, box, UInt64(box.count), Array(sealed[80..<104]), key)
    return status == 0 ? opened : nil
  }
}

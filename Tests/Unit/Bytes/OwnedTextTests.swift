import Bytes
import Testing

@Suite struct OwnedTextTests {
  @Test func textsAreEqualWhereTheirBytesAre() {
    #expect(Text("sun.sun") == Text([UInt8]("sun.sun".utf8)))
    #expect(Text(String("sun.sun")).hashValue == Text("sun.sun").hashValue)
    #expect(Text("Caf\u{E9}") != Text("Cafe\u{301}"))
    #expect(Text("") == Text([]))
  }

  @Test func aLiteralOfOneScalarIsText() {
    let one: Text = "s"
    #expect(one.bytes == [0x73])
    let many: Text = "\u{1F6A2}"
    #expect(many.string == "\u{1F6A2}")
  }

  @Test func textsAreOrderedByTheirBytes() {
    let texts: [Text] = ["light.b", "", "light", "light.a", "\u{E9}", "\u{1F6A2}", "Z"]
    #expect(texts.sorted() == ["", "Z", "light", "light.a", "light.b", "\u{E9}", "\u{1F6A2}"])
  }

  @Test func aPrefixIsNeverLongerThanTheText() {
    #expect(Text("light.kitchen").hasPrefix("light."))
    #expect(Text("light").hasPrefix(""))
    #expect(Text("light").hasPrefix("light"))
    #expect(!Text("light").hasPrefix("light."))
    #expect(!Text("light").hasPrefix("b"))
  }
}

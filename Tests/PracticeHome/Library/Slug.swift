/// How Home Assistant makes an entity id out of a name: "Größe °C" becomes "grosse_degc".
///
/// Latin letters with marks, and the signs people put into sensor names, come out as there. Other
/// scripts, which Home Assistant spells out in Latin letters, are left out here.
enum Slug {
  /// Whether a text is two words with a dot between them, as every entity id is.
  static func isEntityID(_ text: String) -> Bool { isPair(text, separator: ".") }

  /// Whether a text is two words in small letters with this between them.
  static func isPair(_ text: String, separator: Character) -> Bool {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    return parts.count == 2 && !text.contains("__")
      && parts.allSatisfy { part in
        !part.isEmpty && !part.hasPrefix("_") && !part.hasSuffix("_")
          && part.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
      }
  }

  /// U+00C0 to U+017F without their marks; a space where `signs` knows better.
  private static let latin = Array(
    ("AAAAAA CEEEEIIII" + " NOOOOO  UUUUY  " + "aaaaaa ceeeeiiii" + " nooooo  uuuuy y"
      + "AaAaAaCcCcCcCcDd" + "DdEeEeEeEeEeGgGg" + "GgGgHhHhIiIiIiIi" + "Ii  JjKkkLlLlLlL"
      + "lLlNnNnNn   OoOo" + "Oo  RrRrRrSsSsSs" + "SsTtTtTtUuUuUuUu" + "UuUuWwYyYZzZzZz ").utf8)

  private static let signs: [Unicode.Scalar: String] = [
    "ß": "ss", "Æ": "ae", "æ": "ae", "Œ": "oe", "œ": "oe", "Ø": "o", "ø": "o", "Ð": "d",
    "ð": "d", "Þ": "th", "þ": "th", "Ĳ": "ij", "ĳ": "ij", "ŉ": "'n", "Ŋ": "ng", "ŋ": "ng",
    "ſ": "s", "×": "x", "÷": "/", "°": "deg", "µ": "m", "μ": "m", "€": "eur", "£": "ps",
    "½": "1/2", "¼": "1/4", "¾": "3/4", "²": "2", "³": "3", "¹": "1", "₀": "0", "₁": "1",
    "₂": "2", "₃": "3", "₄": "4", "Ω": "o", "’": "'", "‘": "'",
  ]

  /// The object id for a name; "unknown" if nothing usable is left of it.
  static func make(_ text: String) -> String {
    if text.isEmpty { return "" }
    // Apostrophes part words; those that only come out of the spelling are dropped.
    let parted = text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "-")
    let plain = withoutGroupingCommas(spelled(parted).lowercased().utf8.filter { $0 != 0x27 })
    let words = plain.split { !isAlphanumeric($0) }
    let slug = words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "_")
    return slug.isEmpty ? "unknown" : slug
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || isDigit(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func spelled(_ text: String) -> String {
    var output = ""
    for scalar in text.unicodeScalars {
      if let sign = signs[scalar] {
        output += sign
      } else if (0xC0...0x17F).contains(scalar.value) {
        output.unicodeScalars.append(Unicode.Scalar(latin[Int(scalar.value) - 0xC0]))
      } else if scalar.properties.generalCategory == .decimalNumber,
        let value = scalar.properties.numericValue
      {
        output += String(Int(value))
      } else if (0x300...0x36F).contains(scalar.value) || scalar.value > 0xFFFF {
        continue  // A mark of its own, or a pictograph: nothing is left of it.
      } else {
        output.unicodeScalars.append(scalar)
      }
    }
    return output
  }

  /// "1,000" reads as "1000".
  private static func withoutGroupingCommas(_ bytes: [UInt8]) -> [UInt8] {
    bytes.indices.filter { index in
      bytes[index] != UInt8(ascii: ",") || index == 0 || index + 1 == bytes.count
        || !isDigit(bytes[index - 1]) || !isDigit(bytes[index + 1])
    }.map { bytes[$0] }
  }
}

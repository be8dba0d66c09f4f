import Bytes
import Testing

/// The value of a JSON text.
func json(_ text: String) throws(JSONError) -> JSON {
  let bytes = [UInt8](text.utf8)
  return try JSON(parsing: bytes.span)
}

func number(_ text: String) throws -> JSONNumber {
  let bytes = [UInt8](text.utf8)
  let number = JSONNumber(bytes.span)
  return try #require(number, "\(text)")
}

@Suite struct JSONTests {
  private func roundTrip(_ text: String) throws -> String {
    String(decoding: try json(text).serialized(), as: UTF8.self)
  }

  @Test func everyKindIsReadAndKept() throws {
    let value = try json(
      #" {"n":null,"t":true,"f":false,"i":1,"d":1.50,"s":"x","a":[1,[]],"o":{}} "#)
    let expected: JSON = [
      "n": nil, "t": true, "f": false, "i": 1, "d": .number(try number("1.50")), "s": "x",
      "a": [1, []], "o": [:],
    ]
    #expect(value == expected)
    #expect(value.kind == .object)
    #expect(value["a"]?.kind == .array)
    #expect(value["n"] == .null)
    #expect(value["missing"] == nil)
    #expect(JSON.text("x")["s"] == nil)
  }

  @Test(arguments: [
    "null", "true", "0", "-0", "1.0", "1E+5", "123456789012345678901234567890", #""é\"\\""#, "[]",
    "{}", #"{"b":1,"a":[{},[null,false]],"c":""}"#, #"[1,2.50,"3"]"#,
  ])
  func aTextComesBackAsItWasWithItsOrderAndItsDigits(text: String) throws {
    #expect(try roundTrip(text) == text)
  }

  @Test func aTextLargerThanTheFirstBufferIsSerializedWhole() throws {
    let long = String(repeating: "0123456789", count: 1000)
    let value: JSON = [.text(Text(long)), 1]
    #expect(String(decoding: value.serialized(), as: UTF8.self) == "[\"\(long)\",1]")
  }

  @Test func aValueCanBeReadOutOfTheMiddleOfAText() throws {
    let bytes = [UInt8](#"{"id":5,"event":{"a":[1]},"type":"event"}"#.utf8)
    var reader = JSONReader(bytes.span)
    try reader.openObject()
    var event: JSON?
    while let key = try reader.nextKey() {
      if key.elementsEqual("event") {
        event = try JSON(reading: &reader)
      } else {
        try reader.skipValue()
      }
    }
    try reader.finish()
    #expect(event == ["a": [1]])
  }

  @Test func aKeyThatComesTwiceHasItsLastValueInItsFirstPlace() throws {
    #expect(try roundTrip(#"{"a":1,"b":2,"a":3}"#) == #"{"a":3,"b":2}"#)
  }

  @Test func anEscapedKeyIsTheSameKey() throws {
    #expect(try json(#"{"\u0061":1,"a":2}"#) == ["a": 2])
  }

  @Test func objectsAreEqualInWhateverOrderAndArraysAreNot() throws {
    #expect(try json(#"{"a":1,"b":{"c":2,"d":3}}"#) == json(#"{"b":{"d":3,"c":2},"a":1}"#))
    #expect(try json(#"{"a":1}"#) != json(#"{"a":1,"b":2}"#))
    #expect(try json(#"{"a":1,"b":2}"#) != json(#"{"a":1,"c":2}"#))
    #expect(try json(#"{"a":1}"#) != json(#"{"a":true}"#))
    #expect(try json(#"{"a":null}"#) != json("{}"))
    #expect(try json("[1,2]") != json("[2,1]"))
    #expect(try json("1") != json("1.0"))
    #expect(try json("1") != json("true"))
    #expect(try json(#""""#) != json("null"))
  }

  @Test func whatIsLeftBehindTheValueIsRefused() {
    #expect(throws: JSONError.unexpected(at: 2)) { try json("1 2") }
    #expect(throws: JSONError.truncated) { try json("") }
    #expect(throws: JSONError.truncated) { try json(#"{"a":"#) }
  }

  @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
  func valuesNestedTooDeepAreRefusedAsWhereTheyAreSkipped(opening: String, closing: String) throws {
    _ = try json(nested(opening, closing, JSONReader.depthMax))
    #expect(throws: JSONError.tooDeep) {
      try json(nested(opening, closing, JSONReader.depthMax + 1))
    }
    #expect(throws: JSONError.tooDeep) { try json(String(repeating: opening, count: 100_000)) }
  }

  @Test func aTextOfTooManyValuesIsRefusedBeforeItFillsTheMemory() {
    let text = "[" + String(repeating: "0,", count: JSON.valueCountMax) + "0]"
    #expect(throws: JSONError.tooLarge) { try json(text) }
  }
}

@Suite struct JSONObjectTests {
  /// Few members are scanned and many are hashed; the object may not show it.
  @Test(arguments: [3, 16, 17, 40])
  func membersAreFoundChangedAndRemovedHoweverManyThereAre(count: Int) {
    var random = SplitMix64(seed: UInt64(count))
    var object = JSONObject()
    var oracle: [(Int, Int64)] = []
    for step in 0..<2000 {
      let key = Int.random(in: 0..<count, using: &random)
      if Bool.random(using: &random) || oracle.count < count / 2 {
        object[Text("key\(key)")] = .number(JSONNumber(Int64(step)))
        if let index = oracle.firstIndex(where: { $0.0 == key }) {
          oracle[index].1 = Int64(step)
        } else {
          oracle.append((key, Int64(step)))
        }
      } else {
        object[Text("key\(key)")] = nil
        oracle.removeAll { $0.0 == key }
      }
      #expect(object.members.map(\.key) == oracle.map { Text("key\($0.0)") })
      for key in 0..<count {
        let value = oracle.first { $0.0 == key }.map { JSON.number(JSONNumber($0.1)) }
        #expect(object[Text("key\(key)")] == value)
      }
    }
  }

  @Test func nilRemovesAMemberAndNullIsAValue() {
    var object: JSONObject = ["a": 1, "b": 2]
    object["a"] = .null
    #expect(object.members.map(\.key) == ["a", "b"])
    object["a"] = nil
    object["missing"] = nil
    #expect(object == ["b": 2])
    #expect(object.count == 1)
  }

  @Test func mergingReplacesAndAdds() {
    var object: JSONObject = ["a": 1, "b": 2]
    object.merge(["b": 3, "c": nil])
    #expect(object == ["a": 1, "b": 3, "c": nil])
  }

  @Test func manyMembersAreReadInLinearTime() throws {
    let text = "{" + (0..<50_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
    let value = try json(text)
    #expect(value["k49999"] == 49_999)
  }

  @Test(arguments: [1, 16, 17, 18, 40])
  func manyMembersAreRemovedAtOnceAndTheOthersStay(count: Int64) {
    var object = JSONObject()
    for number in 0..<count { object[Text("k\(number)")] = .number(JSONNumber(number)) }
    let odd = (0..<count).filter { $0 % 2 == 1 }
    let isThere = object.remove(odd.map { Text("k\($0)") } + ["missing", "k1"])
    #expect(isThere == !odd.isEmpty)
    #expect(object.members.map(\.key) == (0..<count).filter { $0 % 2 == 0 }.map { Text("k\($0)") })
    for number in 0..<count {
      #expect(object[Text("k\(number)")] == (number % 2 == 0 ? .number(JSONNumber(number)) : nil))
    }
    let isThereAgain = object.remove(["k1"])
    #expect(!isThereAgain)
  }

  @Test func manyMembersAreRemovedInLinearTime() {
    var object = JSONObject()
    let keys = (0..<100_000).map { Text("k\($0)") }
    for key in keys { object[key] = .null }
    let isThere = object.remove(keys)
    #expect(isThere && object.isEmpty)
  }
}

import Testing

extension Contract {
  /// `update_location`: one complete set of valid fields, or nothing of it is stored.
  ///
  /// Its answer is `{}` whatever happens, so each expectation reads the tracker back.
  @Suite struct Location {}
}

// MARK: - Taken

extension Contract.Location {
  /// A message that is taken, and what the tracker then shows under one attribute.
  struct Taken: CustomTestStringConvertible, Sendable {
    let data: String
    let attribute: String
    let value: JSON
    var isConverted = false
    var testDescription: String { data }

    /// The same, of a value that is stored as another one than was sent.
    var converted: Taken {
      var row = self
      row.isConverted = true
      return row
    }

    /// One further field beside a position.
    init(_ field: String, _ attribute: String, _ value: JSON) {
      self.init(whole: #"{"gps":[1,2],"gps_accuracy":3,\#(field)}"#, attribute, value)
    }

    init(whole data: String, _ attribute: String, _ value: JSON) {
      (self.data, self.attribute, self.value) = (data, attribute, value)
    }
  }

  static let taken = [
    Taken(whole: #"{"gps":[52.5,4.25],"gps_accuracy":10}"#, "latitude", 52.5),
    Taken(whole: #"{"gps":[52.5,4.25],"gps_accuracy":10}"#, "longitude", 4.25),
    Taken(whole: #"{"gps":["52.5","4.25"],"gps_accuracy":10}"#, "longitude", 4.25).converted,
    Taken(whole: #"{"gps":[-90,-180],"gps_accuracy":10}"#, "latitude", -90),
    Taken(whole: #"{"gps":[90,180],"gps_accuracy":10}"#, "longitude", 180),
    Taken(whole: #"{"gps":[0,0],"gps_accuracy":0}"#, "gps_accuracy", 0),
    Taken(whole: #"{"gps":[0,0],"gps_accuracy":100000}"#, "gps_accuracy", 100_000),
    Taken(#""battery":0"#, "battery_level", 0),
    Taken(#""battery":101"#, "battery_level", 101),
    Taken(#""battery":45.9"#, "battery_level", 45).converted,
    Taken(#""battery":true"#, "battery_level", 1).converted,
    Taken(#""battery":"45""#, "battery_level", 45).converted,
    Taken(#""speed":0"#, "speed", 0),
    Taken(#""speed":1.9"#, "speed", 1).converted,
    Taken(#""course":0"#, "course", 0),
    Taken(#""course":361"#, "course", 361),
    Taken(#""course":359.9"#, "course", 359).converted,
    Taken(#""vertical_accuracy":0"#, "vertical_accuracy", 0),
    Taken(#""vertical_accuracy":4.9"#, "vertical_accuracy", 4).converted,
    Taken(#""altitude":0"#, "altitude", 0),
    Taken(#""altitude":-2.5"#, "altitude", -2.5),
    Taken(#""altitude":"7.5""#, "altitude", 7.5).converted,
    Taken(#""altitude":"nan""#, "altitude", nil).converted,
    Taken(#""battery":1,"battery":2"#, "battery_level", 2),
  ]

  @Test(arguments: taken)
  func isStored(row: Taken) async throws {
    let device = try await Device.located()
    #expect(try await device.send("update_location", row.data) == .emptyObject)
    let tracker = try await device.position(once: row.attribute, is: row.value)
    let isOld = try await device.server.version() < .validatesLocations
    withKnownIssue(Self.unvalidated) {
      #expect(tracker?.attributes[row.attribute] == row.value)
    } when: {
      isOld && row.isConverted
    }
  }

  /// What is said where an old server is not what is expected.
  static let unvalidated: Comment = "before 2024.8 every value is stored as it comes"

  @Test func theAccuracyIsCutToAWholeNumberUntil2026() async throws {
    let device = try await Device.located()
    _ = try await device.send("update_location", #"{"gps":[1,2],"gps_accuracy":9.9}"#)
    let version = try await device.server.version()
    let isCut = version >= .validatesLocations && version < Version(2026, 5)
    #expect(try await device.position().attributes["gps_accuracy"] == (isCut ? 9 : 9.9))
  }

  @Test func aFixInClearIsStoredForAPlainRegistration() async throws {
    let device = try await Device.registered(encrypted: false)
    #expect(try await device.send("update_location", Device.firstFix) == .emptyObject)
    let tracker = try await device.position(once: "latitude", is: 48.25)
    #expect(tracker?.attributes["source_type"] == "gps")
    #expect(tracker?.state == "not_home")
  }
}

// MARK: - Dropped

extension Contract.Location {
  static let dropped =
    [
      #""gps_accuracy":-1"#, #""gps_accuracy":null"#, #""gps_accuracy":"x""#,
      #""battery":-1"#, #""battery":null"#, #""battery":"x""#,
      #""speed":-1"#, #""speed":null"#, #""speed":"3.5""#,
      #""course":-1"#, #""course":null"#, #""course":"3.5""#,
      #""vertical_accuracy":-1"#, #""vertical_accuracy":null"#, #""vertical_accuracy":"3.5""#,
      #""altitude":null"#, #""altitude":"x""#, #""location_name":null"#,
      #""timestamp":"2026-01-01T00:00:00Z""#, #""timestamp":1767225600"#, #""foo":1"#,
    ].map { #"{"gps":[1,2],"gps_accuracy":3,\#($0)}"# }
    + [
      #"{"gps":null,"gps_accuracy":3}"#, #"{"gps":[null,2],"gps_accuracy":3}"#,
      #"{"gps":[1],"gps_accuracy":3}"#, #"{"gps":[1,2,3],"gps_accuracy":3}"#,
      #"{"gps":[90.1,2],"gps_accuracy":3}"#, #"{"gps":[1,-180.1],"gps_accuracy":3}"#,
      #"{"gps":{"latitude":1,"longitude":2},"gps_accuracy":3}"#,
      #"{"latitude":1,"longitude":2,"gps_accuracy":3}"#,
    ]

  @Test(arguments: dropped)
  func isDroppedWhole(data: String) async throws {
    let (before, after) = try await positions(around: data)
    let isOld = try await Server.required().version() < .validatesLocations
    // Some of this nonsense an old server takes, and then cannot show.
    withKnownIssue(Self.unvalidated, isIntermittent: true) {
      #expect(after == before)
    } when: {
      isOld
    }
  }

  static let droppedByEveryRelease = [
    #"{"gps":[1,2]}"#, #"{"gps":[1,2],"battery":50}"#, "[]", "null", "5",
    #"{"gps":[1,2],"gps_accuracy":3,"altitude":NaN}"#,
    #"{"gps":[1,2],"gps_accuracy":3,"altitude":1e999}"#,
  ]

  @Test(arguments: droppedByEveryRelease)
  func isDroppedWholeByEveryRelease(data: String) async throws {
    let (before, after) = try await positions(around: data)
    #expect(after == before)
  }

  /// What the tracker shows before and after a message that says nothing of its fate.
  private func positions(around data: String) async throws -> (Entity, Entity) {
    let device = try await Device.located()
    let before = try await device.position()
    #expect(try await device.send("update_location", data) == .emptyObject)
    // The server takes one message after the other: after this one the fix would be there.
    #expect(try await device.prove() == Device.proof)
    return (before, try await device.position())
  }

  @Test func inZonesDropsTheFixBefore2026() async throws {
    let device = try await Device.located()
    _ = try await device.send(
      "update_location", #"{"gps":[1,2],"gps_accuracy":3,"in_zones":["zone.home"]}"#)
    #expect(try await device.prove() == Device.proof)
    let version = try await device.server.version()
    let isDropped = version >= .validatesLocations && version < Version(2026, 6)
    #expect(try await device.position().attributes["latitude"] == (isDropped ? 48.25 : 1))
  }
}

// MARK: - Replacing

extension Contract.Location {
  @Test(arguments: [#"{}"#, #"{"battery":50}"#])
  func aMessageWithoutAPositionWipesThePosition(data: String) async throws {
    let device = try await Device.located()
    #expect(try await device.send("update_location", data) == .emptyObject)
    let tracker = try await device.server.entity(device.tracker) { $0?.state == "unknown" }
    #expect(tracker?.state == "unknown")
    #expect(tracker?.attributes["latitude"] == .absent)
    #expect(tracker?.attributes["longitude"] == .absent)
    #expect(tracker?.attributes["gps_accuracy"] == .absent)
  }

  @Test func aMessageWithoutDataWipesThePositionToo() async throws {
    let device = try await Device.registered(encrypted: false)
    _ = try await device.send("update_location", Device.firstFix)
    _ = try await device.position(once: "latitude", is: 48.25)
    #expect(try await device.post(#"{"type":"update_location"}"#) == .emptyObject)
    let tracker = try await device.server.entity(device.tracker) { $0?.state == "unknown" }
    #expect(tracker?.attributes["latitude"] == .absent)
  }

  @Test func whatAMessageDoesNotNameIsForgotten() async throws {
    let device = try await Device.located()
    _ = try await device.send(
      "update_location", #"{"gps":[1,2],"gps_accuracy":3,"altitude":4,"speed":5,"course":6}"#)
    _ = try await device.send("update_location", #"{"gps":[7,8],"gps_accuracy":9}"#)
    let tracker = try await device.position(once: "latitude", is: 7)
    for attribute in ["altitude", "speed", "course", "battery_level"] {
      #expect(tracker?.attributes[attribute] == .absent, "\(attribute)")
    }
  }

  @Test func theSameFixAgainIsWrittenAgain() async throws {
    let device = try await Device.located()
    let before = try await device.position()
    _ = try await device.send("update_location", Device.firstFix)
    let after = try await device.server.entity(device.tracker) {
      $0?.lastUpdated != before.lastUpdated
    }
    #expect(after?.lastUpdated != before.lastUpdated)
    #expect(after?.lastChanged != before.lastChanged)
    #expect(after?.attributes == before.attributes)
  }
}

// MARK: - The state

extension Contract.Location {
  @Test func theStateIsTheZoneThatThePositionIsIn() async throws {
    let device = try await Device.located()
    #expect(try await device.position().state == "not_home")
    let home = try await device.homeZone()["attributes"]
    let place = try JSON.array([home["latitude"], home["longitude"]]).encoded()
    _ = try await device.send("update_location", #"{"gps":\#(place),"gps_accuracy":5}"#)
    #expect(try await device.server.entity(device.tracker) { $0?.state == "home" }?.state == "home")
  }

  @Test(arguments: [(#""Harbour""#, "Harbour"), ("5", "5"), (#""""#, "not_home")])
  func aLocationNameWinsOverThePosition(name: String, state: String) async throws {
    let device = try await Device.located()
    _ = try await device.send(
      "update_location", #"{"gps":[1,2],"gps_accuracy":3,"location_name":\#(name)}"#)
    let tracker = try await device.position(once: "latitude", is: 1)
    #expect(tracker?.state == state)
  }

  @Test func aLocationNameAloneWipesTheCoordinates() async throws {
    let device = try await Device.located()
    _ = try await device.send("update_location", #"{"location_name":"Harbour"}"#)
    let tracker = try await device.server.entity(device.tracker) { $0?.state == "Harbour" }
    #expect(tracker?.state == "Harbour")
    #expect(tracker?.attributes["latitude"] == .absent)
  }
}

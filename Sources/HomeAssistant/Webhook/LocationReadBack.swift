public import Bytes

extension Webhook {
  /// Asks where Home Assistant has the device now: the only way to learn whether it took an
  /// `update_location`, which it answers alike in every case.
  public struct LocationReadBack: Message {
    /// `render_template`
    public static let type = MessageType.renderTemplate

    /// The tracker of the device whose id is the variable `id`, with the age of its state in
    /// seconds.
    public static let template: StaticString =
      """
      {% set e=device_entities(id)|select('match','device_tracker[.]')|list|first|default(none) %}\
      {% if e and states[e] %}{{ {'e':e,'lat':state_attr(e,'latitude'),\
      'lon':state_attr(e,'longitude'),'acc':state_attr(e,'gps_accuracy'),\
      'age':(as_timestamp(now())-as_timestamp(states[e].last_updated))|round(3)} }}\
      {% else %}{{ {'e':e} }}{% endif %}
      """

    /// What the age may be too large by: it is rounded, and the clock of the server may be set
    /// between the two.
    public static let ageTolerance: Duration = .milliseconds(50)

    /// Of `ServerConfiguration`; not the id that the device registered with.
    public var deviceID: Text

    /// What the answer is found by.
    public var challenge: Challenge

    /// Asks about the device that Home Assistant knows by this id.
    ///
    /// - Parameters:
    ///   - deviceID: of `ServerConfiguration`.
    ///   - challenge: of the nonce that the message is sealed with.
    public init(deviceID: Text, challenge: Challenge) {
      self.deviceID = deviceID
      self.challenge = challenge
    }

    public func write(into data: inout ByteBuffer) {
      data.openJSONObject()
      challenge.append(to: &data)
      data.openJSONObject()
      data.appendJSON(key: "template")
      data.appendJSON(Self.template)
      data.appendJSON(key: "variables")
      data.openJSONObject()
      data.appendJSON(key: "id", deviceID)
      data.closeJSONObject()
      data.closeJSONObject()
      data.closeJSONObject()
    }

    /// What became of a location that was sent.
    public enum Verdict: Equatable, Sendable {
      /// The tracker shows it.
      case stored
      /// The tracker shows an older state, or another place.
      case dropped
      /// The user disabled the tracker, or there is none: locations go nowhere.
      case noTracker
    }

    /// Judges whether a location was stored. Nothing is allocated.
    ///
    ///     {"x4Tb-9":{"e":"device_tracker.boat","lat":51.5,"lon":3.6,"acc":12,"age":0.002}}
    ///
    /// - Parameters:
    ///   - answer: to the read-back.
    ///   - challenge: of that message.
    ///   - location: what was sent.
    ///   - elapsed: how long before the answer it was sent. A state older than that is not of it.
    /// - Returns: what became of the location.
    /// - Throws: where this is no answer to this read-back, or its template failed.
    public static func judge(
      _ answer: Span<UInt8>, to challenge: Challenge, of location: Location,
      sent elapsed: Duration
    ) throws(JSONDecodingError) -> Verdict {
      let tracker = try reading(answer) { reader throws(JSONError) in
        try Tracker(&reader, challenge)
      }
      guard tracker.isAnswered else { throw .missingKey("e") }
      guard tracker.isThere, let age = tracker.ageMilliseconds else { return .noTracker }
      // Home Assistant writes the state of a tracker also where it is the one before.
      let isFresh = .milliseconds(age) <= elapsed + ageTolerance
      return isFresh && tracker.isAt(location) ? .stored : .dropped
    }

    private struct Tracker {
      /// Whether the template said anything of a tracker, be it that there is none.
      var isAnswered = false
      var isThere = false
      /// In units of `Location.coordinateDecimals`.
      var latitude: Int64?
      var longitude: Int64?
      var ageMilliseconds: Int64?

      init(_ reader: inout JSONReader, _ challenge: Challenge) throws(JSONError) {
        try reader.openObject()
        while let key = try reader.nextKey() {
          if challenge.isNamed(key) { try read(&reader) } else { try reader.skipValue() }
        }
      }

      private mutating func read(_ reader: inout JSONReader) throws(JSONError) {
        try reader.openObject()
        while let key = try reader.nextKey() {
          let kind = try reader.nextKind()
          if key.elementsEqual("e") {
            isAnswered = true
            isThere = kind == .string
            try reader.skipValue()
          } else if key.elementsEqual("lat"), kind == .number {
            latitude = try reader.number(timesPowerOfTen: Int64(Location.coordinateDecimals))
          } else if key.elementsEqual("lon"), kind == .number {
            longitude = try reader.number(timesPowerOfTen: Int64(Location.coordinateDecimals))
          } else if key.elementsEqual("age"), kind == .number {
            ageMilliseconds = try reader.number(timesPowerOfTen: 3)
          } else {
            try reader.skipValue()
          }
        }
      }

      /// Home Assistant keeps what it is sent as binary numbers, which come back the same; one unit
      /// is left for a server that rounds.
      func isAt(_ location: Location) -> Bool {
        guard let latitude, let longitude else { return false }
        return isAlike(latitude, location.latitude.coefficient)
          && isAlike(longitude, location.longitude.coefficient)
      }

      private func isAlike(_ shown: Int64, _ sent: Int64) -> Bool {
        (sent - 1...sent + 1).contains(shown)
      }
    }
  }
}

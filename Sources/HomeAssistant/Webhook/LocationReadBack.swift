public import Bytes

extension Webhook {
  /// Request for the location that Home Assistant has stored: the only way to find out whether it
  /// accepted an `update_location`, to which its answer is always the same.
  public struct LocationReadBack {
    /// Template for the tracker of the device in the variable `id`, with the age of its state in
    /// seconds.
    public static let template: StaticString =
      """
      {% set e=device_entities(id)|select('match','device_tracker[.]')|list|first|default(none) %}\
      {% if e and states[e] %}{{ {'e':e,'lat':state_attr(e,'latitude'),\
      'lon':state_attr(e,'longitude'),'acc':state_attr(e,'gps_accuracy'),\
      'age':(as_timestamp(now())-as_timestamp(states[e].last_updated))|round(3)} }}\
      {% else %}{{ {'e':e} }}{% endif %}
      """

    /// Tolerance of the age: it is rounded, and the server's clock may be set between the two
    /// events.
    public static let ageTolerance: Duration = .milliseconds(50)

    /// Identifier from `ServerConfiguration`, other than the one that the device registered with.
    public var deviceID: Text

    /// Challenge of the message, whose name is the key of the answer.
    public var challenge: Challenge

    /// Creates a request for the location of this device.
    public init(deviceID: Text, challenge: Challenge) {
      self.deviceID = deviceID
      self.challenge = challenge
    }

    /// Writes the `data` of the `render_template`.
    public func write(into data: inout ByteBuffer) {
      data.openJSONObject()
      challenge.append(to: &data)
      data.openJSONObject()
      data.appendJSON(key: "template", Self.template)
      data.appendJSON(key: "variables")
      data.openJSONObject()
      data.appendJSON(key: "id", deviceID.bytes)
      data.closeJSONObject()
      data.closeJSONObject()
      data.closeJSONObject()
    }

    /// Fate of a sent location.
    public enum Verdict: Equatable, Sendable {
      /// The tracker shows the location.
      case stored
      /// The tracker shows an older state, or another position.
      case dropped
      /// The user disabled the tracker, or there is none: locations have no effect.
      case noTracker
    }

    /// Judges whether a location was stored. It allocates nothing.
    ///
    ///     {"x4Tb-9":{"e":"device_tracker.boat","lat":51.5,"lon":3.6,"acc":12,"age":0.002}}
    ///
    /// - Parameters:
    ///   - answer: answer to the read-back.
    ///   - challenge: challenge of that message.
    ///   - location: sent location.
    ///   - elapsed: time from sending the location to the answer. An older state is not from this
    ///     location.
    /// - Returns: the fate of the location.
    /// - Throws: `JSONDecodingError` if this does not answer this read-back, or the template
    ///   failed.
    public static func judge(
      _ answer: Span<UInt8>, to challenge: Challenge, of location: Location,
      sent elapsed: Duration
    ) throws(JSONDecodingError) -> Verdict {
      var tracker = Tracker()
      try JSONReader.forEachMember(of: answer) { key, reader throws(JSONError) in
        if challenge.isNamed(key) { try tracker.read(&reader) } else { try reader.skipValue() }
      }
      guard tracker.isAnswered else { throw .missingKey("e") }
      guard tracker.isThere, let age = tracker.ageMilliseconds else { return .noTracker }
      // Home Assistant writes the state of a tracker even if the location is unchanged.
      let isFresh = .milliseconds(age) <= elapsed + ageTolerance
      return isFresh && tracker.isAt(location) ? .stored : .dropped
    }

    private struct Tracker {
      /// Whether the template reported a tracker, or that there is none.
      var isAnswered = false
      var isThere = false
      /// Units of `Location.coordinateDecimals`.
      var latitude: Int64?
      var longitude: Int64?
      var ageMilliseconds: Int64?

      mutating func read(_ reader: inout JSONReader) throws(JSONError) {
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

      /// Whether the tracker shows this position. Home Assistant stores binary numbers, which come
      /// back unchanged; the tolerance of one unit is for a server that rounds.
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

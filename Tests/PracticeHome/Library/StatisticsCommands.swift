extension Command {
  /// Commands about long-term statistics.
  static let statistics: [String: Command] = [
    "recorder/import_statistics": Command(
      [
        .required("metadata", .shape(importedMetadata)),
        .required("stats", .list(of: .shape(importedHour))),
      ], isForAdministrators: true
    ) { (home, call) throws(CommandFailure) in try home.importStatistics(call) },
    "recorder/get_statistics_metadata": Command([
      .optional("statistic_ids", .list(of: .text))
    ]) { (home, call) throws(CommandFailure) in
      let ids = call.content["statistic_ids"]?.array?.compactMap(\.string) ?? []
      let all = home.statisticDescriptions
      home.succeed(
        call, .array(all.filter { ids.isEmpty || ids.contains($0.metadata.id) }.map(\.json)))
    },
    "recorder/list_statistic_ids": Command([
      .optional("statistic_type", .word(of: ["mean", "sum"]))
    ]) { (home, call) throws(CommandFailure) in
      let type = call.content["statistic_type"]
      let all = home.statisticDescriptions.filter {
        type == nil || (type == "sum" ? $0.metadata.hasSum : $0.metadata.mean != .none)
      }
      home.succeed(call, .array(all.map(\.json)))
    },
    "recorder/statistics_during_period": Command([
      .required("start_time", .text), .optional("end_time", .text),
      .required("statistic_ids", .list(of: .text).then(.notEmpty)),
      .required("period", .word(of: ["5minute", "hour", "day", "week", "month"])),
      .optional("units", .shape(units)),
      .optional("types", .list(of: .word(of: Set(StatisticsQuestion.figures)))),
    ]) { (home, call) throws(CommandFailure) in
      let question = try StatisticsQuestion(call)
      home.succeed(
        call,
        question.isOfHours
          ? home.statistics(question) : home.lastFiveMinutes(question, now: call.now))
    },
  ]

  private static let importedMetadata: [Field] = [
    .required("has_mean", .strictBoolean), .required("has_sum", .strictBoolean),
    .required("name", .textOrNull), .required("source", .text),
    .required("statistic_id", .text), .required("unit_of_measurement", .textOrNull),
  ]

  private static let importedHour: [Field] =
    [
      .required("start", .dateTime), .optional("last_reset", .nullOr(.dateTime)),
    ] + ["mean", "min", "max", "state", "sum"].map { .optional($0, .number) }

  private static let units = StatisticUnits.kinds.map { kind in
    Field.optional(kind, .oneOf(StatisticUnits.units(of: kind)))
  }
}

extension Schema {
  /// A date and a time of day, with or without an offset from UTC.
  fileprivate static let dateTime = Schema("invalid datetime") { value in
    value.string.flatMap(Timestamp.init) == nil ? .none : value
  }

  /// A number as a float, and nothing that could be turned into it; to Python a boolean is one.
  fileprivate static let number = Schema("expected float") { value in
    value.string == nil ? Python.float(value).map(JSON.float) : .none
  }

  fileprivate static let notEmpty = Schema("the list is empty") { value in
    value.array?.isEmpty == false ? value : .none
  }
}

// MARK: Importing

extension Home {
  fileprivate mutating func importStatistics(_ call: Call) throws(CommandFailure) {
    let metadata = try metadata(call)
    var hours: [StatisticHour] = []
    for content in call.content["stats"]?.array ?? [] { hours.append(try StatisticHour(content)) }
    guard let replacedCount = statistics.take(metadata, hours) else {
      throw .notPlayed("to keep more than \(Statistics.hourCountMax) hours of statistics")
    }
    note(
      .statisticsImported(id: metadata.id, hours: hours, replacedCount: replacedCount),
      at: call.now)
    succeed(call)
  }

  private func metadata(_ call: Call) throws(CommandFailure) -> StatisticMetadata {
    let content = call.content["metadata"]?.object ?? [:]
    let (id, source) = (content["statistic_id"]?.string ?? "", content["source"]?.string ?? "")
    guard let owner = Self.source(ofStatistic: id) else { throw .failed("Invalid statistic_id") }
    guard source == owner else { throw .failed("Invalid source") }
    return StatisticMetadata(
      id: id, source: source, name: content["name"]?.string,
      unit: content["unit_of_measurement"]?.string,
      mean: content["has_mean"] == true ? .arithmetic : .none, hasSum: content["has_sum"] == true)
  }

  /// What the source of a statistic must be: of an entity's the recorder, of all others what stands
  /// in front of the colon. Nil of what is no id.
  private static func source(ofStatistic id: String) -> String? {
    if Slug.isEntityID(id) { return "recorder" }
    guard Slug.isPair(id, separator: ":") else { return nil }
    return id.split(separator: ":").first.map(String.init)
  }
}

extension StatisticHour {
  fileprivate init(_ content: JSON) throws(CommandFailure) {
    guard let start = content["start"]?.string.flatMap(Timestamp.init) else {
      preconditionFailure("the schema lets only times through")
    }
    guard start.offset != nil else {
      throw .failed("Naive timestamp: no or invalid timezone info provided")
    }
    // Of the offset that it has; so half past may be full in UTC, and full half past.
    guard start.isFullHour else {
      throw .failed(
        "Invalid timestamp: timestamps must be from the top of the hour (minutes and seconds = 0)")
    }
    let lastReset = content["last_reset"]?.string.flatMap(Timestamp.init)
    if let lastReset, lastReset.offset == nil { throw .failed("Naive timestamp") }
    self.init(
      start: start.moment, mean: content["mean"]?.number, min: content["min"]?.number,
      max: content["max"]?.number, sum: content["sum"]?.number,
      state: content["state"]?.number, lastReset: lastReset?.moment)
  }
}

extension CommandFailure {
  /// What the recorder objects to.
  fileprivate static func failed(_ message: String) -> CommandFailure {
    CommandFailure(code: "home_assistant_error", message: message)
  }

  /// What Home Assistant does and the practice home does not: better no answer than a wrong one.
  static func notPlayed(_ what: String) -> CommandFailure {
    CommandFailure(code: "not_supported", message: "The practice home is not able \(what)")
  }
}

// MARK: Describing

extension Home {
  /// A statistic and the unit that it is shown in.
  fileprivate struct StatisticDescription {
    var metadata: StatisticMetadata
    var displayUnit: String?
    var json: JSON { metadata.json(displayUnit: displayUnit) }
  }

  /// All that was imported, and what Home Assistant would begin to compile of the sensors.
  fileprivate var statisticDescriptions: [StatisticDescription] {
    let imported = statistics.all.map { series in
      StatisticDescription(
        metadata: series.metadata, displayUnit: displayUnit(of: series.metadata))
    }
    let expected = states.all.filter { statistics[$0.entityID] == nil }.compactMap(\.statistic)
    return imported + expected.map { StatisticDescription(metadata: $0, displayUnit: $0.unit) }
  }

  /// The unit that the entity is shown in, if the statistic can be converted into it.
  private func displayUnit(of metadata: StatisticMetadata) -> String? {
    guard let state = states[metadata.id], let kind = StatisticUnits.kind(of: metadata.unit)
    else { return metadata.unit }
    let shown = state.attributes["unit_of_measurement"]?.string
    return StatisticUnits.kind(of: shown) == kind ? shown : metadata.unit
  }

  /// How figures are told: in the unit that was asked for, else in the one that is shown.
  fileprivate func conversion(
    of metadata: StatisticMetadata, _ units: JSONObject
  ) -> @Sendable (Double) -> Double {
    let wish = StatisticUnits.kind(of: metadata.unit).flatMap { units[$0]?.string }
    let unit = wish ?? displayUnit(of: metadata)
    return StatisticUnits.conversion(from: metadata.unit, to: unit) ?? { $0 }
  }
}

extension EntityState {
  /// What the statistics of a sensor are, by its state class; nil where there are none.
  fileprivate var statistic: StatisticMetadata? {
    guard entityID.hasPrefix("sensor."), let stateClass = attributes["state_class"]?.string
    else { return nil }
    let mean: StatisticMetadata.Mean =
      switch stateClass {
      case "measurement": .arithmetic
      case "measurement_angle": .circular
      default: .none
      }
    return StatisticMetadata(
      id: entityID, source: "recorder", name: nil,
      unit: attributes["unit_of_measurement"]?.string, mean: mean, hasSum: mean == .none)
  }
}

// MARK: Asking

/// A question for the statistics of a time.
struct StatisticsQuestion {
  /// What can be asked for.
  static let figures = ["mean", "min", "max", "sum", "state", "change", "last_reset"]

  let ids: [String]
  let start: Moment
  let end: Moment?
  let figures: [String]
  let units: JSONObject
  /// Else of five minutes.
  let isOfHours: Bool

  fileprivate init(_ call: Call) throws(CommandFailure) {
    let period = call.text("period")
    guard period == "hour" || period == "5minute" else {
      throw .notPlayed("to tell statistics by anything but the hour or five minutes")
    }
    isOfHours = period == "hour"
    guard let start = Timestamp(call.text("start_time")) else {
      throw CommandFailure(code: "invalid_start_time", message: "Invalid start_time")
    }
    let endText = call.text("end_time")
    let end = Timestamp(endText)
    guard endText.isEmpty || end != nil else {
      throw CommandFailure(code: "invalid_end_time", message: "Invalid end_time")
    }
    ids = call.content["statistic_ids"]?.array?.compactMap(\.string) ?? []
    (self.start, self.end) = (start.moment, end?.moment)
    figures = call.content["types"]?.array?.compactMap(\.string) ?? Self.figures
    units = call.content["units"]?.object ?? [:]
  }
}

extension Home {
  /// The hours of each statistic that has any in the time.
  fileprivate func statistics(_ question: StatisticsQuestion) -> JSON {
    let known = question.ids.compactMap { statistics[$0] }
    // A figure that none of them has is left out; one that only some have is null for the others.
    var impossible: Set<String> = []
    if !known.contains(where: { $0.metadata.mean != .none }) {
      impossible.formUnion(["mean", "min", "max"])
    }
    if !known.contains(where: \.metadata.hasSum) {
      impossible.formUnion(["sum", "state", "change"])
    }
    let figures = question.figures.filter { !impossible.contains($0) }
    var answer: JSONObject = [:]
    for series in known {
      let hours = series.hours(from: question.start, to: question.end)
      if hours.isEmpty { continue }
      let convert = conversion(of: series.metadata, question.units)
      var before = series.hour(before: question.start)?.sum.map(convert) ?? 0
      answer[series.metadata.id] = .array(
        hours.map { hour in
          let sum = hour.sum.map(convert)
          defer { before = sum ?? before }
          return hour.json(figures, change: sum.map { $0 - before }, convert)
        })
    }
    return .object(answer)
  }
}

extension Home {
  /// The last five minutes that are full, of each sensor that is measured: as if its state had been
  /// the same all the time. Earlier ones are not kept.
  fileprivate func lastFiveMinutes(_ question: StatisticsQuestion, now: Moment) -> JSON {
    let length: Int64 = 300_000_000
    let start = Moment(microseconds: now.microseconds / length * length - length)
    guard start >= question.start, question.end.map({ start < $0 }) ?? true else { return [:] }
    var answer: JSONObject = [:]
    for id in question.ids {
      guard let state = states[id], state.statistic?.mean == .arithmetic,
        let number = Double(state.state)
      else { continue }
      var hour = StatisticHour(start: start)
      (hour.mean, hour.min, hour.max) = (number, number, number)
      let figures = question.figures.filter { ["mean", "min", "max"].contains($0) }
      answer[id] = [hour.json(figures, of: .seconds(300), change: nil) { $0 }]
    }
    return .object(answer)
  }
}

extension StatisticHour {
  fileprivate func json(
    _ figures: [String], of duration: Duration = Self.duration, change: Double?,
    _ convert: (Double) -> Double
  ) -> JSON {
    var row: JSONObject = [
      "start": start.milliseconds, "end": (start + duration).milliseconds,
    ]
    for figure in figures {
      switch figure {
      case "last_reset": row[figure] = lastReset?.milliseconds ?? .null
      case "change": row[figure] = change.map(JSON.float) ?? .null
      default: row[figure] = value(figure).map { .float(convert($0)) } ?? .null
      }
    }
    return .object(row)
  }

  private func value(_ figure: String) -> Double? {
    switch figure {
    case "mean": mean
    case "min": min
    case "max": max
    case "sum": sum
    default: state
    }
  }

  /// What a program is told of an import.
  var json: JSON {
    var content: JSONObject = ["start": .string(start.isoformatToSecond)]
    for figure in ["mean", "min", "max", "sum", "state"] {
      content[figure] = value(figure).map(JSON.float)
    }
    return .object(content)
  }
}

extension Moment {
  fileprivate var milliseconds: JSON { .integer(Int128(microseconds / 1000)) }
}

import Bytes

// The list below the graphs, which can be longer than the terminal.

extension StatusScreen {
  /// In a narrow terminal subjects have no column of their own.
  private static let wideColumnsMin = 60
  private static let tableColumnsMax = 90
  private static let ageColumns = 16

  func list(columns: Int) -> [[ScreenCell]] {
    var lines: [[ScreenCell]] = []
    if let silence {
      lines += wrapped(silence.reason, columns, .bad)
      lines.append([])
    }
    guard let status else { return lines }
    let subjectWidth = columns >= Self.wideColumnsMin ? 17 : 1
    var (state, position) = (
      StatusLines(subjectWidth: subjectWidth), StatusLines(subjectWidth: subjectWidth)
    )
    status.appendState(to: &state)
    status.appendPosition(to: &position)
    var told = self.lines(state.bytes, columns)
    told += sensorLines(status.root, min(columns, Self.tableColumnsMax))
    told.append([])
    told += self.lines(position.bytes, columns) + decisionLines(columns)
    return lines + (silence == nil ? told : told.map { $0.map { $0.faint } })
  }

  /// Returns the lines of a status, some with a verdict at their begin.
  private func lines(_ words: [UInt8], _ columns: Int) -> [[ScreenCell]] {
    let isWide = columns >= Self.wideColumnsMin
    var lines: [[ScreenCell]] = []
    for line in words.split(separator: UInt8(ascii: "\n")) {
      var line = Array(line).cells(isUnicode: look.isUnicode)
      let verdict: ScreenCell.Style? =
        switch line.first?.scalar {
        case 0x6F: .good
        case 0x57: .bad
        default: nil
        }
      if let verdict { for index in 0..<min(7, line.count) { line[index].style = verdict } }
      lines += wrapped(line, columns, indent: isWide ? 24 : 9)
    }
    return lines
  }

  private func decisionLines(_ columns: Int) -> [[ScreenCell]] {
    var lines: [[ScreenCell]] = []
    for decision in history.decisions {
      if lines.isEmpty { lines += [[], cells("The last fixes", .strong)] }
      let times: MessageText = decision.count > 1 ? " (\(decision.count)x)" : ""
      lines += wrapped(
        "  \(minutes: decision.local)  \(decision.words)\(times)", columns, indent: 9)
    }
    return lines
  }

  private func sensorLines(_ root: StatusMembers, _ columns: Int) -> [[ScreenCell]] {
    let sensors = root.list("sensors")
    guard !sensors.isEmpty else { return [] }
    let names = sensors.map { cells("  \($0.text("name"))") }
    let longest = names.reduce(0) { max($0, $1.count) }
    let start = min(longest, columns / 2) + 2
    var lines = [[], cells("Sensors", .strong)]
    for index in sensors.indices {
      lines += line(sensors[index], names[index], valuesFrom: start, columns)
    }
    let hidden = root.number("sensor_count") - sensors.count
    if hidden > 0 {
      lines += wrapped(
        "  \(hidden, "sensor") not shown (no value yet, or the list is too long)", columns,
        indent: 2, .faint)
    }
    return lines
  }

  /// Returns a sensor in columns, or as running text if a part is too long for its column.
  private func line(
    _ sensor: StatusMembers, _ name: [ScreenCell], valuesFrom start: Int, _ columns: Int
  ) -> [[ScreenCell]] {
    let isWell = !sensor.says("value", "unavailable")
    let value = cells(sensor.text("text"), isWell ? .plain : .bad)
    let seconds = sensor["read"]?.number("seconds") ?? 0
    let age = seconds < 60 ? [] : cells(sensor.past("read"), .faint)
    let end = columns - (age.isEmpty ? 0 : Self.ageColumns)
    guard name.count + 2 <= start, start + value.count <= end, age.count < Self.ageColumns else {
      return wrapped(name + cells("  ") + value + cells("  ") + age, columns, indent: 4)
    }
    var line = name
    line += [ScreenCell](repeating: .blank, count: start - line.count) + value
    if !age.isEmpty {
      line += [ScreenCell](repeating: .blank, count: columns - age.count - line.count) + age
    }
    return [line]
  }
}

extension ScreenCell {
  fileprivate var faint: ScreenCell { ScreenCell(scalar: scalar, style: .faint) }
}

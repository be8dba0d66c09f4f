public import Bytes
import Drivers
import LinuxIO
public import Sensing
import YAML

/// The remedies for failing sources, supplied by each kind of source.
public struct SourceAdvice: Sendable {
  private let remedies: [SourceRemedies]
  /// Remedies for a supply, which fails under its own name that only the kernel may know.
  private let supplies: SourceRemedies
  /// Entries of `sensors`, by the names of their sources in messages.
  private let entries: [(source: InlineText, entry: ConfiguredEntry)]
  private let lines: [GPIOLineAddress]
  private let sys: Path
  private let boards: [UInt8]

  public init(_ configuration: Configuration) {
    supplies = configuration.battery.remedies(sys: Path(configuration.host.sys))
    var remedies = configuration.system.remedies(proc: Path(configuration.host.proc))
    for sensor in configuration.sensors { remedies.append(sensor.remedies) }
    for output in configuration.outputs { remedies.append(output.remedies) }
    remedies.append(CountsFile.remedies)
    remedies.append(DeviceEvents.remedies)
    if let location = configuration.location { remedies += location.allRemedies }
    self.remedies = remedies
    entries = configuration.sensors.map { ($0.remedies.source, $0.entry) }
    lines = configuration.lineAddresses
    sys = Path(configuration.host.sys)
    boards = configuration.host.boards
  }

  public func remedy(for failure: SourceFailure, of source: InlineText) -> MessageText {
    if case .missing = failure, let meant = lineMeant(by: source) {
      return "did you mean \(bytes: meant)? \(Arguments.command("pins")) shows this board's pins"
    }
    if case .missing = failure, let entry = entries.first(where: { $0.source == source })?.entry,
      let others = BoardSearch(sys: sys).others(than: entry)
    {
      return "\(others); \(Arguments.command("sensors")) shows them"
    }
    if case .missing = failure, let refusal = refusal(of: source) {
      return "\(refusal.problem); \(refusal.remedy)"
    }
    return remedies(of: source).remedy(for: failure)
  }

  /// Returns the name of a similar line that the user may mean; nil if there is none.
  private func lineMeant(by source: InlineText) -> [UInt8]? {
    guard let line = lines.first(where: { InlineText($0.text.span) == source }),
      case .name(let name) = line,
      let board = try? BoardPins(sys: sys, packagedIn: boards).board
    else { return nil }
    return board.place(named: name) == nil ? board.nameMeant(by: name) : nil
  }

  /// Returns why a pin of this board is not a GPIO line; nil if it is one, or the board is unknown.
  private func refusal(of source: InlineText) -> Refusal? {
    guard let line = lines.first(where: { InlineText($0.text.span) == source }),
      let pins = try? BoardPins(sys: sys, packagedIn: boards)
    else { return nil }
    do throws(Refusal) { _ = try pins.addresses(of: line) } catch { return error }
    return nil
  }

  /// Whether the configuration names the subject of the source.
  public func isNamedByPerson(_ source: InlineText) -> Bool {
    remedies(of: source).isNamedByPerson
  }

  private func remedies(of source: InlineText) -> SourceRemedies {
    remedies.first { $0.source == source } ?? remedies.first { $0.areAbout(partCalled: source) }
      ?? supplies
  }
}

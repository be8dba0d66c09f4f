public import Bytes
public import LinuxIO
public import Sensing

/// Which power supplies are reported.
public enum SupplySelection: Equatable, Sendable {
  /// Every one that the kernel lists, now or later.
  case all
  /// These, by the names of their directories; one that is not there is a failure.
  case named([[UInt8]])
}

/// The batteries, chargers and mains supplies of `/sys/class/power_supply`
/// (`Documentation/ABI/testing/sysfs-class-power`).
///
/// Each supply fails under its own name: a broken gauge hides nothing of the others. Once the
/// supplies are known, a sample allocates nothing.
public final class Supplies: Source {
  /// Supplies that are followed; each holds up to eleven files open.
  public static let suppliesMax = 16

  /// What messages call all of them.
  public static var usualName: InlineText { InlineText("power supplies") }

  public let name: InlineText
  private let path: Path
  private let isSelective: Bool
  private let minChanges: MinChanges
  private let sink: any ReadingSink
  private let supervisor: Supervisor
  private var directory: DirectoryReader?
  private var supplies: [Supply] = []
  private var hasTooMany = false

  /// `sys` is where sysfs is mounted, and `name` what messages call them.
  ///
  /// - Precondition: at most `suppliesMax` names; the configuration refuses more.
  public init(
    sys: Path = Path("/sys"), selection: SupplySelection = .all,
    minChanges: MinChanges = .standard, sink: any ReadingSink, supervisor: Supervisor,
    name: InlineText = Supplies.usualName
  ) {
    self.name = name
    self.minChanges = minChanges
    path = sys / "class" / "power_supply"
    self.sink = sink
    self.supervisor = supervisor
    supplies.reserveCapacity(Self.suppliesMax)
    switch selection {
    case .all: isSelective = false
    case .named(let names):
      precondition(names.count <= Self.suppliesMax, "the configuration limits the names")
      isSelective = true
      for name in names { supplies.append(makeSupply(name)) }
    }
  }

  /// The supplies that the kernel lists now, in the order of their names.
  static func names(sys: Path) -> [[UInt8]] {
    BoardSearch.names(in: sys / "class" / "power_supply")
  }

  private func makeSupply(_ name: [UInt8]) -> Supply {
    Supply(named: name, in: path, minChanges: minChanges, sink: sink)
  }

  public var deviceKinds: DeviceKinds { .powerSupply }

  /// - Throws: a failure of the list of supplies, after those that are known were read. The
  ///   failures of single supplies are told to the supervisor.
  public func sample(at moment: Moment) throws(SourceFailure) {
    var failure: SourceFailure?
    do throws(SourceFailure) { try list() } catch { failure = error }
    for supply in supplies {
      if let failure = supply.sample(at: moment) {
        supervisor.failed(supply.label, failure, now: moment.instant)
      } else {
        supervisor.worked(supply.label)
      }
    }
    if let failure { throw failure }
  }

  /// Marks the supplies that are there, and adds those that are new.
  private func list() throws(SourceFailure) {
    for supply in supplies { supply.isListed = false }
    do throws(Errno) {
      if directory == nil { directory = try DirectoryReader(opening: path) }
    } catch .noSuchFile {
      // A kernel without this class has no supplies; one that was named says so itself.
      return
    } catch {
      throw SourceFailure(error, of: InlineText(path.bytes.span))
    }
    hasTooMany = false
    directory?.forEachName { name in mark(name) }
    if hasTooMany {
      throw .unsupported(
        InlineText("more than 16 power supplies"), remedy: "name the ones to report")
    }
  }

  private func mark(_ name: Span<UInt8>) {
    for supply in supplies where supply.isNamed(name) {
      supply.isListed = true
      return
    }
    guard !isSelective else { return }
    guard supplies.count < Self.suppliesMax else {
      hasTooMany = true
      return
    }
    let supply = makeSupply([UInt8](name))
    supply.isListed = true
    supplies.append(supply)
  }
}

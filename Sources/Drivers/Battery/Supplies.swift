public import Bytes
public import LinuxIO
public import Sensing

/// The batteries, chargers and mains supplies of `/sys/class/power_supply`
/// (`Documentation/ABI/testing/sysfs-class-power`).
///
/// Each supply fails under its own name, and is read beside the loop if its gauge is slow, so that
/// a broken one hides nothing of the others. The supply of a device, such as a keyboard, is
/// reported only if it is named. A supply that is away gives its place to others. Once the supplies
/// are known, a sample allocates nothing.
public final class Supplies: Source {
  /// Maximum number of followed supplies; each holds up to eleven files open.
  public static let suppliesMax = 16
  /// Maximum number of listed supplies, which include those of devices.
  private static let listedMax = 64

  /// Name of all supplies in messages.
  public static var usualName: InlineText { InlineText("power supplies") }

  public let name: InlineText
  private let path: Path
  private let settings: SupplySettings
  private let context: SourceContext
  private var supervisor: Supervisor { context.supervisor }
  private var directory: DirectoryReader?
  private var supplies: [Supply] = []
  private var placesTaken = 0

  /// Makes the driver, which is called `name` in messages.
  ///
  /// - Precondition: at most `suppliesMax` names; the configuration refuses more.
  init(
    _ settings: SupplySettings, _ context: SourceContext, name: InlineText = Supplies.usualName
  ) {
    self.name = name
    self.settings = settings
    self.context = context
    path = Self.folder(sys: context.sys)
    supplies.reserveCapacity(Self.suppliesMax)
    guard let names = settings.names else { return }
    precondition(names.count <= Self.suppliesMax, "the configuration limits the names")
    for name in names { supplies.append(makeSupply(name)) }
  }

  private static func folder(sys: Path) -> Path { sys / "class" / "power_supply" }

  /// The supplies that the kernel lists now, in the order of their names.
  static func names(sys: Path) -> [[UInt8]] {
    BoardSearch.names(in: folder(sys: sys))
  }

  /// Whether a supply feeds a device and not the board.
  static func isOfDevice(_ name: [UInt8], sys: Path) -> Bool {
    Supply.isOfDevice(at: folder(sys: sys) / name)
  }

  private func makeSupply(_ name: [UInt8]) -> Supply {
    Supply(settings, context, named: name, in: path, owner: self)
  }

  public var deviceKinds: DeviceKinds { .powerSupply }

  /// - Throws: a failure of the list of supplies, after the known ones were read. The supervisor
  ///   receives the failures of single supplies.
  public func sample(at moment: Moment) throws(SourceFailure) {
    var failure: SourceFailure?
    do throws(SourceFailure) { try list() } catch { failure = error }
    for supply in supplies {
      do throws(SourceFailure) {
        try supply.sample(at: moment)
        if context.readsInLoop { supervisor.worked(supply.name) }
      } catch {
        supervisor.failed(supply.name, error, now: moment.instant)
      }
    }
    if let failure { throw failure }
    guard !supplies.contains(where: { $0.isRefused }) else {
      throw .unsupported(
        InlineText("more than 16 power supplies"), remedy: "name the ones to report")
    }
    if !context.readsInLoop { supervisor.worked(name) }
  }

  /// Marks the supplies that are there, and adds new ones.
  private func list() throws(SourceFailure) {
    for supply in supplies { supply.isListed = false }
    do throws(Errno) {
      if directory == nil { directory = try DirectoryReader(opening: path) }
    } catch .noSuchFile {
      // A kernel without this class has no supplies; a named supply reports itself as missing.
      return
    } catch {
      throw SourceFailure(error, of: InlineText(path.bytes.span))
    }
    directory?.forEachName { name in mark(name) }
  }

  private func mark(_ name: Span<UInt8>) {
    for supply in supplies where supply.isNamed(name) {
      supply.isListed = true
      return
    }
    guard settings.names == nil else { return }
    if supplies.count == Self.listedMax {
      guard let gone = supplies.firstIndex(where: { $0.isAway }) else { return }
      if supplies[gone].hasPlace { placesTaken -= 1 }
      supplies.remove(at: gone)
    }
    let name = [UInt8](name)
    let supply = makeSupply(name)
    supply.isListed = true
    // The kernel lists them in any order, and the first battery decides the power level.
    supplies.insert(supply, at: supplies.firstIndex { $0.comesAfter(name) } ?? supplies.count)
  }

  public func valuesAnnounced() { for supply in supplies { supply.valuesAnnounced() } }

  // MARK: Reading beside the loop

  /// Returns whether one more supply can be followed; one that is away gives up its place for it.
  func takePlace() -> Bool {
    if placesTaken < Self.suppliesMax {
      placesTaken += 1
      return true
    }
    guard let gone = supplies.firstIndex(where: { $0.hasPlace && $0.isAway }) else { return false }
    supplies[gone].losePlace()
    return true
  }

  /// Reports what has arrived. At first, a supply waits for those before it as long as a cycle
  /// does, so that several batteries become known in the order of the list, whichever answers
  /// first. A supply that is being read again waits for that reading.
  func tellArrived(at moment: Moment) {
    for supply in supplies {
      if supply.hasArrived, !supply.isAwaited {
        supply.tellArrived(at: moment)
      } else if !supply.isKnown, supply.isGathering {
        return
      }
    }
  }

  public var listening: Listening { context.readsInLoop ? .never : .answering }

  public var isGathering: Bool { supplies.contains { $0.isGathering } }

  public var shortfall: SourceFailure? {
    for supply in supplies { if let shortfall = supply.shortfall { return shortfall } }
    return nil
  }

  public var deadline: Instant? {
    var next: Instant?
    for supply in supplies { next = earliest(next, supply.deadline) }
    return next
  }

  public func deadlineReached(at moment: Moment) {
    for supply in supplies { supply.deadlineReached(at: moment) }
    tellArrived(at: moment)
  }
}

import Bytes

@testable import Sensing

/// Anything that the kernel's figures of the board itself may say: what is read of it is possible.
func fuzz(_ input: Span<UInt8>) {
  if let averages = LoadAverages(parsing: input) {
    for average in [
      averages[0], averages[1], averages[2],
    ] {
      expect("a load is not negative", average.coefficient >= 0)
      expect("a load has two decimals", average.decimals == 2)
    }
  }
  if let memory = MemoryFigures(parsing: input) {
    expect("no more is free than there is", memory.availableKibibytes <= memory.totalKibibytes)
    if let percent = memory.usedPercent {
      expect("a share is one", (0...1000).contains(percent.rounded(to: 1).coefficient))
    }
  }
  if let rank = ThermalZone.rank(ofType: input) {
    expect("a zone has a rank", (0...ThermalZone.anyRank).contains(rank))
  }
  start(input)
}

/// When the board started, told twice: the second time a moment later.
private func start(_ input: Span<UInt8>) {
  guard let running = uptime(parsing: input) else { return }
  expect("a board runs forwards", running >= .zero)
  // A hundred years: no kernel says more, and no clock shows the time before.
  guard running < .seconds(3_200_000_000) else { return }
  var start = StartTime()
  let now = WallTime(nanoseconds: 1_800_000_000_000_000_000)
  let first = start.uptimeRead(running, at: now)
  let second = start.uptimeRead(running, at: now + .seconds(1))
  expect("a start stays where it is", first == second)
  var unset = StartTime()
  expect(
    "without a clock it is not known",
    unset.uptimeRead(running, at: WallTime(nanoseconds: 0)) == .unknown)
}

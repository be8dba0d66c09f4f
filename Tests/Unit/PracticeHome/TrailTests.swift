import Testing

@testable import PracticeHome

@Suite struct TrailTests {
  private struct Step: Timed, Equatable {
    var time: Moment
    var value = 0

    init(_ second: Int, _ value: Int = 0) {
      (time, self.value) = (Moment(seconds: Int64(second)), value)
    }
  }

  private func trail(
    _ capacity: Int, _ overflow: Trail<Step>.Overflow, _ steps: [Step]
  ) -> Trail<Step> {
    var trail = Trail<Step>(capacity: capacity, overflow: overflow)
    steps.forEach { trail.insert($0) }
    return trail
  }

  private func seconds(_ trail: Trail<Step>) -> [Int64] {
    trail.elements.map { $0.time.microseconds / 1_000_000 }
  }

  @Test func whatComesLateStandsWhereItBelongs() {
    let trail = trail(10, .thinned, [Step(10), Step(30), Step(20), Step(5)])
    #expect(seconds(trail) == [5, 10, 20, 30])
  }

  @Test func whatIsDeliveredTwiceIsThereOnceAndTheLaterWordCounts() {
    let trail = trail(10, .thinned, [Step(10, 1), Step(20, 2), Step(10, 3)])
    #expect(trail.elements == [Step(10, 3), Step(20, 2)])
  }

  @Test func aLongVoyageStaysVisibleFromItsStartAndIsNeverLargerThanItMayBe() {
    let trail = trail(16, .thinned, (0..<10_000).map { Step($0) })
    #expect(trail.elements.count <= 16)
    #expect(seconds(trail).first == 0)
    #expect(seconds(trail).suffix(8) == [9992, 9993, 9994, 9995, 9996, 9997, 9998, 9999])
  }

  @Test func changesAreCutOffAtTheOldEndAndNeverThinned() {
    let trail = trail(4, .cutOff, (0..<9).map { Step($0) })
    #expect(seconds(trail) == [5, 6, 7, 8])
  }

  @Test func aValueHoldsUntilTheNextOne() {
    let trail = trail(4, .cutOff, [Step(10, 1), Step(20, 2)])
    #expect(trail.value(at: Moment(seconds: 9)) == nil)
    #expect(trail.value(at: Moment(seconds: 10))?.value == 1)
    #expect(trail.value(at: Moment(seconds: 19))?.value == 1)
    #expect(trail.value(at: Moment(seconds: 25))?.value == 2)
  }
}

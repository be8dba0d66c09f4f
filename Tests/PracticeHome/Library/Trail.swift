/// A value that was true from some time on.
protocol Timed {
  var time: Moment { get }
}

/// Values in the order of their times, at most so many.
struct Trail<Element: Timed & Sendable>: Sendable {
  /// What goes when one comes and there is no room.
  enum Overflow: Sendable {
    /// Every second one of the older half: the whole time stays visible, the past less finely.
    case thinned
    /// The oldest.
    case cutOff
  }

  let capacity: Int
  let overflow: Overflow
  private(set) var elements: [Element] = []

  /// The capacity is above 3, so that there is a half to thin.
  init(capacity: Int, overflow: Overflow) {
    precondition(capacity > 3)
    (self.capacity, self.overflow) = (capacity, overflow)
  }

  /// Puts a value where its time belongs. Of two of the same time the later word counts: what is
  /// delivered twice is there once.
  mutating func insert(_ element: Element) {
    let place = place(for: element.time)
    if place > 0, elements[place - 1].time == element.time {
      elements[place - 1] = element
      return
    }
    elements.insert(element, at: place)
    if elements.count > capacity { makeRoom() }
  }

  /// The value that was true at a time, or nil before the first one.
  func value(at time: Moment) -> Element? {
    let place = place(for: time)
    return place > 0 ? elements[place - 1] : nil
  }

  /// Behind every value that is not later.
  private func place(for time: Moment) -> Int {
    var (low, high) = (0, elements.count)
    while low < high {
      let middle = (low + high) / 2
      if elements[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private mutating func makeRoom() {
    switch overflow {
    case .cutOff: elements.removeFirst()
    case .thinned:
      let half = elements.count / 2
      let kept = elements.prefix(half).enumerated().filter { $0.offset.isMultiple(of: 2) }
      elements.replaceSubrange(0..<half, with: kept.map(\.element))
    }
  }
}

/// What waits to be taken, the oldest first.
///
/// The storage is kept: nothing is allocated while no more waits than `capacity`, provided that the
/// queue is emptied from time to time.
public struct Queue<Element> {
  private var elements: [Element] = []
  private var takenCount = 0

  /// - Parameter capacity: for how many elements storage is there from the start.
  public init(capacity: Int = 0) { elements.reserveCapacity(capacity) }

  /// Whether nothing waits.
  public var isEmpty: Bool { takenCount == elements.count }

  /// Adds an element, which waits behind all others.
  public mutating func append(_ element: Element) { elements.append(element) }

  /// The element that has waited longest; nil where none waits.
  public mutating func takeFirst() -> Element? {
    guard takenCount < elements.count else { return nil }
    defer {
      takenCount += 1
      if isEmpty {
        elements.removeAll(keepingCapacity: true)
        takenCount = 0
      }
    }
    return elements[takenCount]
  }
}

extension Queue: Sendable where Element: Sendable {}

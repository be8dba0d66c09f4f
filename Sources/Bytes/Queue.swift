/// First-in, first-out queue.
///
/// The storage is reused: nothing is allocated while at most `capacity` elements wait, if the queue
/// is emptied from time to time.
public struct Queue<Element> {
  private var elements: [Element] = []
  private var takenCount = 0

  /// - Parameter capacity: number of elements for which storage is reserved at the start.
  public init(capacity: Int = 0) { elements.reserveCapacity(capacity) }

  /// Whether the queue is empty.
  public var isEmpty: Bool { takenCount == elements.count }

  /// Adds an element at the end.
  public mutating func append(_ element: Element) { elements.append(element) }

  /// Removes and returns the oldest element; nil if the queue is empty.
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

import Bytes

/// Finds the word that the user probably meant.
public enum Suggestion {
  /// Maximum length of a word that is compared: no key or value is longer.
  private static let wordBytesMax = 32

  /// Returns the nearest word: at most two slips away, and at most half its length, since two slips
  /// turn any short word into any other.
  public static func nearest(to written: [UInt8], in words: [StaticString]) -> StaticString? {
    index(nearestTo: written, in: words.map { [UInt8]($0) }).map { words[$0] }
  }

  /// Returns the index of the nearest word, for words that are composed at run time.
  public static func index(nearestTo written: [UInt8], in words: [[UInt8]]) -> Int? {
    var nearest: (index: Int, distance: UInt8)?
    for index in words.indices {
      let candidate = words[index]
      guard written.count <= wordBytesMax, abs(written.count - candidate.count) <= 2 else {
        continue
      }
      let distance = editDistance(written.lowercasedASCII, candidate)
      guard distance <= min(2, candidate.count / 2), distance < nearest?.distance ?? 3 else {
        continue
      }
      nearest = (index, distance)
    }
    return nearest?.index
  }

  /// Returns the number of inserted, deleted, replaced or swapped letters ("optimal string
  /// alignment").
  private static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> UInt8 {
    var beforeLast: [UInt8] = []
    // The distances of words this short fit into bytes.
    var last: [UInt8] = [0]
    for _ in right { last.append(UInt8(last.count)) }
    for row in left.indices {
      var current = [UInt8(row + 1)]
      for column in right.indices {
        let isSame = left[row] == right[column]
        var distance = min(
          last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          distance = min(distance, beforeLast[column - 1] + 1)
        }
        current.append(distance)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}

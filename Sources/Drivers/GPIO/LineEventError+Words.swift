import Bytes
import Sensing

extension LineEventError {
  /// Description of the invalid event.
  var words: InlineText {
    switch self {
    case .torn: return InlineText("half an event")
    case .unknownEdge(let id):
      var text = ByteBuffer(capacity: 32)
      text.append("an edge of kind ")
      text.append(decimal: id)
      return InlineText(text.bytes)
    }
  }
}

extension Duration {
  /// Time for which the kernel may quiet a line whose levels have to last this long.
  ///
  /// The kernel counts in its own ticks, of 4 or 10 ms, so it would not keep to a shorter time; and
  /// some chips have a debouncer with a time of their own, so it cannot take the place of
  /// `Debouncer`. It keeps most of the bouncing from waking the agent.
  var quiet: Duration { self >= .milliseconds(20) ? .milliseconds(10) : .zero }
}

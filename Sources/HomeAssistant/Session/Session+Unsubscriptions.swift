extension Session {
  /// End of a subscription that nothing here waits for.
  ///
  /// Home Assistant may refuse it as unknown and then confirm the subscription: it works on several
  /// messages at a time. Such an end is sent once more, when the subscription shows.
  struct Unsubscription {
    enum State {
      case waiting
      case sent(wireID: Int64)
      case refused
      case sentAgain
    }

    let subscription: Int64
    var state = State.waiting
  }

  /// Ends an unwanted subscription; events may already be on their way.
  mutating func unsubscribe(_ wireID: Int64) {
    if let index = unsubscribed.firstIndex(where: { $0.subscription == wireID }) {
      guard case .refused = unsubscribed[index].state else { return }
      unsubscribed[index].state = .sentAgain
    } else {
      if unsubscribed.count == Self.unsubscribedMax { unsubscribed.removeFirst() }
      unsubscribed.append(Unsubscription(subscription: wireID))
    }
    enqueue(.unsubscribe(wireID: wireID))
  }

  /// Notes the number of the message that ends a subscription; a second one has no successor.
  mutating func unsubscriptionSent(of subscription: Int64, as wireID: Int64) {
    for index in unsubscribed.indices where unsubscribed[index].subscription == subscription {
      if case .waiting = unsubscribed[index].state {
        unsubscribed[index].state = .sent(wireID: wireID)
      }
    }
  }

  /// Handles the refusal of an unsubscription, or the late confirmation of its subscription.
  mutating func resultWithoutEntryReceived(_ wireID: Int64, isSuccess: Bool) {
    for index in unsubscribed.indices {
      switch unsubscribed[index].state {
      case .sent(wireID) where !isSuccess: unsubscribed[index].state = .refused
      case .refused where isSuccess && unsubscribed[index].subscription == wireID:
        unsubscribe(wireID)
      default: break
      }
    }
  }
}

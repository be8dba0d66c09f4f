/// The thread of an `AsyncClient`: it runs the jobs of the actor one after the other, and whatever
/// carries the client's bytes, until it is stopped.
protocol LoopExecutor: SerialExecutor {
  /// Ends the thread when the jobs that wait are done.
  func stop()
}

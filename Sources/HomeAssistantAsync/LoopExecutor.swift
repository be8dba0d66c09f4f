/// Thread of an `AsyncClient`: it runs the jobs of the actor one after the other, and the transport
/// of the client's bytes, until it is stopped.
protocol LoopExecutor: SerialExecutor {
  /// Ends the thread after its waiting jobs.
  func stop()
}

import CCurl

/// Where a transfer that has no answer came to its end, for advice on what to do.
public enum TransferFault: Sendable {
  /// The name of the server is not known.
  case name
  /// The server, or the way to it, takes no connection.
  case connection
  /// It took too long.
  case timeout
  /// A `ConnectionFlaw`, or something else.
  case other

  init(_ result: CURLcode) {
    switch result {
    case CURLE_COULDNT_RESOLVE_HOST: self = .name
    case CURLE_COULDNT_CONNECT: self = .connection
    case CURLE_OPERATION_TIMEDOUT: self = .timeout
    default: self = .other
    }
  }
}

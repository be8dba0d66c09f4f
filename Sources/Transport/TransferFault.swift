import CCurl

/// Where a transfer that has no answer came to its end, for advice on what to do.
public enum TransferFault: Sendable {
  /// The name of the server is not known.
  case name
  /// The server, or the way to it, takes no connection.
  case connection
  /// It took too long.
  case timeout
  /// The server does not speak TLS, or not with us.
  case handshake
  /// No authority that is believed vouches for the server, or it is another one.
  case certificate
  case other

  init(_ result: CURLcode) {
    switch result {
    case CURLE_COULDNT_RESOLVE_HOST: self = .name
    case CURLE_COULDNT_CONNECT: self = .connection
    case CURLE_OPERATION_TIMEDOUT: self = .timeout
    case CURLE_SSL_CONNECT_ERROR: self = .handshake
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_PINNEDPUBKEYNOTMATCH: self = .certificate
    default: self = .other
    }
  }
}

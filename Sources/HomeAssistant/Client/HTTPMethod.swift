/// What an HTTP request wants done (RFC 9110, section 9; PATCH is RFC 5789).
public enum HTTPMethod: Sendable { case get, post, put, patch, delete, head, options }

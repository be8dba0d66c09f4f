// One import for a program that uses the client: what the client's signatures name comes with it.
@_exported public import Bytes
@_exported public import HomeAssistant
@_exported public import Transport

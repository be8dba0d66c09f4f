// A program needs one import for the client: it includes the types of the client's signatures.
@_exported public import Bytes
@_exported public import HomeAssistant
@_exported public import HomeAssistantClient
@_exported public import Transport

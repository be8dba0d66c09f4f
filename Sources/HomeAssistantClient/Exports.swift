// A program needs one import for the client: it includes the types of its signatures.
@_exported public import HomeAssistant

//! MCP over HTTP: the requests we send, JSON-RPC, the event-stream reader, eras and versions, the OAuth front door.

//! The native vantage: probes MCP endpoints and posts votes to the Worker.
fn main() {}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// An address on which a client process of the host listens: `127.0.0.1:9750`, `[::1]:9750`, or a port of the loopback
/// interface.
package struct ListenAddress: Hashable, Sendable {
    /// The address without brackets; a host name is resolved when the listener starts.
    package let host: String
    /// The port; 0 for any free port.
    package let port: Int

    /// Whether the address is one of the usual names of the loopback interface.
    package var isLoopback: Bool { ["127.0.0.1", "::1", "localhost"].contains(host) }

    /// Creates an address from its text; nil for malformed text. Text without an address means 127.0.0.1.
    package init?(_ text: String) {
        let colon = text.lastIndex(of: ":")
        let address = colon.map { text[..<$0] } ?? ""
        let port = colon.map { text[text.index(after: $0)...] } ?? text[...]
        guard let number = UInt16(port), !port.hasPrefix("+") else { return nil }
        if address.hasPrefix("["), address.hasSuffix("]"), address.count > 2 {
            host = String(address.dropFirst().dropLast())
        } else if !address.contains(where: { $0 == ":" || $0 == "[" || $0 == "]" || $0 == "/" || $0 == " " }) {
            host = address.isEmpty ? "127.0.0.1" : String(address)
        } else {
            return nil
        }
        self.port = Int(number)
    }

    /// A port of 127.0.0.1.
    package static func loopback(port: UInt16) -> Self { Self(host: "127.0.0.1", port: Int(port)) }

    private init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    package static let rule = "write ADDRESS:PORT, such as 127.0.0.1:9750 or [::1]:9750, or only a port"
}

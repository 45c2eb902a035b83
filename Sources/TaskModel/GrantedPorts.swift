// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The TCP ports to which a limit narrows the grant of the network.
package struct GrantedPorts: Hashable, Sendable {
    /// Ports to which a plugin may connect, at every address.
    package let connect: [Int]
    /// Ports at which a plugin may accept connections.
    package let listen: [Int]

    package init(connect: [Int], listen: [Int]) {
        self.connect = connect
        self.listen = listen
    }

    package var isEmpty: Bool { connect.isEmpty && listen.isEmpty }

    /// The ports that are also in `others`, separately for connecting and for listening.
    func intersection(_ others: GrantedPorts) -> GrantedPorts {
        GrantedPorts(
            connect: connect.filter(others.connect.contains),
            listen: listen.filter(others.listen.contains)
        )
    }

    /// The ports one by one, such as `connect 443`.
    package var phrases: [String] { connect.map { "connect \($0)" } + listen.map { "listen \($0)" } }

    /// The ports in the notation of the configuration.
    package var text: String {
        let lists = [("connect", connect), ("listen", listen)].filter { !$0.1.isEmpty }.map { name, ports in
            "\(name): [\(ports.map(String.init).joined(separator: ", "))]"
        }
        return lists.isEmpty ? "{}" : "{ \(lists.joined(separator: ", ")) }"
    }
}

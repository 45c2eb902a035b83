// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The machine's links and default routes, and whether they provide a network.
struct NetworkReading: Equatable {
    struct Link: Equatable {
        let index: UInt32
        let name: String
        /// Whether the link is administratively up.
        let isUp: Bool
        /// Whether the link has a carrier, or is of a kind without carriers.
        let isRunning: Bool
        let isLoopback: Bool

        var carries: Bool { isUp && isRunning && !isLoopback }
    }

    struct DefaultRoute: Hashable {
        /// Index of the link that the route uses; nil when the kernel reports none.
        let link: UInt32?
    }

    var links: [Link] = []
    var routes: [DefaultRoute] = []

    /// Whether a default route uses a link that carries packets.
    var hasNetwork: Bool { carrier != nil }

    var words: String {
        if let carrier { return "default route by \(carrier.name), which is up" }
        if routes.isEmpty { return "no default route" }
        let names = routedLinks.filter { !$0.isLoopback }.map(\.name).sorted()
        if names.isEmpty { return "a default route exists, but uses no link except loopback" }
        let state = names.count == 1 ? "which is down or has no carrier" : "which are down or have no carrier"
        return "default route by \(names.joined(separator: ", ")), \(state)"
    }

    private var carrier: Link? { routedLinks.first(where: \.carries) }

    private var routedLinks: [Link] {
        let indices = Set(routes.compactMap(\.link))
        let isByAny = routes.contains { $0.link == nil }
        return links.filter { isByAny || indices.contains($0.index) }
    }
}

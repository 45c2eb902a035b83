// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The machine's links and where its packets go by default. Judges; asks nobody.
struct NetworkReading: Equatable {
    struct Link: Equatable {
        let index: UInt32
        let name: String
        /// Switched on by whoever configures it.
        let isUp: Bool
        /// There is a carrier, or the kind of link has none.
        let isRunning: Bool
        let isLoopback: Bool

        var carries: Bool { isUp && isRunning && !isLoopback }
    }

    struct DefaultRoute: Hashable {
        /// Nil where the kernel names no link.
        let link: UInt32?
    }

    var links: [Link] = []
    var routes: [DefaultRoute] = []

    /// A link that carries, and a default route by it.
    var hasNetwork: Bool { carrier != nil }

    var words: String {
        if let carrier { return "default route by \(carrier.name), which is up" }
        if routes.isEmpty { return "no default route" }
        let names = routedLinks.filter { !$0.isLoopback }.map(\.name).sorted()
        return names.isEmpty ? "no link that is up" : "default route by \(names.joined(separator: ", ")), not running"
    }

    private var carrier: Link? { routedLinks.first(where: \.carries) }

    private var routedLinks: [Link] {
        let indices = Set(routes.compactMap(\.link))
        let isByAny = routes.contains { $0.link == nil }
        return links.filter { isByAny || indices.contains($0.index) }
    }
}

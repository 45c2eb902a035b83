// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlClient

/// The `--watch` option of lists.
struct WatchOption: ParsableArguments {
    @Flag(help: "Print the list again after each change, until Ctrl-C; with JSON, print each changed row.")
    var watch = false

    /// Time between two calls.
    static let interval = Duration.seconds(2)

    /// Prints a list once, or after each change.
    ///
    /// - Parameters:
    ///   - limit: maximum number of rows; nil for all.
    ///   - fetch: the call that returns the list.
    func show<List: ListReply>(
        with list: ListOptions,
        from host: HostOptions,
        limit: Int? = nil,
        fetch: @escaping @Sendable (ControlClient) async throws -> List
    ) async throws {
        // An unknown key is refused before the first call.
        _ = try list.key(of: List.self)
        guard watch else { return try list.show(try await host.connected(fetch), limit: limit) }
        try await host.connected { client in
            try await Interruptible.run {
                var watched = WatchedList(list)
                while true {
                    try watched.show(try list.arranged(try await fetch(client), limit: limit).list)
                    try await CommandContext.current.pause(Self.interval)
                }
            }
        }
    }
}

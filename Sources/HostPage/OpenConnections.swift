// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Synchronization

/// The Swift tasks that serve connections. Each connection has one at once, also while the server ends: NIO ends the
/// process for a connection that is never served.
final class OpenConnections: Sendable {
    typealias Note = @Sendable () -> Void

    private struct Connection {
        let close: @Sendable () -> Void
        /// Serves the connection; nil until it has started.
        var task: Task<Void, Never>?
    }

    private struct State {
        var table: ConnectionTable
        var connections: [Int: Connection] = [:]
        var isEnding = false
    }

    private let state: Mutex<State>

    init(_ limit: Int) { state = Mutex(State(table: ConnectionTable(limit))) }

    /// Adds a connection, and closes another one when the table says so. Returns its number; nil for a connection above
    /// the limit.
    func add(close: @escaping @Sendable () -> Void) -> Int? {
        let (number, closing) = state.withLock { state -> (Int?, Connection?) in
            guard let opening = state.table.open() else { return (nil, nil) }
            state.connections[opening.number] = Connection(close: close)
            return (opening.number, opening.closing.flatMap { state.connections[$0] })
        }
        closing?.task?.cancel()
        closing?.close()
        return number
    }

    /// Starts to serve an added connection; `serve` gets a function that notes a call with the token.
    func start(_ number: Int, _ serve: @escaping @Sendable (_ noteToken: @escaping Note) async -> Void) {
        state.withLock { state in
            let task = Task {
                await serve { self.state.withLock { $0.table.noteToken(number) } }
                self.remove(number)
            }
            state.connections[number]?.task = task
            if state.isEnding { task.cancel() }
        }
    }

    func remove(_ number: Int) {
        state.withLock { state in
            state.table.close(number)
            state.connections[number] = nil
        }
    }

    /// Ends all connections, and returns after their end.
    func end() async {
        let connections = state.withLock { state in
            state.isEnding = true
            return Array(state.connections.values)
        }
        for connection in connections { connection.task?.cancel() }
        for connection in connections { await connection.task?.value }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
package import ControlClient
import TaskModel
import TerminalText

/// Takes snapshots of a host repeatedly, and shows them until the user ends the session.
package struct WatchSession: Sendable {
    private let client: ControlClient
    private let interval: Duration
    private let remedy: @Sendable (ControlError) -> String
    private let context: MonitorContext

    private enum News: Sendable {
        case sampled(Result<HostSnapshot, ControlError>)
        case screen(Screen.Event)
        case interrupted
    }

    /// Minimum time between two snapshots, which limits flicker and the load on the host.
    private static let minimumInterval = Duration.milliseconds(50)
    /// Maximum delay between the end of the journal stream and the next call that follows the journal.
    private static let longestReconnectDelay = Duration.seconds(1)

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - interval: time between two snapshots while no entry is added to the journal.
    ///   - remedy: returns the remedy for a failed snapshot; empty when the error's description contains it.
    package init(
        client: ControlClient,
        interval: Duration,
        context: MonitorContext,
        remedy: @escaping @Sendable (ControlError) -> String
    ) {
        self.client = client
        self.interval = interval
        self.remedy = remedy
        self.context = context
    }

    /// Shows snapshots until the user ends the session.
    ///
    /// - Parameter display: restored to its earlier state at the end, also after an error.
    package func run(from first: HostSnapshot, on display: inout WatchDisplay) async throws {
        let (news, teller) = AsyncStream.makeStream(of: News.self)
        let (nudges, nudge) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (interruptions, screenEvents) = (context.interruptions(), display.screen?.events())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in interruptions { teller.yield(.interrupted) } }
            group.addTask { await sample(upon: nudges, teller) }
            group.addTask { try await repeatedly { nudge.yield() } }
            group.addTask { try await follow(from: first.journal.last) { nudge.yield() } }
            if let screenEvents {
                group.addTask { for await event in screenEvents { teller.yield(.screen(event)) } }
            }
            defer { group.cancelAll() }
            try await show(news, from: first, on: &display)
        }
    }

    private func show(
        _ news: AsyncStream<News>,
        from first: HostSnapshot,
        on display: inout WatchDisplay
    ) async throws {
        var host = WatchedHost.present(first)
        defer { display.close() }
        try display.open()
        try display.show(host)
        for await piece in news {
            switch piece {
            case .sampled(.success(let snapshot)): host = .present(snapshot)
            case .sampled(.failure(let error)): host = absent(host, error)
            case .screen(.resized): break
            case .screen(.suspended): try display.suspend()
            case .screen(.left), .interrupted: return
            }
            try display.show(host)
        }
    }

    private func absent(_ host: WatchedHost, _ error: ControlError) -> WatchedHost {
        host.absent(at: context.reader().now, problem: error.description, remedy: remedy(error))
    }

    // MARK: Causes of a snapshot

    private func sample(upon nudges: AsyncStream<Void>, _ teller: AsyncStream<News>.Continuation) async {
        for await _ in nudges {
            do throws(ControlError) {
                let snapshot = try await HostSnapshot.take(from: client, at: context.reader().now)
                teller.yield(.sampled(.success(snapshot)))
            } catch {
                teller.yield(.sampled(.failure(error)))
            }
            try? await Task.sleep(for: Self.minimumInterval)
        }
    }

    private func repeatedly(_ nudge: () -> Void) async throws {
        while true {
            try await Task.sleep(for: interval)
            nudge()
        }
    }

    /// Follows the journal, and requests a snapshot for each new entry, and when the stream begins and ends. Reconnects
    /// without a limit, because another host may have been started.
    private func follow(from number: Int64, _ nudge: () -> Void) async throws {
        var last = number
        while true {
            do throws(ControlError) {
                let feed = try await client.followJournal(after: last)
                nudge()
                for try await line in feed {
                    last = line.number
                    nudge()
                }
            } catch {
                // The next snapshot reports the error.
            }
            nudge()
            try await Task.sleep(for: min(interval, Self.longestReconnectDelay))
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
package import Fleet
package import FleetDatabase
import LinuxSystem
import TaskModel

/// A feeder of one host: performs the actions of `FeederCore` at the host and in the database, one at a time.
package struct Feeder {
    private var core: FeederCore
    private let host: FeederHost
    private let queue: FeederQueue
    private let report: @Sendable (String) -> Void
    /// The last failure, which is reported when it begins, and not again while it lasts.
    private var failure: String?
    private var capacity = CapacityBody(plugins: [])
    private var open = LeaseBody(acknowledged: 0, claims: [])
    /// A wait that is at least this long closes the connection to the database.
    private static let connectedWait = Duration.seconds(5)
    /// The poll interval for new journal entries during a wait.
    private static let pollInterval = Duration.seconds(2)

    package init(
        settings: FeederSettings,
        host: FeederHost,
        database: FleetDatabase,
        report: @escaping @Sendable (String) -> Void
    ) {
        core = FeederCore(settings: settings, generator: SeededGenerator(seed: .random(in: 0...UInt64.max)))
        self.host = host
        queue = FeederQueue(database, settings)
        self.report = report
    }

    /// Runs until the task is cancelled.
    ///
    /// - Throws: `DatabaseFailure` when a newer feeder of the host has begun, when the host is not enrolled, or when it
    ///   is not in a chosen group.
    package mutating func run() async throws {
        var action = core.handle(.started, at: .now)
        while !Task.isCancelled {
            let input: FeederInput
            do {
                input = try await perform(action)
                if failure != nil, case .leaseSet = input {
                    failure = nil
                    report("the feeder has contact with the host and the fleet again")
                }
            } catch let error as DatabaseFailure {
                if error.isLasting { throw error }
                note(error.description)
                input = .databaseFailed
            } catch is CancellationError {
                return
            } catch {
                note("\(error)")
                input = .hostFailed
            }
            action = core.handle(input, at: .now)
        }
    }

    private mutating func note(_ message: String) {
        if failure != message { report(message) }
        failure = message
    }

    private mutating func perform(_ action: FeederAction) async throws -> FeederInput {
        switch action {
        case .readOpenClaims:
            open = try await host.openClaims()
            return .openClaims(try open.claims.map(OpenClaim.init), acknowledged: open.acknowledged ?? 0)
        case .readJournal(let number, let limit):
            return .journal(try await host.journal(after: number, limit: limit))
        case .readCapacity:
            capacity = try await host.capacity()
            return .capacity(HostCapacity(capacity))
        case .setLease(let end, let acknowledged):
            try await host.setLease(trustedUntil: end, acknowledged: acknowledged)
            return .leaseSet
        case .submit(let items): return .submitted(try await host.submit(items))
        case .cancel(let claims):
            for claim in claims { if let key = core.open[claim] { try await host.cancel(claim, of: key.identifier) } }
            return .cancelled
        case .sync: return .synced(try await queue.sync(capacity, open))
        case .join(let slots):
            try await queue.join(slots)
            return .joined
        case .claim(let request): return .claimed(try await queue.claim(request))
        case .report(let reports): return .reported(try await queue.report(reports))
        case .wait(let end, let isWokenByJournal):
            try await wait(until: end, isWokenByJournal: isWokenByJournal)
            return .woke
        }
    }

    /// Waits until the time, or until the host's journal has a new entry with a claim.
    private func wait(until end: BootTime, isWokenByJournal: Bool) async throws {
        if end - .now >= Self.connectedWait { await queue.disconnect() }
        while end > .now {
            try await Task.sleep(for: min(Self.pollInterval, end - .now))
            guard isWokenByJournal else { continue }
            // While the host does not answer, the wait lasts until its end.
            let news = try? await host.journal(after: core.acknowledged, limit: 1)
            if news?.isEmpty == false { return }
        }
    }
}

extension OpenClaim {
    init(_ open: LeaseBody.Open) throws {
        let plugin = try PluginIdentifier(validating: open.plugin)
        let key = FleetItem.Key(plugin: plugin, identifier: try TaskIdentifier(validating: open.identifier))
        self.init(claim: open.claim, key: key)
    }
}

extension HostCapacity {
    init(_ body: CapacityBody) {
        let entries = body.plugins.compactMap { plugin -> Entry? in
            guard let identifier = try? PluginIdentifier(validating: plugin.identifier) else { return nil }
            let known = FleetPlugin(identifier: identifier, version: plugin.version, digest: plugin.digest ?? "")
            return Entry(plugin: known, free: plugin.ready ? plugin.free : 0)
        }
        self.init(plugins: entries)
    }
}

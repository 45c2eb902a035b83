// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The reason why a test cannot continue. `HostFixture.with` adds the journal and the log of the host.
package struct HostFailure: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Runs `body` with a time limit that only a fault exceeds. Throws `HostFailure` at the limit.
package func withDeadline<Result: Sendable>(
    _ limit: Duration = .seconds(60),
    waitingFor purpose: String,
    _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw HostFailure("waited \(limit) in vain for \(purpose)")
        }
        defer { group.cancelAll() }
        guard let first = try await group.next() else { throw CancellationError() }
        return first
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ServiceLifecycle

extension Service {
    /// Runs `body`, and cancels it when the host stops: this cancellation is the regular end of the service, not an
    /// error.
    func runUntilShutdown(_ body: @Sendable @escaping () async throws -> Void) async throws {
        do {
            try await cancelWhenGracefulShutdown(body)
        } catch is CancellationError {
            // The host is stopping.
        }
    }
}

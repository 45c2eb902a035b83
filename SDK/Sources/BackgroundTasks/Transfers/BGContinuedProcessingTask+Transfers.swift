// Part of bgtask, under the Apache License 2.0; see LICENSE.

extension BGContinuedProcessingTask {
    /// Time between two reads of the shown transfer: that of the reports of a running one.
    private static let readInterval: Duration = .seconds(1)

    /// Shows a transfer as the progress of the task, in bytes, and waits for its end.
    ///
    /// As with all progress, the task expires when the bytes do not grow for the stall limit of the host, for example
    /// while the transfer waits for the network. The transfer itself goes on then.
    ///
    /// - Parameter transfer: a transfer that has begun.
    /// - Returns: the ended transfer; nil when the host has forgotten it, because the event about its session was
    ///   handled.
    /// - Throws: ``BGTaskScheduler/Error`` when the host cannot read the transfer, and `CancellationError` when the
    ///   Swift task is cancelled.
    @discardableResult
    public func show(_ transfer: BackgroundTransferTask) async throws -> BackgroundTransferTask? {
        while let newest = try await transfer.newest() {
            note(newest)
            if newest.state.isEnded { return newest }
            try await Task.sleep(for: Self.readInterval)
        }
        return nil
    }

    private func note(_ transfer: BackgroundTransferTask) {
        let bytes = transfer.countOfBytesTransferred
        let isWhole = transfer.countOfBytesExpected == 0 && transfer.state == .finished
        progress.totalUnitCount = isWhole ? bytes : transfer.countOfBytesExpected
        progress.completedUnitCount = bytes
    }
}

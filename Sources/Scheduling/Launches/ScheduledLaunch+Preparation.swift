// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// A launch before its batch is formed.
extension ScheduledLaunch {
    /// The data of a launch whose batch is not formed yet.
    ///
    /// A launch may be prepared while the submission that causes it is in flight. Its runner is then started, and
    /// enters its sandbox, during the commit of the request. The batch is formed after the commit.
    struct Preparation: Sendable {
        /// The submissions in flight that the batch waits for; empty when the launch was not prepared for one.
        private(set) var awaited: Set<ChangeNumber> = []
        /// Whether the result of one of these submissions is known. Later ones do not delay the batch.
        private var hasResult = false
        /// The runner, which is ready before the batch is formed and was sent its confinement; nil without one.
        var runner: ConfinedRunner?

        init(for change: ChangeNumber?) { if let change { awaited = [change] } }

        /// Lets the batch wait for a submission in flight, unless it waits for none or the first result is known.
        mutating func join(_ change: ChangeNumber) {
            if !awaited.isEmpty, !hasResult { awaited.insert(change) }
        }

        /// Notes the result of a submission. Returns whether it was the last one that the batch waited for.
        mutating func settle(_ change: ChangeNumber) -> Bool {
            guard awaited.remove(change) != nil else { return false }
            hasResult = true
            return awaited.isEmpty
        }
    }

    /// A runner that enters its sandbox while its launch has no batch.
    struct ConfinedRunner: Sendable {
        let process: RunnerProcess
        private let sharedEntry: Shared<PluginEntry>
        /// The end of the process, if it ended before the batch was formed; nil while it runs.
        var end: ProcessEnd?
        /// The first failure outside of the plugin that was reported before the batch was formed; nil without one.
        private(set) var failure: String?

        init(process: RunnerProcess, entry: PluginEntry) {
            self.process = process
            sharedEntry = Shared(entry)
        }

        /// The entry of the plugin from which the sandbox was decided.
        var entry: PluginEntry { sharedEntry.value }

        mutating func noteFailure(_ message: String) { failure = failure ?? message }
    }

    /// The preparation of a launch in the phase `preparing`; nil in other phases.
    var preparation: Preparation? { if case .preparing(let preparation) = phase { preparation } else { nil } }

    /// Changes the preparation in place, and returns the result of `body`; nil in other phases than `preparing`.
    @discardableResult
    mutating func withPreparation<Result>(_ body: (inout Preparation) -> Result) -> Result? {
        guard case .preparing(var preparation) = phase else { return nil }
        phase = .ended
        defer { phase = .preparing(preparation) }
        return body(&preparation)
    }
}

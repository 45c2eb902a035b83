// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginLaunch
import RunnerWire
import TaskModel

// The plan of the launch, and the message of its failure.
extension FunctionTrial {
    func plan(
        from start: MonotonicTime,
        _ identity: FileIdentity
    ) -> RunnerPlan {
        RunnerPlan(
            launch: Self.launch,
            plugin: FunctionTrial.plugin,
            role: .main,
            lane: .background,
            cause: .user,
            libraryPath: library,
            libraryIdentity: identity,
            permitted: [.exact(handler.identifier)],
            modes: [.processing],
            settings: settings,
            handlers: [handler],
            supportedResources: [],
            hostVersion: Release.version,
            deadline: start + budget,
            entryDeadline: start + budget,
            gracePeriod: gracePeriod,
            tasks: [
                RunnerPlan.Task(
                    id: Self.task,
                    kind: .processing,
                    event: nil,
                    identifier: handler.identifier.text,
                    submission: SubmissionNumber(rawValue: 1),
                    attempts: 0,
                    payload: payload
                )
            ]
        )
    }

    func failure(_ end: RunnerEnd) -> FunctionTrialError {
        let function = "\(handler.signature) of \(library)"
        if end.wasKilled {
            let remedy =
                handler.hasCancelFlag
                ? "check the cancel flag more often in the function, or allow more time with --budget"
                : "pass a cancel-flag if the function takes one, or allow more time with --budget"
            let limits = "\(budget.humanReadable) and a grace period of \(gracePeriod.humanReadable)"
            return FunctionTrialError(
                "\(function) did not return within \(limits); its runner was killed",
                remedy: remedy
            )
        }
        let ending = end.lastWords.map { signalName($0.signal) } ?? end.termination.words
        return FunctionTrialError(
            "the runner of \(function) ended without a result: \(ending)",
            remedy: "compare the signature with the library's header, or debug the function and the library's"
                + " constructors; only this runner was affected"
        )
    }
}

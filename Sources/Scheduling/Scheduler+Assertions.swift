// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Background assertions, which keep a launch open beyond its last task, never beyond its deadline (statements 81 to
// 83).
extension Scheduler {
    mutating func assertionBegan(_ number: LaunchNumber, _ id: AssertionID, named name: String, at now: Moment) {
        guard let plugin = launches.listening(number)?.plan.plugin.identifier else { return }
        if let problem = launches.execute(number, { $0.assertions.begin(id, named: name, in: number) }) ?? nil {
            return note(number, rule: "BGT-ABI-08", message: "\(plugin) \(problem)", at: now)
        }
        // If its assertions have already expired, the new one is included and has the same kill time.
        toEnforceAnew.insert(number)
    }

    mutating func assertionEnded(_ number: LaunchNumber, _ id: AssertionID, at now: Moment) {
        guard let plugin = launches.listening(number)?.plan.plugin.identifier else { return }
        guard launches.execute(number, { $0.assertions.end(id) }) == true else {
            let message =
                "\(plugin) ended assertion \(id), which is not open in launch \(number);"
                + " end each assertion once"
            return note(number, rule: "BGT-ABI-08", message: message, at: now)
        }
        finishIfDone(number, at: now)
        toEnforceAnew.insert(number)
    }

    /// Expires the assertions of a launch whose tasks have all ended or expired. Happens once; assertions that begin
    /// later are expired as well.
    mutating func expireAssertions(
        of number: LaunchNumber,
        because reason: ExpirationReason,
        killAt: MonotonicTime
    ) {
        guard let execution = launches.find(number)?.execution, execution.assertions.expiration == nil,
            execution.isToldToStop
        else { return }
        launches.execute(number) { $0.assertions.expiration = (reason, killAt) }
        emit(.expireAssertions(number, reason))
        toEnforceAnew.insert(number)
    }

    /// Expires the assertions of a launch after the end of a task, if all remaining tasks were expired before.
    mutating func expireAssertionsWithTheRest(of number: LaunchNumber) {
        guard let execution = launches.find(number)?.execution else { return }
        let told = execution.unfinished.compactMap { execution.tasks[$0].expiration }
        guard let last = told.max(by: { $0.killAt < $1.killAt }) else { return }
        expireAssertions(of: number, because: last.reason, killAt: last.killAt)
    }
}

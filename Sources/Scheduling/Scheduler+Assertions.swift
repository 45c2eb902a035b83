// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Background assertions, which keep a launch open beyond its last task, never beyond its deadline (statements 81 to
// 83).
extension Scheduler {
    mutating func assertionBegan(_ number: LaunchNumber, _ id: AssertionID, named name: String, at now: Moment) {
        guard let plugin = launches.listening(number)?.plan.plugin.identifier else { return }
        if let problem = launches.execute(number, { $0.assertions.begin(id, named: name, in: number) }) ?? nil {
            return noteForged(number, rule: .numbers, message: "\(plugin) \(problem); \(Self.isIgnored)", at: now)
        }
        // If its assertions have already expired, the new one is included and has the same kill time.
        toEnforceAnew.insert(number)
    }

    mutating func assertionEnded(_ number: LaunchNumber, _ id: AssertionID, at now: Moment) {
        guard let plugin = launches.listening(number)?.plan.plugin.identifier else { return }
        guard launches.execute(number, { $0.assertions.end(id) }) == true else {
            let message = "\(plugin) ended assertion \(id), which is not open in launch \(number); \(Self.isIgnored)"
            return noteForged(number, rule: .numbers, message: message, at: now)
        }
        stopIfDone(number, at: now)
        toEnforceAnew.insert(number)
    }

    /// Expires the assertions of a launch whose tasks have all ended or expired. The assertions of a launch expire
    /// once; an assertion that begins later counts as expired as well.
    mutating func expireAssertions(
        of number: LaunchNumber,
        because reason: ExpirationReason,
        killTime: MonotonicTime
    ) {
        guard let execution = launches.find(number)?.execution, execution.assertions.expiration == nil,
            execution.isExpired
        else { return }
        launches.execute(number) { $0.assertions.expiration = (reason, killTime) }
        emit(.expireAssertions(number, reason))
        toEnforceAnew.insert(number)
    }

    /// Expires the assertions of a launch after the end of a task, if tasks remain and all of them were expired before.
    mutating func expireAssertionsWithTheRest(of number: LaunchNumber) {
        guard let execution = launches.find(number)?.execution else { return }
        let expirations = execution.unfinished.compactMap { execution.tasks[$0].expiration }
        guard let last = expirations.max(by: { $0.killTime < $1.killTime }) else { return }
        expireAssertions(of: number, because: last.reason, killTime: last.killTime)
    }
}

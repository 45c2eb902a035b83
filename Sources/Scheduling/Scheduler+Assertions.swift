// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// What keeps a launch open beyond its last task, never beyond its deadline (statements 81 to 83).
extension Scheduler {
    mutating func assertionBegan(_ number: LaunchNumber, _ id: AssertionID, named name: String, at now: Moment) {
        guard isListening(to: number), let launch = launches[number] else { return }
        if let problem = launches[number]?.assertions.begin(id, named: name, in: number) {
            return note(number, rule: "BGT-ABI-08", at: now, message: "\(launch.plugin) \(problem)")
        }
        // Begun while the word that nothing may go on was on its way: told by that word, and as overdue as the others.
        setAlarm(of: number)
    }

    mutating func assertionEnded(_ number: LaunchNumber, _ id: AssertionID, at now: Moment) {
        guard isListening(to: number), let launch = launches[number] else { return }
        guard launches[number]?.assertions.end(id) == true else {
            return note(
                number,
                rule: "BGT-ABI-08",
                at: now,
                message: "\(launch.plugin) ended assertion \(id), which is not open in launch \(number);"
                    + " end each that was begun once"
            )
        }
        finishIfDone(number, at: now)
    }

    /// A launch none of whose tasks may go on is at its end: what keeps it open is told once, and none may begin.
    mutating func expireAssertions(
        of number: LaunchNumber,
        because reason: ExpirationReason,
        killAt: MonotonicTime
    ) {
        guard let launch = launches[number], launch.assertions.expiration == nil, launch.isToldToStop else { return }
        launches[number]?.assertions.expiration = (reason, killAt)
        emit(.expireAssertions(number, reason))
        setAlarm(of: number)
    }

    /// A task is over: when those that are left were told to stop before, nothing may go on from here.
    mutating func expireAssertionsWithTheRest(of number: LaunchNumber) {
        guard let launch = launches[number] else { return }
        let told = launch.unfinished.compactMap { launch.tasks[$0].expiration }
        guard let last = told.max(by: { $0.killAt < $1.killAt }) else { return }
        expireAssertions(of: number, because: last.reason, killAt: last.killAt)
    }
}

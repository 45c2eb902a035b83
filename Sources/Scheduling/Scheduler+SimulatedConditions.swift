// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Journal entries about the conditions that users simulate. They are entries about the host.
extension Scheduler {
    /// Journals a change of the simulated conditions. A call that changes none has no entry.
    mutating func noteSimulated(_ new: ScriptedConditions, at now: Moment) {
        guard let changes = new.changes(from: simulated) else { return }
        simulated = new
        let message = new.description.map { "changed: \(changes); simulated now: \($0)" }
        noteSimulation(message ?? "changed: \(changes); no condition is simulated", at: now)
    }

    /// Journals that the simulated conditions end with this host; no entry when none is simulated.
    mutating func noteEndOfSimulation(at now: Moment) {
        guard let values = simulated.description else { return }
        simulated = ScriptedConditions()
        noteSimulation("the host stops; simulated until now: \(values)", at: now)
    }

    private mutating func noteSimulation(_ message: String, at now: Moment) {
        let event = simulated.isEmpty ? JournalEntry.Event.simulationEnded : .conditionsSimulated
        note(JournalEntry(at: now.wall, event: event, plugin: nil, blame: .nobody, message: message))
    }
}

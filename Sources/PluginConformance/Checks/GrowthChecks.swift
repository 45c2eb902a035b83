// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginTrial
import RunnerWire
import TaskModel

extension ConformanceCheck {
    /// Checks with a runner that imitates other hosts: of a later minor version, with later numbers, or without
    /// optional features.
    static let growthChecks = [hostLater, numbersLater, featuresWithheld]

    private static let hostLater = ConformanceCheck(
        "host-later",
        level: 3,
        rule: .abi(.growingStructs),
        "tasks and events are completed on a host of the next minor version, with longer tables and structs",
        remedy: "accept every size and minor of the host that is not smaller than the header's, and ignore the rest",
        needs: orderly + ["event-each"],
        trials: { .scripts(batches($0, on: .laterMinor)) }
    ) { logs, plugin in zip(logs, batches(plugin, on: .laterMinor)).flatMap { $0.disorder($1) } }

    private static let numbersLater = ConformanceCheck(
        "numbers-later",
        level: 3,
        rule: .abi(.statuses),
        "tasks and events are completed when refusals and expirations carry numbers that the header does not define",
        remedy: "treat an unknown status as a failure, and an unknown reason like none; end each switch with a default",
        needs: orderly + ["submit-refused", "expire-late"],
        trials: { .scripts(unknownNumbers($0)) }
    ) { logs, plugin in zip(logs, unknownNumbers(plugin)).flatMap { $0.disorder($1) } }

    private static let featuresWithheld = ConformanceCheck(
        "features-withheld",
        level: 3,
        rule: .abi(.optionalFeatures),
        "the launch ends in order on a host without optional features",
        remedy: "compare the result of query with NULL before its use; entry may fail without the feature",
        needs: orderly + ["event-each"],
        trials: { .scripts(batches($0, on: .noFeatures)) }
    ) { logs, plugin in zip(logs, batches(plugin, on: .noFeatures)).flatMap { $0.disorder($1, mayRefuse: true) } }

    /// The standard batch and every event.
    private static func batches(_ plugin: ConformancePlugin, on imitation: ImitatedHost) -> [TrialScript] {
        ([plugin.standard] + plugin.events.filter { $0 != plugin.standard }).map { script in
            var script = script
            script.imitation = imitation
            return script
        }
    }

    /// Scripts with numbers that the header does not define, as statuses and reasons: the standard batch and every
    /// event with refused submissions, and each task with an expiration.
    private static func unknownNumbers(_ plugin: ConformancePlugin) -> [TrialScript] {
        let refused = batches(plugin, on: .laterNumbers).map { script in
            var script = script
            script.answer = .refusal(.unavailable, .notRecorded)
            return script
        }
        let expired = plugin.singles { script in
            script.imitation = .laterNumbers
            script.expiration = TrialScript.Expiration(after: .milliseconds(50), .memoryPressure)
        }
        return refused + expired
    }
}

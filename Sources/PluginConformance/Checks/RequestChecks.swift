// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginTrial
import TaskModel

extension ConformanceCheck {
    /// Checks about events, submissions and continued tasks.
    static let requestChecks = [
        eventEach, submitPermitted, entrySurvivesRefusal, submitRefused, registerRefusedSurvives, visitorCalls,
        progressReported,
    ]

    private static let eventEach = ConformanceCheck(
        "event-each",
        level: 2,
        rule: .abi(.oneCompletion),
        "every event that the plugin receives is completed",
        remedy: "complete every event in receive, also events that the plugin does not use",
        needs: orderly,
        trials: { .scripts($0.events) }
    ) { logs, plugin in zip(logs, plugin.events).flatMap { $0.disorder($1) } }

    private static let submitPermitted = ConformanceCheck(
        "submit-permitted",
        level: 2,
        rule: .abi(.registration),
        "the manifest permits every submission",
        remedy: "add the identifier to permitted-identifiers, the mode to background-modes, or the grant to grants",
        needs: ["entry-succeeds"],
        trials: { .scripts([$0.standard] + $0.events) }
    ) { logs, _ in
        logs.flatMap { log in
            log.all { event -> ConformanceFlaw? in
                // A full queue is no matter of the manifest.
                guard case .submitted(_, _, let refusal?, false) = event,
                    refusal.code != .tooManyPendingTaskRequests
                else { return nil }
                return ConformanceFlaw(.fault, refusal.message)
            }
        }
    }

    private static let entrySurvivesRefusal = ConformanceCheck(
        "entry-survives-refusal",
        level: 2,
        rule: .abi(.registration),
        "entry succeeds when its submissions are refused",
        remedy: "return BGT_OK from entry also when a submission is refused; each failure of entry charges an attempt"
            + " to the due tasks, until they are abandoned",
        needs: orderly,
        trials: { .scripts(refusals($0)) }
    ) { logs, _ in
        logs.flatMap { log in
            log.hasEntered
                ? log.failedEntry { "entry returned \($0) after a refused submission" }
                : log.crash + log.exit + log.hangInEntry
        }
    }

    private static let submitRefused = ConformanceCheck(
        "submit-refused",
        level: 2,
        rule: .abi(.statuses),
        "tasks and events are completed when submissions are refused, and none is repeated in a loop",
        remedy: "after a refused submission, submit that request again only in a later launch",
        needs: orderly + ["entry-survives-refusal", "event-each"],
        trials: { .scripts(refusals($0)) }
    ) { logs, plugin in
        zip(logs, refusals(plugin)).flatMap { log, script -> [ConformanceFlaw] in
            let count = log.all { if case .submitted = $0 { true } else { nil } }.count
            let limit = repetitionLimit * max(1, plugin.entry.permitted.count)
            if count > limit {
                return [ConformanceFlaw(.fault, "the launch made \(count) submissions that were refused")]
            }
            return log.disorder(script)
        }
    }

    private static let registerRefusedSurvives = ConformanceCheck(
        "register-refused-survives",
        level: 2,
        rule: .abi(.registration),
        "a refused registration causes no crash",
        remedy: "return the status of the registration from entry",
        needs: ["entry-succeeds"],
        trials: { plugin in
            if plugin.isExtension || plugin.entry.permitted.isEmpty {
                return .inapplicable("the manifest permits no identifier")
            }
            // The tasks of a launch always have a permitted identifier, so the launch has none of them.
            var script = plugin.script([plugin.event(.started)])
            script.withheld = Set(plugin.entry.permitted)
            return .scripts([script])
        }
    ) { logs, _ in logs.flatMap { $0.crash + $0.exit + $0.hangInEntry } }

    private static let visitorCalls = ConformanceCheck(
        "visitor-calls",
        level: 2,
        rule: .abi(.placesOfCalls),
        "a visitor of pending requests makes only calls that the header allows there",
        violation: .calledInVisitor,
        remedy: "copy the request in the visitor, and call the host when pending has returned",
        needs: ["entry-succeeds"]
    )

    private static let progressReported = ConformanceCheck(
        "progress-reported",
        level: 2,
        rule: .abi(.sharedBudget),
        "a continued task reports rising progress",
        remedy: "call set_progress with a rising number of completed units while the task works",
        needs: orderly,
        trials: { plugin in
            if plugin.isExtension || plugin.continued.isEmpty {
                return .inapplicable("the check runs a continued task of each pattern, and the manifest has no pattern")
            }
            return .scripts([plugin.script(plugin.continued)])
        }
    ) { logs, plugin in
        logs.flatMap { log in
            log.all { event -> [ConformanceFlaw]? in
                guard case .expired(let tasks, .noProgress) = event else { return nil }
                return tasks.map {
                    ConformanceFlaw(.time, "the progress of task \(plugin.continued[$0].identifier) did not change")
                }
            }.flatMap(\.self)
        }
    }

    /// Submissions per permitted identifier: a launch that makes more in total repeats them in a loop.
    private static let repetitionLimit = 10

    /// The standard batch and every event, each with several refusals: in one script, every submission gets the same
    /// refusal.
    private static func refusals(_ plugin: ConformancePlugin) -> [TrialScript] {
        let answers: [TrialScript.Answer] = [
            .refusal(.unavailable, .notRecorded), .refusal(.tooManyPendingTaskRequests, .processingLimit),
            .refusal(.notPermitted, .backgroundDenied), .refusal(.immediateRunIneligible, .noCapacityNow),
        ]
        let scripts = [plugin.standard] + plugin.events.filter { $0 != plugin.standard }
        return answers.flatMap { answer in
            scripts.map { script in
                var script = script
                script.answer = answer
                return script
            }
        }
    }
}

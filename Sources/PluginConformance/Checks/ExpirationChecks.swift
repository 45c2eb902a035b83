// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginTrial
import TaskModel

extension ConformanceCheck {
    /// Checks about expirations, repeated launches and the container.
    static let expirationChecks = [
        expireAtOnce, expireLate, expireInTime, conditionLost, expireWhileWorking, expireAllInBatch, expireStopsWork,
        relaunchFresh, containerShared,
    ]

    private static let expireAtOnce = expirationCheck(
        "expire-at-once",
        "when a user stops it right after entry",
        after: .zero,
        [.stoppedByUser]
    )

    private static let expireLate = expirationCheck(
        "expire-late",
        "under memory pressure while it runs",
        after: .milliseconds(50),
        [.memoryPressure]
    )

    private static let expireInTime = ConformanceCheck(
        "expire-in-time",
        level: 2,
        rule: .abi(.sharedBudget),
        "a task is completed in the grace period when the budget is used up",
        remedy: expirationRemedy,
        needs: orderly,
        trials: { plugin in
            .scripts(
                plugin.singles { script in
                    script.budget = .milliseconds(100)
                    script.keepsBudget = true
                }
            )
        }
    ) { logs, plugin in disorder(logs, plugin) }

    private static let conditionLost = expirationCheck(
        "condition-lost",
        "when a condition is lost",
        after: .milliseconds(30),
        [.networkLost, .notIdle, .hostShutdown, .containerLocked]
    )

    private static let expireWhileWorking = ConformanceCheck(
        "expire-while-working",
        level: 2,
        rule: .abi(.placesOfCalls),
        "a task is completed in the grace period at whatever moment external power is lost",
        remedy: "let handler and expiration handler share no state without a lock; the second completion has no effect",
        needs: orderly,
        trials: { plugin in
            .scripts(
                [1, 2, 4, 8, 16].flatMap { delay in
                    plugin.singles { expire(&$0, after: .milliseconds(delay), .externalPowerLost) }
                }
            )
        }
    ) { logs, plugin in disorder(logs, plugin) }

    private static let expireAllInBatch = ConformanceCheck(
        "expire-all-in-batch",
        level: 2,
        rule: .abi(.placesOfCalls),
        "every task of a batch is completed when all of them expire at once",
        remedy: "keep the state of each task apart; expiration handlers of several tasks run at the same time",
        needs: orderly + ["expire-at-once", "expire-late"],
        trials: { plugin in
            guard plugin.tasks.count > 1 else { return .inapplicable("the plugin has one task") }
            var script = plugin.standard
            script.expiration = TrialScript.Expiration(after: .milliseconds(50), .memoryPressure)
            return .scripts([script])
        }
    ) { logs, plugin in logs.flatMap { $0.disorder(plugin.standard) } }

    private static let expireStopsWork = ConformanceCheck(
        "expire-stops-work",
        level: 2,
        rule: .abi(.sharedBudget),
        "the callbacks of an expired task return within the grace period",
        remedy: "let the handler poll is_expiring, or a flag that the expiration handler sets, and return",
        needs: orderly + ["expire-late"],
        trials: { plugin in .scripts(plugin.singles { expire(&$0, after: .milliseconds(50), .memoryPressure) }) }
    ) { logs, _ in
        logs.compactMap { log in
            guard log.expiration(of: 0) != nil, let time = log.lateEnd?.humanReadable else { return nil }
            return ConformanceFlaw(.time, "callbacks still ran \(time) after the end of the last task or assertion")
        }
    }

    private static let relaunchFresh = ConformanceCheck(
        "relaunch-fresh",
        level: 2,
        rule: .abi(.sharedContainer),
        "a second launch in the same container runs like the first",
        remedy: "register the handlers in every entry, and expect files of earlier launches in the container",
        needs: orderly + ["register-all", "expire-at-once", "expire-all-in-batch"],
        trials: { plugin in
            .scripts([plugin.repeated(1)])
        }
    ) { logs, plugin in
        logs.flatMap { log -> [ConformanceFlaw] in
            let failed = log.failedEntry { "entry of the second launch returned \($0)" }
            if !failed.isEmpty { return failed }
            let missing = plugin.exact.filter { log.registered?.permits($0) == false }
            return missing.map { ConformanceFlaw(.fault, "\($0) had no handler in the second launch") }
                + log.disorder(plugin.standard)
        }
    }

    private static let containerShared = ConformanceCheck(
        "container-shared",
        level: 2,
        rule: .abi(.sharedContainer),
        "two launches that use the container at the same time both run their tasks",
        remedy: "lock a file of the container before its use and wait for the lock, or use SQLite; an extension or"
            + " another lane may use the same file at the same time",
        needs: orderly + ["relaunch-fresh"],
        trials: { plugin in
            var script = plugin.standard
            script.hasTwin = true
            return .scripts([script])
        }
    ) { logs, plugin in
        logs.flatMap { log in
            let failed = log.failedEntry { "entry beside another launch returned \($0)" }
            return failed.isEmpty ? log.disorder(plugin.standard) : failed
        }
    }

    /// Names of the checks that pass when launches run to their end and complete all tasks.
    static let orderly = sound + ["completes"]

    private static let expirationRemedy =
        "set an expiration handler that stops the work and completes the task, or poll is_expiring"

    private static func expire(_ script: inout TrialScript, after delay: Duration, _ reason: ExpirationReason) {
        script.expiration = TrialScript.Expiration(after: delay, reason)
    }

    private static func expirationCheck(
        _ name: String,
        _ moment: String,
        after delay: Duration,
        _ reasons: [ExpirationReason]
    ) -> ConformanceCheck {
        ConformanceCheck(
            name,
            level: 2,
            rule: .abi(.oneCompletion),
            "a task is completed in the grace period \(moment)",
            remedy: expirationRemedy,
            needs: orderly,
            trials: { plugin in
                .scripts(reasons.flatMap { reason in plugin.singles { expire(&$0, after: delay, reason) } })
            }
        ) { logs, plugin in disorder(logs, plugin) }
    }

    /// The flaws in the order of events of launches with one task each. The logs have the order of `plugin.singles`,
    /// once for each reason of expiration.
    private static func disorder(_ logs: [TrialLog], _ plugin: ConformancePlugin) -> [ConformanceFlaw] {
        let scripts = plugin.singles { _ in }
        return logs.enumerated().flatMap { index, log in log.disorder(scripts[index % scripts.count]) }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginTrial
import RunnerWire
import TaskModel

extension ConformanceCheck {
    /// Checks about calls that have no effect: after `stop`, and in forked processes.
    static let endChecks = [noForkedCalls, noLateCalls]

    private static let noForkedCalls = ConformanceCheck(
        "no-forked-calls",
        level: 2,
        rule: .abi(.placesOfCalls),
        "a process that the plugin forked does not call the host",
        remedy: "call the host before fork, or in the process of the launch; in a forked process a call has no effect",
        needs: orderly,
        trials: { .scripts([strict($0)]) }
    ) { logs, _ in logs.flatMap { $0.violations(.calledInFork) } }

    private static let noLateCalls = ConformanceCheck(
        "no-late-calls",
        level: 2,
        rule: .abi(.placesOfCalls),
        "no thread of the plugin calls the host after `stop` has returned",
        remedy: "end own threads in `stop`; after it every call returns BGT_ENDED and has no effect",
        needs: orderly + ["stop-returns"],
        trials: { .scripts([strict($0)]) }
    ) { logs, _ in
        logs.flatMap { $0.violations(.calledAfterStop) }.map { ConformanceFlaw(.remark, $0.seen) }
    }

    /// The standard batch on a host that reports calls without an effect.
    private static func strict(_ plugin: ConformancePlugin) -> TrialScript {
        var script = plugin.standard
        script.imitation = .strict
        return script
    }
}

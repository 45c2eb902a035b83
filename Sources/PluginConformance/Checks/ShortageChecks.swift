// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginBinary
import PluginTrial
import RunnerWire
import TaskModel

extension ConformanceCheck {
    /// Checks about missing resources of the process.
    static let shortageChecks = [noDescriptors, noMemory, noDisk, noThreads]

    private static let noDescriptors = shortageCheck(
        "no-descriptors",
        "a lack of descriptors causes no crash",
        remedy: "check the results of open, socket and fopen, and complete the task as failed"
    ) { $0.shortage.descriptors = 32 }

    private static let noMemory = ConformanceCheck(
        "no-memory",
        level: 3,
        rule: .abi(.processOfHost),
        "without memory the launch ends, by completions or by a crash",
        remedy: "let a failed allocation end the task or the process; do not repeat it in a loop",
        needs: orderly,
        trials: { plugin in
            var script = plugin.standard
            script.shortage.memory = 256 << 20
            return .scripts([script])
        }
    ) { logs, _ in
        logs.filter(\.isOverdue).map { _ in
            ConformanceFlaw(.time, "the launch was killed at the end of the grace period")
        }
    }

    private static let noDisk = shortageCheck(
        "no-disk",
        "files that cannot be written cause no crash",
        remedy: "check the results of write, fflush and fclose, and complete the task as failed"
    ) { $0.shortage.fileSize = 0 }

    private static let noThreads = shortageCheck(
        "no-threads",
        "a lack of threads causes no crash",
        remedy: "check the result of pthread_create, and complete the task as failed or without the thread",
        // These runtimes cannot work without threads, whatever the plugin does.
        obstacle: { plugin in
            switch BinarySurvey(path: plugin.entry.library.path).traits?.language {
            case .swift: "the runtime of Swift needs threads"
            case .go: "the runtime of Go needs threads"
            case .rust, .cxx, .c, nil: nil
            }
        }
    ) { $0.imitation = .noThreads }

    /// A check of level 3 that takes a resource from the standard batch: the plugin has to end in order, and entry may
    /// fail.
    ///
    /// - Parameter obstacle: the reason why the check does not apply to a plugin; nil when it applies.
    private static func shortageCheck(
        _ name: String,
        _ promise: String,
        remedy: String,
        obstacle: @escaping @Sendable (ConformancePlugin) -> String? = { _ in nil },
        take: @escaping @Sendable (inout TrialScript) -> Void
    ) -> ConformanceCheck {
        ConformanceCheck(
            name,
            level: 3,
            rule: .abi(.processOfHost),
            promise,
            remedy: remedy,
            needs: orderly,
            trials: { plugin in
                if let reason = obstacle(plugin) { return .inapplicable(reason) }
                var script = plugin.standard
                take(&script)
                return .scripts([script])
            }
        ) { logs, plugin in logs.flatMap { $0.disorder(plugin.standard, mayRefuse: true) } }
    }
}

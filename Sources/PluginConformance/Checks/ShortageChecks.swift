// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginBinary
import PluginTrial
import RunnerWire
import TaskModel

extension ConformanceCheck {
    /// Checks about missing resources of the process.
    static let shortageChecks = [noDescriptors, noMemory, noDisk, noThreads]

    private static let noDescriptors = ConformanceCheck(
        "no-descriptors",
        level: 3,
        rule: .abi(.processOfHost),
        "a lack of descriptors causes no crash",
        remedy: "check the results of open, socket and fopen, and complete the task as failed",
        needs: orderly,
        trials: { plugin in
            var script = plugin.standard
            script.shortage.descriptors = 32
            return .scripts([script])
        }
    ) { logs, plugin in logs.flatMap { $0.disorder(plugin.standard, mayRefuse: true) } }

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

    private static let noDisk = ConformanceCheck(
        "no-disk",
        level: 3,
        rule: .abi(.processOfHost),
        "files that cannot be written cause no crash",
        remedy: "check the results of write, fflush and fclose, and complete the task as failed",
        needs: orderly,
        trials: { plugin in
            var script = plugin.standard
            script.shortage.fileSize = 0
            return .scripts([script])
        }
    ) { logs, plugin in logs.flatMap { $0.disorder(plugin.standard, mayRefuse: true) } }

    private static let noThreads = ConformanceCheck(
        "no-threads",
        level: 3,
        rule: .abi(.processOfHost),
        "a lack of threads causes no crash",
        remedy: "check the result of pthread_create, and complete the task as failed or without the thread",
        needs: orderly,
        trials: { plugin in
            // These runtimes cannot work without threads, whatever the plugin does.
            switch BinarySurvey(path: plugin.entry.library.path).traits?.language {
            case .swift: return .inapplicable("the runtime of Swift needs threads")
            case .go: return .inapplicable("the runtime of Go needs threads")
            case .rust, .cxx, .c, nil: break
            }
            var script = plugin.standard
            script.imitation = .noThreads
            return .scripts([script])
        }
    ) { logs, plugin in logs.flatMap { $0.disorder(plugin.standard, mayRefuse: true) } }
}

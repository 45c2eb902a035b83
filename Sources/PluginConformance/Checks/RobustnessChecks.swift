// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginTrial
import TaskModel

extension ConformanceCheck {
    /// Checks about random payloads, missing settings, repeated launches and leaked descriptors.
    static let robustnessChecks = [
        payloadRandom, settingMissing, startsRepeatedly, leakPerTask,
    ]

    private static let payloadRandom = ConformanceCheck(
        "payload-random",
        level: 3,
        rule: .abi(.strings),
        "random payloads cause no crash",
        remedy: "check length and contents of a payload before its use; users may submit any bytes",
        needs: orderly,
        trials: { plugin in
            var random = SeededGenerator(seed: plugin.seed)
            return .scripts(
                payloadSizes.map { size in
                    var script = plugin.standard
                    for index in script.tasks.indices {
                        script.tasks[index].payload = (0..<size).map { _ in
                            UInt8.random(in: .min ... .max, using: &random)
                        }
                    }
                    return script
                }
            )
        }
    ) { logs, plugin in logs.flatMap { $0.disorder(plugin.standard) } }

    private static let settingMissing = ConformanceCheck(
        "setting-missing",
        level: 3,
        rule: .abi(.strings),
        "missing settings cause no crash",
        remedy: "check the status of `setting`; entry may fail without the setting",
        needs: orderly,
        trials: { plugin in
            if plugin.entry.settings.isEmpty && plugin.entry.secrets.isEmpty {
                return .inapplicable("the manifest has no settings")
            }
            var script = plugin.standard
            script.hasSettings = false
            return .scripts([script])
        }
    ) { logs, _ in logs.flatMap { $0.crash + $0.exit + $0.hangInEntry } }

    private static let startsRepeatedly = ConformanceCheck(
        "starts-repeatedly",
        level: 3,
        rule: .abi(.registration),
        "ten launches in the same container all succeed",
        remedy: "find the state that one launch leaves for the next one",
        needs: orderly + ["relaunch-fresh"],
        trials: { plugin in
            .scripts([plugin.repeated(9)])
        }
    ) { logs, plugin in
        logs.flatMap { log in
            let failed = log.failedEntry { "entry of a later launch returned \($0)" }
            return failed.isEmpty ? log.disorder(plugin.standard) : failed
        }
    }

    private static let leakPerTask = ConformanceCheck(
        "leak-per-task",
        level: 3,
        rule: .abi(.processOfHost),
        "the number of open descriptors does not grow with the number of tasks",
        remedy: "close every descriptor that a task opens, on every path",
        needs: orderly + ["register-all"],
        trials: { plugin in
            guard let task = plugin.tasks.first, task.kind != .event else {
                return .inapplicable("the plugin has no task")
            }
            return .scripts([plugin.script([task]), plugin.script(Array(repeating: task, count: manyTasks))])
        }
    ) { logs, _ in
        guard logs.count == 2, let few = logs[0].openDescriptors, let many = logs[1].openDescriptors else {
            return [ConformanceFlaw(.unmeasured, "the open descriptors of the plugin's process could not be counted")]
        }
        guard many > few + manyTasks / 2 else { return [] }
        return [ConformanceFlaw(.leak, "\(few) descriptors were open after 1 task, \(many) after \(manyTasks)")]
    }

    private static let payloadSizes = [0, 1, 7, 256, 4_096, 65_536]
    private static let manyTasks = 30
}

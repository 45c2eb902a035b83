// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
package import TaskModel

/// The properties of a launch that are set up before its plan is sent: its resource limits, whether it yields
/// processors to other work, and whether it has a filter of system calls.
package struct LaunchResources: Hashable, Sendable {
    package let limits: PluginLimits
    package let isBackground: Bool
    /// Whether the launch has a filter of system calls, so that its runner sends a listener before it loads the plugin.
    package let isFiltered: Bool

    package init(limits: PluginLimits, isBackground: Bool, isFiltered: Bool = false) {
        self.limits = limits
        self.isBackground = isBackground
        self.isFiltered = isFiltered
    }
}

extension ControlGroup {
    /// A file of a control group with the value to write.
    struct Setting: Hashable {
        let file: String
        let value: String
        /// Whether the file may be missing: the kernel has it only with swap accounting.
        var isOptional = false
    }

    /// The processor weight (`cpu.weight`) of background launches; the standard weight is 100.
    static let backgroundWeight = 20

    /// The files that limit a launch, for controllers that its control group has.
    static func settings(_ resources: LaunchResources, controllers: Set<String>) -> [Setting] {
        var settings: [Setting] = []
        if let memory = resources.limits.memory, controllers.contains("memory") {
            settings += [
                Setting(file: "memory.max", value: "\(memory)"),
                // Memory that was swapped out would not count.
                Setting(file: "memory.swap.max", value: "0", isOptional: true),
                // A launch that lost only one of its processes would continue in an undefined state.
                Setting(file: "memory.oom.group", value: "1"),
            ]
        }
        if let processes = resources.limits.processes, controllers.contains("pids") {
            settings.append(Setting(file: "pids.max", value: "\(processes)"))
        }
        if resources.isBackground, controllers.contains("cpu") {
            settings.append(Setting(file: "cpu.weight", value: "\(backgroundWeight)"))
        }
        return settings
    }

    /// Writes the files that limit a launch. Throws when a file cannot be written; the plugin must not run then.
    func apply(_ resources: LaunchResources, controllers: Set<String>) throws(SystemError) {
        for setting in Self.settings(resources, controllers: controllers) {
            let status = bgl_write_file(AT_FDCWD, "\(path)/\(setting.file)", setting.value)
            if status == -ENOENT, setting.isOptional { continue }
            try SystemError.check(Int32(status), "write \(setting.value) to \(path)/\(setting.file)")
        }
    }
}

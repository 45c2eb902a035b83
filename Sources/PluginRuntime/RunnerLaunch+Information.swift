// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import LinuxSystem
import RunnerWire
import Synchronization
import TaskModel

extension RunnerLaunch {
    func describe(_ out: UnsafeMutablePointer<bgt_launch_info>?) -> Int32 {
        if let status = bar("launch_info") { return status }
        guard let out else { return BGT_INVALID }
        var information = bgt_launch_info()
        information.lane = plan.lane.rawValue
        information.cause = plan.cause.rawValue
        information.role = plan.role.rawValue
        information.launch = UInt64(bitPattern: plan.launch.rawValue)
        information.remaining_ns = remaining
        information.deadline_ns = plan.deadline.map { UInt64(clamping: $0.nanoseconds) } ?? BGTASK_NO_DEADLINE
        information.grace_ns = UInt64(clamping: plan.gracePeriod.wholeNanoseconds)
        information.plugin = memory.plugin
        information.identifiers = memory.identifiers
        information.identifier_count = UInt64(memory.identifierCount)
        information.supported_resources = plan.supportedResources.rawValue
        information.host_name = memory.hostName
        information.host_version = memory.hostVersion
        let minimum = ForeignStruct.MinorZero.launchInfo
        return ForeignStruct.fill(out, with: information, minimum: minimum) ? BGT_OK : BGT_INVALID
    }

    /// Nanoseconds left of the launch's budget; `BGTASK_NO_DEADLINE` without a budget.
    var remaining: UInt64 {
        plan.deadline.map { UInt64(clamping: ($0 - .now).wholeNanoseconds) } ?? BGTASK_NO_DEADLINE
    }

    func containerPath(
        _ buffer: UnsafeMutablePointer<CChar>?,
        _ capacity: UInt64,
        _ needed: UnsafeMutablePointer<UInt64>?
    ) -> Int32 {
        if let status = bar("container_path") { return status }
        return copy(container, buffer, capacity, needed)
    }

    func setting(
        _ key: UnsafePointer<CChar>?,
        _ buffer: UnsafeMutablePointer<CChar>?,
        _ capacity: UInt64,
        _ needed: UnsafeMutablePointer<UInt64>?
    ) -> Int32 {
        if let status = bar("setting") { return status }
        guard let key else { return BGT_INVALID }
        // A key longer than the frame limit cannot be in the plan.
        guard let name = ForeignText.read(key, limit: HostMessage.frameLimit), let value = plan.settings[name] else {
            let text = ForeignText.readRepaired(key, limit: Int(BGTASK_IDENTIFIER_MAX))
            let cause = "neither the operator nor the manifest sets \"\(text)\"; add it under settings in the manifest"
            refusals.note(BGT_NOT_FOUND, of: "setting", cause)
            return BGT_NOT_FOUND
        }
        return copy(value, buffer, capacity, needed)
    }

    func log(_ task: TaskID, _ level: UInt32, _ message: UnsafePointer<CChar>?) {
        guard let message else { return }
        let text = ForeignText.readRepaired(message, limit: Int(BGTASK_LOG_MAX))
        let isKnown = state.withLock { $0.tasks.presence(of: task) != .unknown }
        channel.send(.log(LogLevel(rawValue: level) ?? .error, of: isKnown ? task : nil, message: text))
    }

    private func copy(
        _ text: String,
        _ buffer: UnsafeMutablePointer<CChar>?,
        _ capacity: UInt64,
        _ needed: UnsafeMutablePointer<UInt64>?
    ) -> Int32 {
        switch ForeignText.write(text, to: buffer, capacity: capacity, needed: needed) {
        case .whole: BGT_OK
        case .truncated: BGT_TRUNCATED
        case .invalid: BGT_INVALID
        }
    }
}

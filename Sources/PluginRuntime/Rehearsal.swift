// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import RunnerWire
import TaskModel

/// A rehearsal of the start of a launch with an invented plan, while a runner waits for its first message.
///
/// The first use of a type makes the Swift runtime search its conformances and build its metadata, and the first use of
/// code and memory makes the kernel map their pages. After a rehearsal no launch waits for these. It starts no thread,
/// loads no library and changes no state of the process.
enum Rehearsal {
    static func run() {
        guard let plan = invented, let frame = try? HostMessage.plan(plan).frame(),
            let first = try? HostMessage.confine(inventedConfinement).frame()
        else { return }
        var decoder = FrameDecoder<HostMessage>()
        decoder.append(first)
        decoder.append(frame)
        guard case .confine = try? decoder.next() else { return }
        guard case .plan(let plan) = try? decoder.next() else { return }
        var registrations = RegistrationTable<RunnerLaunch.Handler>(role: plan.role, permitted: plan.permitted)
        var tasks = TaskTable<RunnerLaunch.ExpirationHandler>(
            plan.tasks.map(\.id),
            deadline: plan.deadline,
            gracePeriod: plan.gracePeriod
        )
        let open = plan.tasks.map { ($0.id, OpenTask($0, of: plan.plugin, isOfBatch: true)) }
        let watch = ProcessWatch()
        watch.acceptRuntimes()
        _ = Dictionary(open, uniquingKeysWith: { first, _ in first })
        _ = registrations.closeEntry(succeeded: false)
        tasks.deliver([])
        _ = watch.changes()
        _ = try? RunnerMessage.entered(status: 0, registered: plan.permitted, offersReceive: false).frame()
        if let task = plan.tasks.first { _ = try? RunnerMessage.completed(task.id, .success).frame() }
    }

    private static var inventedConfinement: Confinement {
        let place = SandboxPlan.Place(path: "/", access: .read)
        let sandbox = SandboxPlan(landlock: nil, library: "/", granted: [place], reserved: ["/"], filter: [0])
        return Confinement(containerPath: "/", sandbox: sandbox)
    }

    /// The plan of the invented launch: every list has one element, so that the rehearsal runs the code for elements.
    /// Nil only if one of its names were invalid.
    private static var invented: RunnerPlan? {
        guard let plugin = PluginIdentifier("rehearsal.plugin"),
            let identifier = PermittedIdentifier("rehearsal.plugin.task")
        else { return nil }
        let launch = LaunchNumber(rawValue: 0)
        let task = RunnerPlan.Task(
            id: TaskID(launch: launch, index: 0),
            kind: .refresh,
            event: nil,
            identifier: "rehearsal.plugin.task",
            submission: SubmissionNumber(rawValue: 0),
            attempts: 0,
            payload: [0]
        )
        return RunnerPlan(
            launch: launch,
            plugin: plugin,
            role: .main,
            lane: .background,
            cause: .due,
            libraryPath: "/",
            libraryIdentity: FileIdentity(device: 0, inode: 0, size: 0, modified: 0, changed: 0),
            permitted: [identifier],
            modes: [.fetch],
            settings: ["key": "value"],
            supportedResources: [],
            hostVersion: "0",
            deadline: MonotonicTime(nanoseconds: 0),
            entryDeadline: MonotonicTime(nanoseconds: 0),
            gracePeriod: .zero,
            tasks: [task]
        )
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import Logging
import PluginLaunch
import RunnerWire
import SandboxPolicy
import Scheduling
import TaskLedger
import TaskModel

// Performs the decisions of the core. Nothing here waits for a disk or a process.
extension DecisionLoop {
    /// Performs the actions in order. Returns true when the scheduler has stopped.
    func perform(_ actions: [SchedulerAction], _ launches: inout LaunchDirectory) -> Bool {
        var hasStopped = false
        var isBehindContainers = false
        for action in actions {
            killPoint?.pass(action, .before)
            switch action {
            case .commit(let ticket, let changes):
                ledger.submit(ticket: ticket.rawValue, changes: launches.cursors.complete(changes, of: ticket))
            case .load(let plugin): load(plugin)
            case .answer(let token, let answer) where isBehindContainers:
                containers.perform { self.answer(token, answer) }
            case .answer(let token, let answer): self.answer(token, answer)
            case .takeRunner(let launch, let preparation): takeRunner(launch, preparation, &launches)
            case .discardContainer(let main):
                containers.discard(main)
                isBehindContainers = true
            case .dismissRunner(let launch), .kill(let launch): kill(launch, &launches)
            case .setKillTime(let launch, let time): launcher.setKillTime(time, of: launch)
            case .confineRunner(let launch, let plugin, let lane): confine(launch, plugin, lane, &launches)
            case .sendPlan(let plan): send(plan, &launches)
            case .deliver(let launch, let task): deliver(task, to: launch, &launches)
            case .expire(let launch, let tasks, let reason): send(.expire(tasks, reason), to: launch)
            case .yieldCursor(let launch, let task): send(.yieldCursor(task), to: launch)
            case .expireAssertions(let launch, let reason): send(.expireAssertions(reason), to: launch)
            case .stop(let launch): send(.stop, to: launch)
            case .sweepTransfers(let plugin): sweepTransfers(of: plugin)
            case .watch(let watch): conditions.watch(watch)
            case .wake(let monotonic, let wall): timer.set(monotonic: monotonic, wall: wall)
            case .stopped: hasStopped = true
            }
            killPoint?.pass(action, .after)
        }
        return hasStopped
    }

    /// Starts a runner and, at the same time, creates the container of its plugin and reads the plugin's secrets. The
    /// scheduler is notified that the runner is ready only when all three are available, so that a failure of the host
    /// is not blamed on the plugin.
    ///
    /// A runner in a main bundle is requested only when the bundle exists.
    private func takeRunner(
        _ launch: LaunchNumber,
        _ preparation: LaunchPreparation,
        _ launches: inout LaunchDirectory
    ) {
        launches.containers.began(launch)
        containers.prepare(preparation) { [mailbox] result in mailbox.put(.container(launch, result)) }
        if let bundle = preparation.mainBundle {
            launches.bundles[launch] = bundle
            launches.withoutRunner.insert(launch)
        } else {
            launcher.take(for: launch)
        }
    }

    private func kill(_ launch: LaunchNumber, _ launches: inout LaunchDirectory) {
        guard launches.withoutRunner.remove(launch) != nil else { return launcher.kill(launch) }
        let error = LaunchError(code: .closed, message: "the launch was killed before its runner was started")
        mailbox.put(.launch(.unavailable(launch, error)))
    }

    /// Sends the user, the limits and the sandbox of a launch to its runner, which applies them during a commit.
    private func confine(
        _ launch: LaunchNumber,
        _ plugin: PluginEntry,
        _ lane: Lane,
        _ launches: inout LaunchDirectory
    ) {
        let main = plugin.containingPlugin ?? plugin.identifier
        let limits = plugin.limits.bounded(by: resources.limits)
        let user = users.user(of: main)
        let confinement = Confinement(
            user: user,
            // The kernel counts processes per user: without a user of its own, the limit would concern all processes
            // of the host's user.
            processLimit: user == nil ? nil : limits.processes.flatMap { UInt32(exactly: $0) },
            // A download is as large as its source; the reserve of the disk bounds it.
            fileLimit: lane == .transfer ? nil : limits.fileSize.flatMap { UInt64(exactly: $0) },
            nice: lane == .background ? UInt8(clamping: resources.backgroundNice) : 0,
            containerPath: state.containerPath(of: main.text),
            sandbox: sandboxes.plan(for: plugin)
        )
        let grants = sandboxes.grants(of: plugin)
        launches.judges[launch] = RunnerJudge(of: launch, plugin, grants: grants, isFiltered: confinement.isFiltered)
        do {
            if users.users.range != nil, user == nil {
                let message = "plugin \(main) has no user of its own; report this defect of bgtaskd"
                throw HostError(code: .systemRefused, message: message)
            }
            let launchResources = LaunchResources(
                limits: limits,
                isBackground: lane == .background,
                isFiltered: confinement.isFiltered
            )
            launcher.limit(launch, launchResources)
            try launcher.send(.confine(confinement), to: launch)
        } catch {
            fail(launch, "the host could not send the sandbox policy to the runner: \(error)")
        }
    }

    private func send(_ plan: LaunchPlan, _ launches: inout LaunchDirectory) {
        let plugin = plan.plugin
        launches.judges[plan.number]?.planSent(with: plan.tasks)
        do {
            let main = plugin.containingPlugin ?? plugin.identifier
            runners.sent(plan.number, of: main)
            var payloads: [SubmissionNumber: [UInt8]] = [:]
            for task in plan.tasks {
                let terms = plan.transferTerms[task.work.number]?.text ?? ""
                payloads[task.work.number] = try launches.takePayload(of: task) + terms.utf8
            }
            let secrets = launches.secrets.removeValue(forKey: plan.number) ?? [:]
            if let key = plugin.secrets.first(where: { secrets[$0] == nil }) {
                throw HostError(
                    code: .secretUnavailable,
                    message: "the manifest of \(plugin.identifier) got the secret setting \(key) after the launch"
                        + " began, so this launch has no value for it; the next launch reads the value"
                )
            }
            if let bundle = plugin.mainBundle, launches.bundles.removeValue(forKey: plan.number) != bundle {
                throw HostError(
                    code: .systemRefused,
                    message: "the manifest or the library's directory of \(plugin.identifier) changed after the launch"
                        + " began, so this launch has no main bundle of this version; the next launch has one"
                )
            }
            let runnerPlan = RunnerPlan(
                plan,
                payloads: payloads,
                cursors: launches.startingCursors,
                secrets: secrets,
                container: state.containerPath(of: main.text),
                supportedResources: conditions.now.resources
            )
            launcher.readCursors(of: plan.tasks.filter(\.mayHaveCursor).map(\.id), in: plan.number)
            try launcher.send(.plan(runnerPlan), to: plan.number)
            receive(plan.tasks, in: plan.number, &launches)
            log.info(
                "launched",
                metadata: [
                    "launch": "\(plan.number)", "plugin": "\(plugin.identifier)", "lane": "\(plan.lane.name)",
                    "tasks": "\(plan.tasks.map(\.work.label).joined(separator: ","))", "pid": "\(plan.process.pid)",
                ]
            )
        } catch {
            fail(plan.number, "the host could not send the plan of the launch: \(error)")
        }
    }

    /// Keeps the cursors of tasks that a launch receives, and reports which tasks have one.
    private func receive(_ tasks: [PlannedTask], in launch: LaunchNumber, _ launches: inout LaunchDirectory) {
        var standstills: [TaskID: Int] = [:]
        for task in tasks {
            let cursor = launches.startingCursors[task.work.number]
            launches.cursors.received(task, with: cursor, in: launch)
            standstills[task.id] = cursor?.standstills
        }
        if !standstills.isEmpty { launches.cursorReports.append(.cursorsRead(launch, standstills)) }
    }

    private func fail(_ launch: LaunchNumber, _ message: String) {
        log.error("\(message)", metadata: ["launch": "\(launch)"])
        post(.launchFailedByHost(launch, message: message))
    }

    /// Delivers another task to a running launch. If its payload is missing or the message cannot be sent, the launch
    /// is ended and its tasks are interrupted, so that no task runs with incomplete data.
    private func deliver(_ task: PlannedTask, to launch: LaunchNumber, _ launches: inout LaunchDirectory) {
        do {
            let payload = try launches.takePayload(of: task)
            let cursor = launches.startingCursors[task.work.number]
            let runnerTask = RunnerPlan.Task(task, of: task.work.plugin, payload: payload, cursor: cursor)
            if task.mayHaveCursor { launcher.readCursors(of: [task.id], in: launch) }
            try launcher.send(.deliver(runnerTask), to: launch)
            receive([task], in: launch, &launches)
            launches.judges[launch]?.delivered(task)
            log.info(
                "task delivered",
                metadata: [
                    "launch": "\(launch)", "plugin": "\(task.work.plugin)", "task": "\(task.work.label)",
                    "submission": "\(task.work.number)",
                ]
            )
        } catch {
            let label = task.work.label
            log.error(
                "task not delivered: \(error)",
                metadata: ["launch": "\(launch)", "task": "\(label)"]
            )
            post(.launchFailedByHost(launch, message: "the host could not deliver \(label): \(error)"))
        }
    }

    /// Sends a message to a runner. A message that does not fit into a frame is a fault of the host: it is logged, and
    /// the launch continues without it.
    func send(_ message: HostMessage, to launch: LaunchNumber) {
        do {
            try launcher.send(message, to: launch)
        } catch {
            log.critical(
                "message not sent to the runner: \(error); the launch continues without this message",
                metadata: ["launch": "\(launch)"]
            )
        }
    }
}

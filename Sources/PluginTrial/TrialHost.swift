// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import Logging
import PluginLaunch
import RunnerWire
import TaskModel

/// Runs trials: each in a real runner under real supervision. Several trials may run at once.
package final class TrialHost: Sendable {
    private let launcher: Launcher
    private let router: TrialRouter
    private let bundles: RunnerBundles

    /// - Parameters:
    ///   - runner: path of the runner's program.
    ///   - environment: environment of this process; a runner gets an allow-list of it.
    ///   - bundles: the directory of main bundles; created when a plugin on trial requests one.
    package init(runner: String, environment: [String: String], bundles: String) throws(TrialFailure) {
        let router = TrialRouter()
        self.router = router
        do throws(LaunchError) {
            launcher = try Launcher(
                runner: runner,
                environment: RunnerEnvironment(from: environment),
                controlGroups: .none,
                unclaimed: .killed { _ in },
                logger: Logger(label: "bgtask") { _ in SwiftLogNoOpLogHandler() }
            ) { router.route($0) }
            self.bundles = launcher.bundles(in: bundles)
        } catch {
            throw TrialFailure("no runner can be started: \(error.message)")
        }
    }

    /// Kills every trial, and returns when no process is left.
    package func close() async { await launcher.close() }

    /// Runs one trial to its end. Kills all processes of the launch when the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - container: a directory that the user of the subject may write.
    ///   - watch: called for each event, in order.
    package func run(
        _ script: TrialScript,
        of subject: TrialSubject,
        container: String,
        watch: @Sendable (TrialLog.Entry) -> Void = { _ in }
    ) async throws(TrialFailure) -> TrialLog {
        let program = try program(of: subject.plugin)
        let (launch, signals) = router.open()
        defer { router.close(launch) }
        launcher.take(for: launch, program: program)
        let log = await withTaskCancellationHandler {
            await follow(signals, script, subject, launch, container: container, watch)
        } onCancel: { [launcher] in
            launcher.kill(launch)
        }
        guard let log else { throw TrialFailure("the trial has no end; try again") }
        if let failure = log.first({ if case .notStarted(let message) = $0 { message } else { nil } }) {
            throw TrialFailure(failure)
        }
        return log
    }

    /// The runner in the main bundle of the plugin; nil when the plugin requests none.
    private func program(of plugin: PluginEntry) throws(TrialFailure) -> String? {
        guard let bundle = plugin.mainBundle else { return nil }
        do throws(SystemError) {
            return try bundles.make(plugin.identifier.text, bundle)
        } catch {
            throw TrialFailure(
                "the main bundle of the trial cannot be made: \(error)",
                remedy: "set TMPDIR to a writable directory"
            )
        }
    }

    private func follow(
        _ signals: AsyncStream<TrialRouter.Signal>,
        _ script: TrialScript,
        _ subject: TrialSubject,
        _ launch: LaunchNumber,
        container: String,
        _ watch: @Sendable (TrialLog.Entry) -> Void
    ) async -> TrialLog? {
        await withTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            var course = TrialCourse(script, of: subject.plugin, owner: subject.owner, launch: launch, at: .now)
            var alarm: MonotonicTime?
            var shown = 0
            for await signal in signals {
                switch signal {
                case .event(.ready(_, let process), let now, _):
                    course = TrialCourse(script, of: subject.plugin, owner: subject.owner, launch: launch, at: now)
                    limit(process.pid, to: script.shortage)
                    send(plan: course, of: subject, container: container)
                    perform(course.begin(), launch)
                case .event(let event, let now, let sample):
                    perform(course.receive(event, at: now), launch)
                    course.note(sample)
                case .alarm:
                    alarm = nil
                    perform(course.advance(to: .now), launch)
                }
                for entry in course.log.entries[shown...] { watch(entry) }
                shown = course.log.entries.count
                if course.phase == .ended { return course.log }
                if let next = course.nextAlarm, alarm.map({ next < $0 }) ?? true {
                    alarm = next
                    group.addTask { [router] in
                        let rest = max(.zero, next - .now)
                        do { try await Task.sleep(for: rest) } catch { return }
                        router.alarm(launch)
                    }
                }
            }
            return nil
        }
    }

    private func send(plan course: TrialCourse, of subject: TrialSubject, container: String) {
        let confinement = subject.confinement(for: course.script, container: container)
        let resources = LaunchResources(limits: .none, isBackground: false, isFiltered: confinement.isFiltered)
        launcher.limit(course.launch, resources)
        let plan = subject.plan(for: course)
        perform([.send(.confine(confinement)), .send(.plan(plan))], course.launch)
    }

    private func perform(_ actions: [TrialCourse.Action], _ launch: LaunchNumber) {
        for action in actions {
            switch action {
            case .send(let message):
                // A message of the trial is never longer than a frame: its payloads are those of the plugin.
                if (try? launcher.send(message, to: launch)) == nil { launcher.kill(launch) }
            case .setKillTime(let time): launcher.setKillTime(time, of: launch)
            }
        }
    }

    /// Sets the limits of descriptors and of address space of a runner that waits for its plan. A limit that the system
    /// refuses stays unchanged. The plan contains the file-size limit.
    private func limit(_ pid: Int32, to shortage: TrialScript.Shortage) {
        let limits: [(Int32, UInt64?)] = [
            (Int32(RLIMIT_NOFILE.rawValue), shortage.descriptors),
            (
                Int32(RLIMIT_AS.rawValue),
                shortage.memory.flatMap { growth in addressSpace(of: pid).map { $0 + growth } }
            ),
        ]
        for case (let resource, let value?) in limits { _ = bgl_limit_of(pid, resource, value) }
    }
    /// The size of the address space of a process in bytes; nil when /proc cannot be read.
    private func addressSpace(of pid: Int32) -> UInt64? {
        let pages = FileBytes.text("/proc/\(pid)/statm", limit: 256)?.split(separator: " ").first.flatMap { UInt64($0) }
        return pages.map { $0 * UInt64(sysconf(Int32(_SC_PAGESIZE))) }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import LinuxSystem
import Logging
import PluginLaunch
import RunnerWire
import Scheduling
import TaskLedger
import TaskModel

// Translates inputs, including messages of runners, into events of the core. `RunnerJudge` judges the messages.
extension DecisionLoop {
    /// The scheduler events that an input causes, in order.
    func events(
        of input: Input,
        _ core: borrowing Scheduler,
        _ launches: inout LaunchDirectory
    ) -> [SchedulerEvent] {
        switch input {
        case .event(let event):
            if case .catalogued(let change) = event { removeBundles(after: change) }
            return [event]
        case .committed(let report):
            launches.payloads = report.payloads
            launches.startingCursors = report.cursors
            launches.cursors.committed(Ticket(rawValue: report.ticket), isOnDisk: report.isOnDisk)
            return [report.event]
        case .timer: return [.timerFired]
        case .launch(let event):
            return launches.containers.filter(event).map { events(of: $0, core, &launches) } ?? []
        case .container(let launch, .success(let prepared)):
            if !prepared.secrets.isEmpty { launches.secrets[launch] = prepared.secrets }
            if launches.withoutRunner.remove(launch) != nil { launcher.take(for: launch, program: prepared.program) }
            var events: [SchedulerEvent] = []
            for event in launches.containers.made(launch) { events += self.events(of: event, core, &launches) }
            return events
        case .container(let launch, .failure(let error)):
            let hasRunner = launches.withoutRunner.remove(launch) == nil
            launches.bundles[launch] = nil
            if launches.containers.failed(launch, hasRunner: hasRunner) { launcher.kill(launch) }
            log.error("launch not started: \(error)", metadata: ["launch": "\(launch)"])
            return [.runnerUnavailable(launch, message: error.message)]
        case .reading: return []
        }
    }

    private func removeBundles(after change: CatalogueChange) {
        let without = change.installed.filter { $0.mainBundle == nil }.map(\.identifier)
        containers.removeBundles(of: change.removed + without)
    }

    private func events(
        of event: LaunchEvent,
        _ core: borrowing Scheduler,
        _ launches: inout LaunchDirectory
    ) -> [SchedulerEvent] {
        switch event {
        case .ready(let launch, let process):
            runners.began(launch, in: process.pid)
            return [.runnerReady(launch, process)]
        case .unavailable(let launch, let error):
            launches.ended(launch)
            log.error("launch not started: \(error)", metadata: ["launch": "\(launch)"])
            return [.runnerUnavailable(launch, message: error.message)]
        case .wrote(let launch, let slot, let message):
            let write = launches.cursors.wrote(slot, in: launch)
            let written = self.written(slot.task, write, in: launch)
            guard let message else { return written }
            // The cursor was written before the message was sent. A call that waits for it stores it by itself.
            let handled = events(of: message, in: launch, core, &launches, after: write)
            return handled.contains(where: \.isCursorWrite) ? handled : written + handled
        case .unlimited(let launch, let cause): return [.launchUnlimited(launch, cause: cause)]
        case .failedByHost(let launch, let message): return [.launchFailedByHost(launch, message: message)]
        case .message(let launch, let message): return events(of: message, in: launch, core, &launches)
        case .refused(let launch, let call):
            return [launches.judges[launch]?.refused(call)].compactMap(\.self)
        case .malformed(let launch, let message):
            if logUnexpected("invalid message", message, of: launch, core, &launches) { return [] }
            return [launches.judges[launch]?.malformed(message)].compactMap(\.self)
        case .windowExceeded(let launch):
            if logUnexpected("too many calls", nil, of: launch, core, &launches) { return [] }
            return [launches.judges[launch]?.windowExceeded()].compactMap(\.self)
        case .output(let launch, let stream, let line):
            write(.info, line, of: launch, from: stream, .init(stream), launches)
        case .outputDropped(let launch, let stream, let lines):
            write(
                .warning,
                "lines dropped: \(lines); the plugin wrote more lines than the log accepts at once",
                of: launch,
                from: stream,
                .host,
                launches
            )
            return [launches.judges[launch]?.droppedOutput(of: stream)].compactMap(\.self)
        case .killTimePassed(let launch):
            log.info("launch killed at its kill time", metadata: ["launch": "\(launch)"])
            return [.killTimePassed(launch)]
        case .ended(let launch, let end):
            let termination = end.wasKilled ? "killed by the host" : end.termination.words
            log.info("launch ended", metadata: ["launch": "\(launch)", "termination": "\(termination)"])
            let judge = launches.judges[launch]
            launches.ended(launch)
            titles.ended(launch)
            runners.ended(launch)
            logs.ended(launch)
            return judge?.end(end) ?? RunnerJudge.end(end, of: launch)
        }
        return []
    }

    private func events(
        of message: RunnerMessage,
        in launch: LaunchNumber,
        _ core: borrowing Scheduler,
        _ launches: inout LaunchDirectory,
        after cursorWrite: CursorWrite? = nil
    ) -> [SchedulerEvent] {
        if logUnexpected("message", "\(message)", of: launch, core, &launches) { return [] }
        let isLoadingFunctions = core.isLoadingFunctions(launch)
        // The runner has just opened the file, so its metadata is cached: `libraryNow` does not wait for the disk.
        let verdict = launches.judges[launch]?.judge(
            message,
            libraryNow: { FileIdentity(ofPath: $0) },
            isLoadingFunctions: isLoadingFunctions
        )
        switch verdict {
        case nil, .nothing: break
        case .event(let event): return [event]
        case .taskEnded(let task, let event):
            titles.ended(task, of: launch)
            return [event]
        // The launch thread has read the cursor that the note is about.
        case .cursor: break
        case .checkpoint(let call, let task, let number):
            return checkpoint(call, task, number, cursorWrite, of: launch, launches)
        case .libraryChanged(let event):
            onUnseenChange()
            return [event]
        case .title(let task, let title): titles.change(task, of: launch, to: title)
        case .question(let call, let question):
            return register(replier(to: call, of: launch)).map { [question.event(reply: $0)] } ?? []
        case .answer(let answer): send(answer, to: launch)
        case .pendingList(let call, let plugin):
            list(requestsOf: core.mainPlugin(of: plugin), for: call, of: launch)
        case .pushToken(let call, let plugin, let isRegistration):
            return changePushToken(of: plugin, isRegistering: isRegistration, for: call, of: launch)
        case .transfer(let message, let plugin):
            return events(of: message, from: plugin, in: launch, core)
        case .log(let level, let task, let message):
            write(level, message, of: launch, task, from: .log, .log, launches)
        }
        return []
    }

    /// The event of a write that no call waits for; none when the write repeated the contents.
    private func written(_ task: TaskID, _ write: CursorWrite?, in launch: LaunchNumber) -> [SchedulerEvent] {
        guard let write, write != .repeated else { return [] }
        return [.cursorWritten(launch, task, write)]
    }

    /// Stores the cursor of a task for a call that waits for it.
    ///
    /// - Parameter write: the write that was read for the call; nil when an earlier read found it.
    private func checkpoint(
        _ call: CallNumber,
        _ task: TaskID,
        _ number: UInt64,
        _ write: CursorWrite?,
        of launch: LaunchNumber,
        _ launches: LaunchDirectory
    ) -> [SchedulerEvent] {
        guard launches.cursors.has(task, of: launch, number: number) else {
            send(.cursorStored(call, isRecorded: false), to: launch)
            return []
        }
        let token = register { [self] answer in
            switch answer {
            case .cursorRecorded: send(.cursorStored(call, isRecorded: true), to: launch)
            case .refused(let refusal): send(.refused(call, refusal), to: launch)
            default: send(.cursorStored(call, isRecorded: false), to: launch)
            }
        }
        return token.map { [.cursorWritten(launch, task, write ?? .repeated, reply: $0)] } ?? []
    }

    /// Logs the first message of a launch to whose runner nothing was sent. An unmodified runner sends no message
    /// before it has received one. The scheduler journals no violation of such a launch, because no plugin code runs in
    /// it.
    ///
    /// - Returns: whether nothing was sent. False once the runner was sent its confinement; nothing is logged then.
    private func logUnexpected(
        _ kind: String,
        _ message: String?,
        of launch: LaunchNumber,
        _ core: borrowing Scheduler,
        _ launches: inout LaunchDirectory
    ) -> Bool {
        if launches.judges[launch] != nil { return false }
        guard launches.unexpected.insert(launch).inserted else { return true }
        var metadata: Logger.Metadata = [
            "launch": "\(launch)", "plugin": "\(core.plugin(of: launch)?.text ?? "none")", "kind": "\(kind)",
        ]
        if let message { metadata["message"] = "\(message.bounded(toBytes: 4_096).terminalSafe)" }
        let text =
            "a runner sent a message before it received one, which the runner of this host's release never does;"
            + " install bgtaskd and bgtask-runner of one release"
        log.warning("\(text)", metadata: metadata)
        return true
    }

    private func replier(to call: CallNumber, of launch: LaunchNumber) -> Reply {
        { [self] answer in
            switch answer {
            case .submitted(let number, _, _): send(.submitted(call, number), to: launch)
            case .refused(let refusal): send(.refused(call, refusal), to: launch)
            case .cancelled: send(.cancelled(call, isRecorded: true), to: launch)
            case .notRecorded: send(.cancelled(call, isRecorded: false), to: launch)
            case .triggered, .pushed, .alerted, .transferPaused, .noSuchTransfer, .launching, .notLaunching, .expiring,
                .stopping, .notRunning, .purged, .notPurged,
                .paused, .resumed, .cursorRecorded, .cursorCleared, .cursorNotCleared, .pushTokenChanged,
                .lease:
                break  // Only calls of users have these answers.
            }
        }
    }

    /// Writes a line to the log of its launch and to the host's log.
    ///
    /// - Parameters:
    ///   - stream: the source of the line, or the source that a remark of the host is about.
    ///   - origin: the source of the line in the log of the launch.
    private func write(
        _ level: LogLevel,
        _ line: String,
        of launch: LaunchNumber,
        _ task: TaskID? = nil,
        from stream: RunnerOutput,
        _ origin: LogStream,
        _ launches: LaunchDirectory
    ) {
        let judge = launches.judges[launch]
        let label = task.flatMap { judge?.label(of: $0) }
        if let judge {
            let text = origin == .host ? "\(stream.rawValue): \(line)" : line
            logs.write(text, level, origin, task: label, of: launch, judge.plugin, tasks: judge.tasks)
        }
        let plugin = judge?.plugin.text ?? "none"
        var metadata: Logger.Metadata = [
            "plugin": "\(plugin)", "launch": "\(launch)", "stream": "\(stream.rawValue)",
        ]
        if let label { metadata["task"] = "\(label)" }
        // Escaped to one line, so that it can neither imitate another line nor control the reader's terminal.
        log.log(level: level.loggerLevel, "\(line.terminalSafe)", metadata: metadata)
    }
}

extension LogStream {
    fileprivate init(_ output: RunnerOutput) {
        switch output {
        case .standardOutput: self = .stdout
        case .standardError: self = .stderr
        case .log: self = .log
        }
    }
}

extension LogLevel {
    fileprivate var loggerLevel: Logger.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .warning: .warning
        case .error: .error
        }
    }
}

extension SchedulerEvent {
    fileprivate var isCursorWrite: Bool { if case .cursorWritten = self { true } else { false } }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import Logging
import PluginBinary
import PluginLaunch
import RunnerWire
import Scheduling
import TaskLedger
import TaskModel

// What inputs, and the messages of runners among them, are to the core.
extension DecisionLoop {
    /// The events that an input is to the core, in order.
    func events(
        of input: Input,
        _ core: borrowing Scheduler,
        _ launches: inout LaunchDirectory
    ) -> [SchedulerEvent] {
        switch input {
        case .event(let event): return [event]
        case .committed(let event, let payloads):
            launches.payloads = payloads
            return [event]
        case .timer: return [.timerFired]
        case .launch(let event):
            return launches.containers.filter(event).map { events(of: $0, core, &launches) } ?? []
        case .container(let launch, nil):
            var events: [SchedulerEvent] = []
            for event in launches.containers.made(launch) { events += self.events(of: event, core, &launches) }
            return events
        case .container(let launch, let error?):
            if launches.containers.failed(launch) { launcher.kill(launch) }
            log.error("no runner", metadata: ["launch": "\(launch)", "problem": "\(error)"])
            return [.runnerUnavailable(launch, message: error.message)]
        case .reading: return []
        }
    }

    private func events(
        of event: LaunchEvent,
        _ core: borrowing Scheduler,
        _ launches: inout LaunchDirectory
    ) -> [SchedulerEvent] {
        switch event {
        case .ready(let launch, let process): return [.runnerReady(launch, process)]
        case .unavailable(let launch, let error):
            log.error("no runner", metadata: ["launch": "\(launch)", "problem": "\(error)"])
            return [.runnerUnavailable(launch, message: error.message)]
        case .message(let launch, let message): return events(of: message, in: launch, core, launches)
        case .malformed(let launch, let message):
            return [.violated(launch, rule: "BGT-ABI-16", message: "\(message); \(Self.channelRemedy)")]
        case .windowExceeded(let launch): return [.violated(launch, rule: "BGT-ABI-16", message: Self.windowRule)]
        case .output(let launch, let stream, let line):
            write(.info, line, of: launch, from: stream, launches)
        case .outputDropped(let launch, let stream, let lines):
            write(.warning, "\(lines) lines dropped: too many at once", of: launch, from: stream, launches)
            guard launches.flooding.insert(launch).inserted else { break }
            return [.violated(launch, rule: Self.lineRule, message: Self.flood(of: stream))]
        case .killedAtDeadline(let launch):
            log.info("killed at its deadline", metadata: ["launch": "\(launch)"])
            return [.killedAtDeadline(launch)]
        case .ended(let launch, let end):
            log.info("ended", metadata: ["launch": "\(launch)", "termination": "\(end.termination.words)"])
            launches.ended(launch)
            titles.ended(launch)
            return violations(in: end, of: launch) + [.runnerEnded(launch, end.termination, end.lastWords)]
        }
        return []
    }

    /// What a launch leaves running is its own doing only when it ended by itself, and in order.
    private func violations(in end: RunnerEnd, of launch: LaunchNumber) -> [SchedulerEvent] {
        guard end.leftRunning > 0, !end.wasKilled, case .exited = end.termination else { return [] }
        let processes = end.leftRunning == 1 ? "a process that it started was" : "\(end.leftRunning) processes were"
        let message =
            "\(processes) still running when the launch ended, and ended with it;"
            + " wait for what is started before the last task is completed"
        return [.violated(launch, rule: "BGT-ABI-16", message: message)]
    }

    private static let channelRemedy = "leave descriptors alone that the plugin did not open"
    private static let windowRule =
        "more than \(CallWindow.limit) calls were unanswered at once, which the runner prevents: they were written past it;"
        + " \(channelRemedy)"
    private static let lineRule =
        "a log takes \(LineAllowance.burst) lines at once and then \(LineAllowance.linesPerSecond) a second"

    private static func flood(of stream: RunnerOutput) -> String {
        "\(stream.rawValue) had more, which were dropped; say less, or write to a file in the container"
    }

    private func events(
        of message: RunnerMessage,
        in launch: LaunchNumber,
        _ core: borrowing Scheduler,
        _ launches: LaunchDirectory
    ) -> [SchedulerEvent] {
        guard let plugin = launches.plugins[launch] else { return [] }
        switch message {
        case .entered(let status, let registered, let offersReceive):
            return [.entered(launch, status: status, registered: registered, offersReceive: offersReceive)]
        case .loadFailed(let message) where hasChanged(launches.libraries[launch]):
            // It was replaced, and the launch comes again. Where its folder cannot be watched, nobody else would tell.
            onUnseenChange()
            return [.planNotSent(launch, message: Self.bounded(message))]
        // The machine's lack, not the plugin's; nobody who is heard later, or binds nothing, can say so.
        case .callerMissing(let message) where core.isLoadingFunctions(launch):
            return [.planNotSent(launch, message: Self.bounded(message))]
        case .loadFailed(let message), .callerMissing(let message):
            return [.loadFailed(launch, message: Self.bounded(message))]
        case .registered(let identifier): return [.registered(launch, identifier)]
        case .completed(let task, let outcome):
            titles.ended(task, of: launch)
            return [.completed(launch, task, outcome)]
        case .returned(let task, let outcome, let text):
            titles.ended(task, of: launch)
            return [
                .returned(
                    launch,
                    task,
                    outcome,
                    text: Self.bounded(text.terminalSafe, limit: RunnerMessage.longestReturnedText)
                )
            ]
        case .progress(let task, let progress): return [.progressed(launch, task, progress)]
        case .title(let task, let title, let subtitle):
            if titles.change(task, of: launch, to: .init(title: title, subtitle: subtitle)) { break }
            // The runner refuses these itself; whoever sends one speaks past it.
            let message =
                "\(plugin) gave task \(task) a title, which is no continued task of launch \(launch), or no title;"
                + " change those of the tasks that its handlers are given"
            return [.violated(launch, rule: "BGT-ABI-08", message: message)]
        case .fetchInterval(let interval): return [.fetchIntervalSet(launch, interval)]
        case .expirationHandler(let task, let isSet): return [.expirationHandlerChanged(launch, task, isSet: isSet)]
        case .expiring(let tasks, let reason): return [.runnerExpired(launch, tasks, reason)]
        case .assertionBegan(let id, let name): return [.assertionBegan(launch, id, name: name)]
        case .assertionEnded(let id): return [.assertionEnded(launch, id)]
        case .violation(let rule, let message):
            return [.violated(launch, rule: Self.bounded(rule), message: Self.bounded(message))]
        case .submit(let call, let request, let payload):
            if let flaw = request.flaw(with: payload) {
                // The runner refuses these itself; whoever sends one speaks past it.
                let refusal = Refusal(code: .unavailable, subReason: .notOffered, message: flaw)
                send(.refused(call, refusal), to: launch)
                break
            }
            let submission = Submission(
                request: request,
                payload: payload,
                submitter: .plugin(plugin),
                launch: launch
            )
            return question(from: launch, call) { .submitted(submission, reply: $0) }
        case .cancel(let call, let identifier):
            return question(from: launch, call) { .cancelRequested(identifier, of: plugin, reply: $0) }
        case .cancelAll(let call):
            return question(from: launch, call) { .cancelAllRequested(of: plugin, reply: $0) }
        case .pending(let call):
            let pending = core.pendingRequests(of: plugin)
            let summaries = pending.map { PendingSummary(request: $0.request, number: $0.number) }
            send(.pending(call, summaries), to: launch)
        case .log(let level, let message):
            // Each byte that was no text became three.
            write(level.loggerLevel, Self.bounded(message, limit: 3 * 4_096), of: launch, from: .log, launches)
        case .stopped: break
        }
        return []
    }

    /// The runner has just looked the file up, so that its entry is in memory: this waits for no disk.
    private func hasChanged(_ library: LibraryFile?) -> Bool {
        library.map { FileIdentity(ofPath: $0.path) != $0.identity } ?? false
    }

    /// What a runner says goes into journal and log: enough of it to be understood.
    private static func bounded(_ text: String, limit: Int = 4_096) -> String { text.bounded(toBytes: limit) }

    /// The question of a plugin's call, which the core answers; none when the host has stopped, which is the call's answer.
    private func question(
        from launch: LaunchNumber,
        _ call: CallNumber,
        _ event: (ReplyToken) -> SchedulerEvent
    ) -> [SchedulerEvent] {
        register(replier(to: call, of: launch)).map { [event($0)] } ?? []
    }

    private func replier(to call: CallNumber, of launch: LaunchNumber) -> Reply {
        { [self] answer in
            switch answer {
            case .submitted(let number, _, _): send(.submitted(call, number), to: launch)
            case .refused(let refusal): send(.refused(call, refusal), to: launch)
            case .cancelled: send(.cancelled(call, isRecorded: true), to: launch)
            case .notRecorded: send(.cancelled(call, isRecorded: false), to: launch)
            case .triggered, .launching, .notLaunching, .expiring, .notRunning, .purged, .notPurged:
                break  // Only people ask for these.
            }
        }
    }

    private func write(
        _ level: Logger.Level,
        _ line: String,
        of launch: LaunchNumber,
        from stream: RunnerOutput,
        _ launches: LaunchDirectory
    ) {
        let plugin = launches.plugins[launch]?.text ?? "none"
        // One line, and nothing in it that could pass for another or steer whoever reads it.
        log.log(
            level: level,
            "\(line.terminalSafe)",
            metadata: ["plugin": "\(plugin)", "launch": "\(launch)", "stream": "\(stream.rawValue)"]
        )
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

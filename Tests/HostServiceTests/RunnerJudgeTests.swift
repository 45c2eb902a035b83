// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CSeccomp
import Glibc
import RunnerWire
import SandboxPolicy
import Scheduling
import TaskModel
import Testing

@testable import HostService
@testable import PluginLaunch

@Suite("A runner's messages are accepted only within the plan of its launch")
struct RunnerJudgeTests {
    private static let launch = LaunchNumber(rawValue: 41)
    private static let continued = TaskID(launch: launch, index: 0)
    private static let refresh = TaskID(launch: launch, index: 1)
    private static let call = CallNumber(rawValue: 7)
    private static let library = LibraryFile(
        path: "/opt/libFeed.so",
        digest: "ab12",
        identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5)
    )

    private let plugin: PluginIdentifier
    private let identifier: TaskIdentifier
    private var judge: RunnerJudge

    init() throws {
        plugin = try #require(PluginIdentifier("com.example.feed"))
        identifier = try #require(TaskIdentifier("com.example.feed.export"))
        judge = try Self.judge(of: plugin, identifier)
        judge.planSent(with: try Self.plan(of: plugin, identifier).tasks)
    }

    /// A judge of a launch whose plan was not sent.
    private static func judge(
        of plugin: PluginIdentifier,
        _ identifier: TaskIdentifier,
        isFiltered: Bool = false
    ) throws -> RunnerJudge {
        RunnerJudge(of: launch, try plan(of: plugin, identifier).plugin, isFiltered: isFiltered)
    }

    private static func plan(of plugin: PluginIdentifier, _ identifier: TaskIdentifier) throws -> LaunchPlan {
        LaunchPlan(
            number: launch,
            plugin: PluginEntry(
                identifier: plugin,
                name: "Feed",
                version: "1",
                role: .main,
                permitted: [.exact(identifier)],
                modes: [.fetch],
                library: library,
                manifestPath: "/etc/feed.yaml",
                manifestDigest: ""
            ),
            lane: .continued,
            cause: .user,
            tasks: [task(0, .continued, plugin, identifier), task(1, .refresh, plugin, identifier)],
            budget: LaunchBudget(
                total: nil,
                gracePeriod: .seconds(5),
                entryLimit: .seconds(30),
                startingAt: MonotonicTime(nanoseconds: 0)
            ),
            process: RunnerProcess(pid: 1, startTime: 2, boot: BootID("b00t"), controlGroup: nil),
            startedAt: WallTime(nanoseconds: 0)
        )
    }

    private static func task(
        _ index: Int,
        _ kind: TaskKind,
        _ plugin: PluginIdentifier,
        _ identifier: TaskIdentifier
    ) -> PlannedTask {
        let terms = kind == .continued ? ContinuedTerms(title: "Exporting") : nil
        let request = PendingRequest(
            plugin: plugin,
            number: SubmissionNumber(rawValue: Int64(index + 1)),
            request: TaskRequest(identifier: identifier, kind: kind, continued: terms),
            submitter: .user,
            submittedAt: WallTime(nanoseconds: 0)
        )
        return PlannedTask(id: TaskID(launch: launch, index: index), work: .request(request))
    }

    private mutating func verdict(
        on message: RunnerMessage,
        libraryNow: FileIdentity? = library.identity,
        isLoadingFunctions: Bool = false
    ) -> RunnerVerdict {
        judge.judge(message, libraryNow: { _ in libraryNow }, isLoadingFunctions: isLoadingFunctions)
    }

    private func rule(of verdict: RunnerVerdict) -> ABIRule? {
        if case .event(.violated(Self.launch, let rule, _)) = verdict { rule } else { nil }
    }

    // MARK: - Loading

    @Test mutating func `a runner's failed load of the catalogued library is blamed on the plugin`() {
        #expect(verdict(on: .loadFailed(message: "no")) == .event(.loadFailed(Self.launch, message: "no")))
    }

    @Test(arguments: [nil, FileIdentity(device: 1, inode: 9, size: 3, modified: 4, changed: 5)])
    mutating func `a runner's failed load of a library that was replaced or removed is reported as a library change`(
        identity: FileIdentity?
    ) {
        let expected = RunnerVerdict.libraryChanged(.launchFailedByHost(Self.launch, message: "no"))
        #expect(verdict(on: .loadFailed(message: "no"), libraryNow: identity) == expected)
    }

    @Test
    mutating func `a missing libffi is blamed on the host while a launch loads bound functions, else on the plugin`() {
        let missing = RunnerMessage.ffiMissing(message: "libffi.so.8")
        let hosts = RunnerVerdict.event(.launchFailedByHost(Self.launch, message: "libffi.so.8"))
        #expect(verdict(on: missing, isLoadingFunctions: true) == hosts)
        #expect(verdict(on: missing) == .event(.loadFailed(Self.launch, message: "libffi.so.8")))
    }

    @Test mutating func `a failed sandbox is blamed on the host only until the plugin has entered`() {
        let failed = RunnerMessage.sandboxFailed(message: "cannot")
        #expect(verdict(on: failed) == .event(.launchFailedByHost(Self.launch, message: "cannot")))
        _ = verdict(on: .entered(status: 0, registered: [], offersReceive: false))
        #expect(verdict(on: failed) == .event(.loadFailed(Self.launch, message: "cannot")))
    }

    // MARK: - Titles

    @Test mutating func `a runner's title for a running continued task is accepted until the task ends`() {
        let title = RunnerMessage.title(Self.continued, "Half done", subtitle: nil)
        #expect(verdict(on: title) == .title(Self.continued, .init(title: "Half done", subtitle: nil)))
        _ = verdict(on: .completed(Self.continued, .success))
        #expect(rule(of: verdict(on: title)) == .numbers)
    }

    @Test mutating func `a runner's title for a task of another kind or launch is a violation`() {
        for task in [Self.refresh, TaskID(launch: LaunchNumber(rawValue: 40), index: 0)] {
            #expect(rule(of: verdict(on: .title(task, "Mine", subtitle: nil))) == .numbers)
        }
    }

    @Test mutating func `an empty title, an overlong title and an overlong subtitle from a runner are violations`() {
        let tooLong = String(repeating: "x", count: ContinuedTerms.maximumTitle + 1)
        for (title, subtitle) in [("", nil), (tooLong, nil), ("Mine", tooLong)] {
            #expect(rule(of: verdict(on: .title(Self.continued, title, subtitle: subtitle))) == .numbers)
        }
    }

    @Test mutating func `a runner's title for a continued task that is delivered during the launch is accepted`() {
        let later = Self.task(2, .continued, plugin, identifier)
        let title = RunnerMessage.title(later.id, "Later", subtitle: "1 of 2")
        #expect(rule(of: verdict(on: title)) == .numbers)
        judge.delivered(later)
        #expect(verdict(on: title) == .title(later.id, .init(title: "Later", subtitle: "1 of 2")))
    }

    // MARK: - Calls

    @Test mutating func `a runner's submission is passed to the scheduler as a submission of the runner's plugin`() {
        let request = TaskRequest(identifier: identifier, kind: .refresh)
        let submission = Submission(
            request: request,
            payload: [1],
            submitter: .plugin(plugin),
            launch: Self.launch
        )
        let verdict = verdict(on: .submit(Self.call, request, payload: [1]))
        #expect(verdict == .question(Self.call, .submit(submission)))
    }

    @Test
    mutating func `a runner's submission with a wrong kind, a field of another kind or a large payload is refused`() {
        let requests = [
            TaskRequest(identifier: identifier, kind: .event),
            TaskRequest(identifier: identifier, kind: .continued),
            TaskRequest(identifier: identifier, kind: .refresh, requiresNetwork: true),
            TaskRequest(identifier: identifier, kind: .refresh, continued: ContinuedTerms(title: "Mine")),
            TaskRequest(identifier: identifier, kind: .continued, continued: ContinuedTerms(title: "")),
            TaskRequest(identifier: identifier, kind: .processing, protection: .complete),
        ]
        for request in requests {
            guard case .answer(.refused(Self.call, let refusal)) = verdict(on: .submit(Self.call, request, payload: []))
            else {
                Issue.record("\(request) is not refused")
                continue
            }
            #expect(refusal.subReason == .notOffered)
        }
        let payload = [UInt8](repeating: 0, count: TaskRequest.maximumPayload + 1)
        let request = TaskRequest(identifier: identifier, kind: .refresh)
        guard case .answer = verdict(on: .submit(Self.call, request, payload: payload)) else {
            Issue.record("a payload that is too large is not refused")
            return
        }
    }

    @Test mutating func `a runner's cancellations and lists of pending requests concern the runner's own plugin only`()
    {
        let one = RunnerQuestion.cancel(identifier, of: plugin, from: Self.launch)
        #expect(verdict(on: .cancel(Self.call, identifier)) == .question(Self.call, one))
        let all = RunnerQuestion.cancelAll(of: plugin, from: Self.launch)
        #expect(verdict(on: .cancelAll(Self.call)) == .question(Self.call, all))
        #expect(verdict(on: .pending(Self.call)) == .pendingList(Self.call, of: plugin))
    }

    @Test func `a runner's cancellation of all requests becomes a scheduler event with the token of the reply`() {
        let token = ReplyToken(rawValue: 3)
        #expect(
            RunnerQuestion.cancelAll(of: plugin, from: Self.launch).event(reply: token)
                == .cancelAllRequested(of: plugin, from: Self.launch, reply: token)
        )
    }

    // MARK: - Text

    @Test
    mutating func `texts of a runner are cut to length, and the returned text of a bound function is also escaped`() {
        let long = String(repeating: "x", count: 100_000)
        guard
            case .event(.violated(_, _, let message)) = verdict(on: .violation(.setFetchIntervalOfMain, message: long)),
            case .log(_, _, let line) = verdict(on: .log(.info, message: long)),
            case .taskEnded(_, .completed(_, _, _, let text?)) =
                verdict(on: .completed(Self.refresh, .success, message: "\u{1b}[31m" + long))
        else {
            Issue.record("a verdict of another kind")
            return
        }
        #expect(message.utf8.count <= 4_096 && line.utf8.count <= 3 * 4_096)
        #expect(text.utf8.count <= RunnerMessage.longestCompletionMessage && !text.contains("\u{1b}"))
    }

    @Test mutating func `dropped output is journaled as one violation per launch`() {
        #expect(judge.droppedOutput(of: .standardOutput) != nil)
        #expect(judge.droppedOutput(of: .standardError) == nil)
    }

    // MARK: - The end

    private func end(_ termination: ProcessTermination, wasKilled: Bool = false, leftRunning: Int) -> RunnerEnd {
        RunnerEnd(termination: termination, lastWords: nil, wasKilled: wasKilled, leftRunning: leftRunning)
    }

    @Test func `leftover processes of a launch that ended in order are a violation, reported before the launch's end`()
    {
        let events = RunnerJudge.end(end(.exited(code: 0), leftRunning: 2), of: Self.launch)
        #expect(events.count == 2)
        #expect(events.last == .runnerEnded(Self.launch, .exited(code: 0), nil))
        guard case .violated(_, .processOfHost, let message)? = events.first else {
            Issue.record("no violation")
            return
        }
        #expect(message.hasPrefix("2 processes of the plugin were still running"))
    }

    @Test
    func `the first refusal of each grant is journaled after 20 entries about refused calls that no grant allows`()
        throws
    {
        var judge = judge
        func message(_ call: String, _ family: Int32 = 0) -> String? {
            let number = seccomp_syscall_resolve_name(call)
            let denied = DeniedCall(number: number, arguments: (UInt64(family), UInt64(SOCK_STREAM.rawValue)))
            guard case .denied(_, let message)? = judge.refused(denied) else { return nil }
            return message
        }
        let ungrantable = (40..<80).compactMap { message("socket", $0) }
        #expect(ungrantable.count == 20)
        let end = "; further refused calls of this launch that no grant allows are not journaled"
        #expect(ungrantable.map { $0.hasSuffix(end) } == Array(repeating: false, count: 19) + [true])
        #expect(message("socket", AF_INET)?.hasSuffix("grants: { network: true }") == true)
        #expect(message("socket", AF_UNIX)?.hasSuffix("grants: { unix: [PATH] }") == true)
        #expect(message("execve")?.hasSuffix("grants: { processes: true }") == true)
        #expect(message("socket", AF_NETLINK)?.contains("NETLINK_ROUTE") == true)
        #expect(message("connect") == nil && message("fork") == nil && message("ptrace") == nil)
    }

    @Test func `leftover processes of a killed or crashed launch are no violation`() {
        let ends = [
            end(.exited(code: 0), wasKilled: true, leftRunning: 1), end(.signaled(11), leftRunning: 1),
            end(.exited(code: 0), leftRunning: 0),
        ]
        for end in ends { #expect(RunnerJudge.end(end, of: Self.launch).count == 1) }
    }

    @Test func `an invalid message of a runner is a failure of the host before the plan, and a violation after it`()
        throws
    {
        var judge = try Self.judge(of: plugin, identifier)
        for event in [judge.malformed("kind 99"), judge.windowExceeded()] {
            guard case .launchFailedByHost(Self.launch, let message) = event else {
                Issue.record("\(event)")
                continue
            }
            #expect(message.hasSuffix("install bgtaskd and bgtask-runner of one release"))
        }
        judge.planSent(with: [])
        for event in [judge.malformed("kind 99"), judge.windowExceeded()] {
            guard case .violated(Self.launch, .processOfHost, _) = event else {
                Issue.record("\(event)")
                continue
            }
        }
    }

    @Test func `a runner killed by another process before it reports its system call filter is a failure of the host`()
        throws
    {
        let judge = try Self.judge(of: plugin, identifier, isFiltered: true)
        let events = judge.end(end(.signaled(9), leftRunning: 0))
        #expect(events.last == .runnerEnded(Self.launch, .signaled(9), nil))
        guard case .launchFailedByHost(_, let message)? = events.first, events.count == 2 else {
            Issue.record("\(events)")
            return
        }
        #expect(message.hasPrefix("the runner ended before it loaded the plugin"))
    }

    @Test
    func `a runner's end is no host failure if its filter is set or not needed, the host killed it, or it exited`()
        throws
    {
        let filtered = try Self.judge(of: plugin, identifier, isFiltered: true)
        var confined = filtered
        _ = confined.judge(.confined(), libraryNow: { _ in nil }, isLoadingFunctions: false)
        let ends = [
            confined.end(end(.signaled(9), leftRunning: 0)), judge.end(end(.signaled(9), leftRunning: 0)),
            filtered.end(end(.signaled(9), wasKilled: true, leftRunning: 0)),
            filtered.end(end(.exited(code: 5), leftRunning: 0)),
        ]
        #expect(ends.allSatisfy { $0.count == 1 })
    }
}

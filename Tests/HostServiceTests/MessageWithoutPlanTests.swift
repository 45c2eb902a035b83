// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import Logging
import PluginLaunch
import RunnerWire
import Scheduling
import Synchronization
import TaskModel
import Testing

@testable import HostService

@Suite("A message of a runner without a plan is logged with its launch and plugin")
struct MessageWithoutPlanTests {
    /// A log handler that collects the metadata of warnings.
    private struct WarningLog: LogHandler {
        final class Lines: Sendable {
            let all = Mutex<[Logger.Metadata]>([])
        }

        let lines: Lines
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.warning

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.all.withLock { $0.append(event.metadata ?? [:]) }
        }
    }

    private let lines = WarningLog.Lines()
    private let plugin: PluginIdentifier
    private let identifier: TaskIdentifier

    init() throws {
        plugin = try #require(PluginIdentifier("com.example.feed"))
        identifier = try #require(TaskIdentifier("com.example.feed.refresh"))
    }

    private var entry: PluginEntry {
        PluginEntry(
            identifier: plugin,
            name: "Feed",
            version: "1",
            role: .main,
            permitted: [.exact(identifier)],
            modes: [.fetch],
            library: LibraryFile(
                path: "/opt/libFeed.so",
                digest: "ab12",
                identity: FileIdentity(device: 1, inode: 2, size: 3, modified: 4, changed: 5)
            ),
            manifestPath: "/etc/feed.yaml",
            manifestDigest: ""
        )
    }

    /// Moves the scheduler to the state with a launch that waits for its runner.
    private func prepareLaunch(in core: inout Scheduler) throws -> LaunchNumber {
        let now = SystemClock().now()
        let reply = ReplyToken(rawValue: 1)
        let request = TaskRequest(identifier: identifier, kind: .refresh)
        var events: [SchedulerEvent] = [
            .catalogued(CatalogueChange(to: Catalogue([entry]))),
            .submitted(Submission(request: request, submitter: .user), reply: reply),
        ]
        var launch: LaunchNumber?
        while !events.isEmpty {
            for action in core.handle(events.removeFirst(), at: now) {
                switch action {
                case .commit(let ticket, _): events.append(.committed(ticket))
                case .answer(_, .submitted): events.append(.runRequested([identifier], reply: reply))
                case .takeRunner(let number, _): launch = number
                default: break
                }
            }
        }
        return try #require(launch)
    }

    @Test(arguments: ["message", "invalid message", "too many calls"])
    func `a runner's message before the plan does not reach the scheduler, and the log has one line for its launch`(
        kind: String
    )
        async throws
    {
        let log = Logger(label: "test") { [lines] _ in WarningLog(lines: lines) }
        try await LoopFixture.with(log: log) { fixture in
            var core = fixture.core
            var launches = LaunchDirectory()
            let launch = try prepareLaunch(in: &core)
            let event: LaunchEvent =
                switch kind {
                case "message": .message(launch, .stopped)
                case "invalid message": .malformed(launch, message: "kind 99")
                default: .windowExceeded(launch)
                }
            for _ in 0..<2 { #expect(fixture.loop.events(of: .launch(event), core, &launches).isEmpty) }
            let logged = lines.all.withLock { $0 }
            #expect(logged.count == 1)
            #expect(logged.first?["launch"] == "\(launch)")
            #expect(logged.first?["plugin"] == "\(plugin)")
            #expect(logged.first?["kind"] == "\(kind)")
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import Synchronization
import Testing

@testable import ColorFeed

@Suite("ColorFeed, on a host in the process of the test", .serialized)
struct RefreshTests {
    private static let refresh = "com.example.colorfeed.refresh"
    private static let cleaning = "com.example.colorfeed.db-cleaning"

    /// Calls the body with a host that ColorFeed has entered, with a feed of one colour. Expects a launch without
    /// defects.
    private func with(
        _ settings: [String: String] = [:],
        _ body: (TestHost) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let feed = directory.appending(path: "feed.xml")
        let text = "<rss><channel><item><guid>1</guid><title>Navy #000080</title></item></channel></rss>"
        try Data(text.utf8).write(to: feed)
        let host = TestHost(
            plugin: "com.example.colorfeed",
            permitted: [Self.refresh, Self.cleaning, "com.example.colorfeed.export.*"],
            settings: ["feed-url": feed.absoluteString].merging(settings) { _, own in own },
            container: directory
        )
        try await host.enter { ColorFeed.shared.launch() }
        try await body(host)
        #expect(await host.end() == [])
    }

    @Test func `the event started submits both requests, and cleaning requires external power`() async throws {
        try await with { host in
            #expect(await host.send(.started) == .success)
            #expect(host.pendingRequests.map(\.identifier) == [Self.refresh, Self.cleaning])
            let cleaning = host.pendingRequests.last as? BGProcessingTaskRequest
            #expect(cleaning?.requiresExternalPower == true)
        }
    }

    @Test func `a push with a payload reaches the receiver of events, and submits nothing`() async throws {
        try await with { host in
            #expect(await host.push(Data("news".utf8)) == .success)
            #expect(await host.push() == .success)
            #expect(host.submissions.isEmpty)
        }
    }

    @Test func `a refresh stores a new colour once, and submits its successor each time`() async throws {
        try await with { host in
            #expect(await host.run(Self.refresh, .refresh) == .success)
            #expect(await host.runPending(Self.refresh) == .noData)
            #expect(host.submissions.map(\.identifier) == [Self.refresh, Self.refresh])
            #expect(host.log.contains { $0.contains("kept 1 new colours of 1") })
        }
    }

    @Test func `a refresh without a feed fails, and its successor is pending`() async throws {
        try await with(["feed-url": ""]) { host in
            #expect(await host.run(Self.refresh, .refresh) == .failure)
            #expect(host.pendingRequests.map(\.identifier) == [Self.refresh])
        }
    }

    @Test func `a refused submission is logged with its message`() async throws {
        try await with { host in
            host.refuseNext(.tooManyPendingTaskRequests, message: "ten are pending")
            #expect(await host.run(Self.refresh, .refresh) == .success)
            #expect(host.log.contains { $0.contains("could not schedule") && $0.contains("ten are pending") })
        }
    }
}

// Entries and refusals as in a launch.
extension RefreshTests {
    private static let export = "com.example.colorfeed.export"

    @Test func `an async entry registers handlers after an await, and main-actor code runs meanwhile`() async throws {
        let host = TestHost(plugin: "com.example.colorfeed", permitted: [Self.refresh])
        try await host.enterAsync {
            await Task { @MainActor in }.value
            BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.refresh) { @Sendable task in
                task.setTaskCompleted(success: true)
            }
        }
        #expect(await host.run(Self.refresh, .refresh) == .success)
        #expect(await host.settle())
        #expect(await host.end() == [])
    }

    @Test func `an async entry that throws fails, and the failure has the logged error`() async throws {
        let host = TestHost(plugin: "com.example.colorfeed", permitted: [Self.refresh])
        let failure = await #expect(throws: TestHost.EntryFailure.self) {
            try await host.enterAsync {
                await Task.yield()
                throw CancellationError()
            }
        }
        #expect(failure?.log.contains { $0.contains("CancellationError") } == true)
    }

    @Test func `a refused submission has the code, the sub-reason and the message of the refusal`() async throws {
        try await with { host in
            host.refuseNext(.unavailable, subReason: .backgroundRefreshOff, message: "refresh is off")
            let request = BGAppRefreshTaskRequest(identifier: Self.refresh)
            let error = #expect(throws: BGTaskScheduler.Error.self) { try BGTaskScheduler.shared.submit(request) }
            #expect(error?.code == .unavailable && error?.subReason == .backgroundRefreshOff)
            #expect(error?.localizedDescription == "refresh is off")
        }
    }

    @Test
    func `in a launch that a user started an identifier is registered after entry, and its continued task succeeds`()
        async throws
    {
        let host = TestHost(
            plugin: "com.example.colorfeed",
            permitted: [Self.export],
            isUserInitiated: true,
            supportedResources: .gpu
        )
        try await host.enterAsync {}
        #expect(BGTaskScheduler.supportedResources == .gpu)
        let isRegistered = BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.export) { @Sendable task in
            task.setTaskCompleted(success: task is BGContinuedProcessingTask)
        }
        #expect(isRegistered)
        let request = BGContinuedProcessingTaskRequest(identifier: Self.export, title: "Export", subtitle: "")
        try BGTaskScheduler.shared.submit(request)
        #expect(await host.runPending(Self.export) == .success)
        #expect(await host.end() == [])
    }
}

// The plugin after its host.
extension RefreshTests {
    /// Tasks that outlive their host.
    private final class KeptTasks: Sendable {
        private let tasks = Mutex<[BGTask]>([])

        var first: BGTask? { tasks.withLock { $0.first } }

        func add(_ task: BGTask) { tasks.withLock { $0.append(task) } }
    }

    /// Creates a host whose handlers call the closure.
    private func host(_ handle: @escaping @Sendable (BGTask) -> Void) async throws -> TestHost {
        let host = TestHost(plugin: "com.example.colorfeed", permitted: [Self.refresh])
        try await host.enter {
            BGTaskScheduler.shared.register(forTaskWithIdentifier: Self.refresh) { @Sendable task in handle(task) }
        }
        return host
    }

    /// Runs a task, and releases its host.
    ///
    /// - Parameter isEnded: whether the host ends its launch before the release.
    /// - Returns: a closure that returns the host, or nil after the host's deinitialization.
    private func runAndRelease(keeping kept: KeptTasks, isEnded: Bool) async throws -> () -> TestHost? {
        let host = try await host { task in
            kept.add(task)
            task.setTaskCompleted(success: true)
        }
        #expect(await host.run(Self.refresh, .refresh) == .success)
        if isEnded { #expect(await host.end() == []) }
        return { [weak host] in host }
    }

    @Test(arguments: [true, false])
    func `after the release of a test host, its task is expiring, a submission fails, and no request is pending`(
        isEnded: Bool
    ) async throws {
        let kept = KeptTasks()
        let remaining = try await runAndRelease(keeping: kept, isEnded: isEnded)
        while remaining() != nil { await Task.yield() }
        let task = try #require(kept.first)
        #expect(task.isExpiring)
        task.setTaskCompleted(success: true)
        #expect(throws: BGTaskScheduler.Error.self) {
            try BGTaskScheduler.shared.submit(BGAppRefreshTaskRequest(identifier: Self.refresh))
        }
        #expect(await BGTaskScheduler.shared.pendingTaskRequests().isEmpty)
    }

    @Test func `the release of a test host whose handler still runs takes less than five seconds`() async throws {
        let goOn = DispatchSemaphore(value: 0)
        let began = ContinuousClock.now
        do {
            let host = try await host { task in
                goOn.wait()
                task.setTaskCompleted(success: true)
            }
            #expect(host.deliver(Self.refresh, .refresh) != nil)
        }
        #expect(.now - began < .seconds(5))
        goOn.signal()
    }
}

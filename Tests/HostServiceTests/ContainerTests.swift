// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginLaunch
import RunnerWire
import Scheduling
import Synchronization
import TaskModel
import Testing

@testable import HostService

@Suite("Containers are made and discarded in order, without blocking the decision loop")
struct ContainerTests {
    private static let launch = LaunchNumber(rawValue: 1)

    private static let bundle = MainBundle(information: Array("<plist/>".utf8), resources: "/usr/lib")

    private static func preparation(
        secrets: [String] = [],
        mainBundle: MainBundle? = nil
    ) throws -> LaunchPreparation {
        LaunchPreparation(plugin: try plugin(), container: try plugin(), secrets: secrets, mainBundle: mainBundle)
    }

    private static func plugin() throws -> PluginIdentifier { try #require(PluginIdentifier("com.example.feed")) }

    /// Blocks the queue of the containers until the returned semaphore is signaled, as a hanging disk would.
    private static func hold(_ loop: DecisionLoop) -> DispatchSemaphore {
        let mayGoOn = DispatchSemaphore(value: 0)
        loop.containers.perform { mayGoOn.wait() }
        return mayGoOn
    }

    @Test func `a hanging disk during a launch does not block a query of the scheduler`() async throws {
        try await LoopFixture.with { fixture in
            let (loop, mayGoOn) = (fixture.loop, Self.hold(fixture.loop))
            var launches = LaunchDirectory()
            #expect(!loop.perform([.takeRunner(Self.launch, try Self.preparation())], &launches))
            try await fixture.run {
                #expect(await loop.read { _, _ in 1 } == 1)
                mayGoOn.signal()
            }
        }
    }

    @Test func `a runner is reported to the scheduler only after its container exists`() async throws {
        try await LoopFixture.with { fixture in
            let (loop, mayGoOn) = (fixture.loop, Self.hold(fixture.loop))
            let plugin = try Self.plugin()
            var launches = LaunchDirectory()
            #expect(!loop.perform([.takeRunner(Self.launch, try Self.preparation())], &launches))
            // Ready and ended, in the order of the launcher.
            for _ in 0..<2 {
                var input = try #require(loop.mailbox.take()?.input)
                // The conditions of the machine may change meanwhile.
                while case .event(.conditionsChanged) = input { input = try #require(loop.mailbox.take()?.input) }
                #expect(loop.events(of: input, fixture.core, &launches).isEmpty)
            }
            mayGoOn.signal()
            let input = try #require(loop.mailbox.take()?.input)
            let events = loop.events(of: input, fixture.core, &launches)
            guard case .runnerReady(Self.launch, _) = events.first, case .runnerEnded(Self.launch, _, _) = events.last
            else {
                Issue.record("\(events)")
                return
            }
            #expect(FileManager.default.fileExists(atPath: loop.state.containerPath(of: plugin.text)))
        }
    }

    @Test func `a launch after a purge begins with an empty container`() async throws {
        try await LoopFixture.with { fixture in
            let (loop, plugin) = (fixture.loop, try Self.plugin())
            let container = loop.state.containerPath(of: plugin.text)
            try loop.state.makeContainer(of: plugin.text)
            #expect(FileManager.default.createFile(atPath: container + "/old", contents: nil))
            var launches = LaunchDirectory()
            let preparation = try Self.preparation()
            let actions: [SchedulerAction] = [.discardContainer(plugin), .takeRunner(Self.launch, preparation)]
            #expect(!loop.perform(actions, &launches))
            await withCheckedContinuation { continuation in loop.containers.perform { continuation.resume() } }
            #expect(try FileManager.default.contentsOfDirectory(atPath: container).isEmpty)
        }
    }

    @Test func `a purge is answered only after the plugin's container was moved away`() async throws {
        try await LoopFixture.with { fixture in
            let (loop, plugin) = (fixture.loop, try Self.plugin())
            try loop.state.makeContainer(of: plugin.text)
            let container = loop.state.containerPath(of: plugin.text)
            let mayGoOn = Self.hold(loop)
            let isThere = Mutex<Bool?>(nil)
            let reply = try #require(
                loop.register { _ in isThere.withLock { $0 = FileManager.default.fileExists(atPath: container) } }
            )
            var launches = LaunchDirectory()
            #expect(!loop.perform([.discardContainer(plugin), .answer(reply, .purged(1))], &launches))
            #expect(isThere.withLock { $0 } == nil)
            mayGoOn.signal()
            await withCheckedContinuation { continuation in loop.containers.perform { continuation.resume() } }
            #expect(isThere.withLock { $0 } == false)
        }
    }

    @Test func `the runner of a launch whose container cannot be made is ended and reported as unavailable`()
        async throws
    {
        try await LoopFixture.with(runner: "#include <unistd.h>\nint main(void) { for (;;) pause(); }") { fixture in
            let (loop, plugin) = (fixture.loop, try Self.plugin())
            try FileManager.default.removeItem(atPath: loop.state.containerDirectory)
            var launches = LaunchDirectory()
            #expect(!loop.perform([.takeRunner(Self.launch, try Self.preparation())], &launches))
            var (events, hasEnded): ([SchedulerEvent], Bool) = ([], false)
            while !hasEnded {
                let input = try #require(loop.mailbox.take()?.input)
                if case .launch(.ended) = input { hasEnded = true }
                if case .launch(.unavailable) = input { hasEnded = true }
                events += loop.events(of: input, fixture.core, &launches)
            }
            guard events.count == 1, case .runnerUnavailable(Self.launch, let message) = events[0] else {
                Issue.record("\(events)")
                return
            }
            #expect(message.contains(loop.state.containerPath(of: plugin.text)))
        }
    }

    // MARK: Main bundles

    @Test func `the runner of a plugin with a main bundle is started in the bundle, after the bundle exists`()
        async throws
    {
        let source = """
            #include <stdio.h>
            #include <unistd.h>
            int main(void) {
                char path[4096] = "";
                if (readlink("/proc/self/exe", path, sizeof path - 1) > 0) puts(path);
                return 0;
            }
            """
        try await LoopFixture.with(runner: source) { fixture in
            let loop = fixture.loop
            let identifier = try Self.plugin()
            var launches = LaunchDirectory()
            let preparation = try Self.preparation(mainBundle: Self.bundle)
            #expect(!loop.perform([.takeRunner(Self.launch, preparation)], &launches))
            var (events, lines, hasEnded): ([SchedulerEvent], [String], Bool) = ([], [], false)
            while !hasEnded {
                let input = try #require(loop.mailbox.take()?.input)
                if case .launch(.output(_, _, let line)) = input { lines.append(line) }
                if case .launch(.ended) = input { hasEnded = true }
                if case .launch(.unavailable) = input { hasEnded = true }
                events += loop.events(of: input, fixture.core, &launches)
            }
            let place = "\(loop.state.bundleDirectory)/\(identifier)"
            let expected = "\(place)/\(BundleLayout.program)"
            #expect(lines.count == 1 && lines.first?.hasSuffix(expected) == true, "\(lines)")
            let information = FileManager.default.contents(atPath: "\(place)/\(BundleLayout.information)")
            #expect(information == Data("<plist/>".utf8))
            guard case .runnerReady(Self.launch, _)? = events.first else {
                Issue.record("\(events)")
                return
            }
            _ = loop.events(of: .event(.catalogued(try Self.removal(of: identifier))), fixture.core, &launches)
            await withCheckedContinuation { continuation in loop.containers.perform { continuation.resume() } }
            #expect(!FileManager.default.fileExists(atPath: place))
        }
    }

    /// A change of the catalogue that removes a plugin.
    private static func removal(of plugin: PluginIdentifier) throws -> CatalogueChange {
        let entry = PluginEntry(
            identifier: plugin,
            name: "",
            version: "",
            role: .main,
            permitted: [],
            modes: [],
            library: LibraryFile(
                path: "/usr/lib/libFeed.so",
                digest: "",
                identity: FileIdentity(device: 0, inode: 0, size: 0, modified: 0, changed: 0)
            ),
            manifestPath: "",
            manifestDigest: ""
        )
        return CatalogueChange(from: Catalogue([entry]), to: Catalogue())
    }

    @Test func `a launch that is killed before its main bundle exists gets no runner and is reported as unavailable`()
        async throws
    {
        try await LoopFixture.with { fixture in
            let (loop, mayGoOn) = (fixture.loop, Self.hold(fixture.loop))
            var launches = LaunchDirectory()
            let preparation = try Self.preparation(mainBundle: Self.bundle)
            #expect(!loop.perform([.takeRunner(Self.launch, preparation), .kill(Self.launch)], &launches))
            mayGoOn.signal()
            var events: [SchedulerEvent] = []
            while events.isEmpty {
                let input = try #require(loop.mailbox.take()?.input)
                events += loop.events(of: input, fixture.core, &launches)
            }
            guard case .runnerUnavailable(Self.launch, _)? = events.first, events.count == 1 else {
                Issue.record("\(events)")
                return
            }
            #expect(launches.withoutRunner.isEmpty && launches.bundles.isEmpty)
        }
    }

    @Test func `a launch whose main bundle cannot be made is reported as unavailable with the path`() async throws {
        try await LoopFixture.with { fixture in
            let loop = fixture.loop
            // A file in place of the directory of bundles.
            await withCheckedContinuation { continuation in loop.containers.perform { continuation.resume() } }
            #expect(FileManager.default.createFile(atPath: loop.state.bundleDirectory, contents: nil))
            var launches = LaunchDirectory()
            let preparation = try Self.preparation(mainBundle: Self.bundle)
            #expect(!loop.perform([.takeRunner(Self.launch, preparation)], &launches))
            let input = try #require(loop.mailbox.take()?.input)
            let events = loop.events(of: input, fixture.core, &launches)
            guard case .runnerUnavailable(Self.launch, let message)? = events.first else {
                Issue.record("\(events)")
                return
            }
            #expect(message.contains(loop.state.bundleDirectory), "\(message)")
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite("Triggers launch an extension, which may only submit for its main plugin", .proves("C11", "C15"))
struct ExtensionTests {
    private struct Pair {
        var main = TestPlugin("Recorder", tasks: ["processing1", "processing2"])
        var child: TestPlugin

        init(_ source: String = "Listens", settings: [String: String] = [:], policy: [String] = []) {
            child = .extension(source, of: &main, policy: policy)
            child.settings = settings
        }

        var plugins: [TestPlugin] { [.neighbour, main, child] }
    }

    @Test(.proves("C11", "C15"))
    func `a trigger's payload reaches the extension complete, and the extension uses the main plugin's container`()
        async throws
    {
        let pair = Pair()
        try await HostFixture.with(plugins: pair.plugins) { host in
            let payload = (0..<TaskRequest.maximumPayload).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let full = try await host.trigger(pair.child, payload)
            #expect(try await host.outcome(of: full).event == "succeeded")
            let empty = try await host.trigger(pair.child)
            let end = try await host.outcome(of: empty)
            #expect(end.event == "succeeded" && end.task == "trigger" && end.plugin == pair.child.identifier)
            #expect(host.containerText(pair.main, "heard.txt") == "\(full) 1 65536 \n\(empty) 1 0 \n")
            let container = host.stateDirectory + "/containers/\(pair.main.identifier)"
            #expect(FileManager.default.contents(atPath: container + "/payload.\(full)") == Data(payload))
            let directories = try FileManager.default.contentsOfDirectory(atPath: host.stateDirectory + "/containers")
            #expect(!directories.contains(pair.child.identifier))
            let launch = try await host.client.launch(LaunchNumber(rawValue: try #require(end.launch)))
            #expect(launch.lane == "event" && launch.cause == "event" && launch.budget?.duration == .seconds(30))
        }
    }

    @Test(.proves(37, "C5"))
    func `an extension's request launches the main plugin, within the main plugin's manifest and limits`()
        async throws
    {
        let pair = Pair()
        try await HostFixture.with(HostSetup(["processing-limit": "1"]), plugins: pair.plugins) { host in
            let first = try await host.trigger(pair.child, "submit \(pair.main.task())")
            #expect(try await host.outcome(of: first).event == "succeeded")
            let end = try await host.waitForJournal("the main plugin's task") { $0.task == pair.main.task() }
            #expect(end.event == "succeeded" && end.plugin == pair.main.identifier)

            try await host.submit(pair.main.task("processing2"), earliestBegin: HostFixture.tomorrow)
            for text in [TestPlugin.neighbour.task(), "\(pair.child.identifier).own", pair.main.task()] {
                _ = try await host.outcome(of: try await host.trigger(pair.child, "submit \(text)"))
            }
            let lines = host.containerText(pair.main, "submitted.txt").split(separator: "\n").dropFirst()
            #expect(lines == ["BGT_NOT_PERMITTED 20 1", "BGT_NOT_PERMITTED 20 1", "BGT_TOO_MANY_PENDING 11 1"])
        }
    }

    @Test(.proves(20, "BGT-ABI-11"))
    func `a registration by an extension is refused in the runner and journaled as a violation`() async throws {
        var pair = Pair()
        pair.child.settings = ["registers": pair.main.task()]
        try await HostFixture.with(plugins: pair.plugins) { host in
            let trigger = try await host.trigger(pair.child, "wait")
            try await host.waitForLog("that it waits") { $0.contains("the extension waits") }
            try await host.withstands(submission: trigger)
            try host.directory.write([], to: "state/containers/\(pair.main.identifier)/go")
            let end = try await host.outcome(of: trigger)
            #expect(end.event == "succeeded")
            #expect(host.containerText(pair.main, "registered.txt") == "BGT_WRONG_ROLE\n")
            let violation = try await host.violation(in: try #require(end.launch))
            let remedy = "only its main plugin may register handlers; register it there"
            #expect(violation.names(pair.child, rule: "BGT-ABI-11", remedy: remedy), "\(violation)")
            let task = try await host.outcome(of: try await host.submit(pair.main.task()))
            #expect(task.event == "succeeded" && task.plugin == pair.main.identifier)
        }
    }

    @Test(.proves("BGT-ABI-08", "BGT-ABI-11", "C15"))
    func `forged messages of an extension that register or complete are refused by the host`()
        async throws
    {
        var patient = TestPlugin("Patient", tasks: ["one", "two"])
        var forger = TestPlugin.extension("ForgesMessages", of: &patient).lingering
        try await HostFixture.with(plugins: [.neighbour, patient]) { host in
            let victim = try await host.submit(patient.task("one"))
            try await host.waitForLog("the victim") { $0.contains("patient runs") }
            let launch = try #require(try await host.client.tasks().running.first { $0.submission == victim }).launch
            forger.settings = [
                "task": patient.task("two"), "victim": "\(launch << 16 | 1)", "foreign": TestPlugin.neighbour.task(),
            ]
            let before = try await host.journalEnd()
            try await host.install(forger)
            try await host.waitForJournal("the forger", after: before) { $0.event == "plugin-installed" }

            let trigger = try await host.trigger(forger)
            try await host.waitForLog("what it does") { $0.contains("the task lingers") }
            try await host.withstands(submission: trigger)
            try host.letGo(forger)
            let end = try await host.outcome(of: trigger)
            #expect(end.event == "succeeded", "its own event is its own to complete")
            let forged = end.launch
            _ = try await host.end(ofLaunch: try #require(forged))
            let violations = try await host.journal().filter { $0.event == "violation" }
            #expect(violations.allSatisfy { $0.launch == forged })
            let remedy = "do not touch descriptors that the plugin did not open"
            let registering = violations.filter { $0.names(forger, rule: "BGT-ABI-11", remedy: remedy) }
            let completing = violations.filter { $0.names(forger, rule: "completed task", remedy: remedy) }
            // Forged after entry as well, and with two forms of each claim.
            #expect(registering.count == 3 && completing.count == 2, "\(violations)")
            let remedies = [
                ("reported progress", remedy),
                ("BGT-ABI-08", "set titles only of running continued tasks"),
                ("legacy fetch", remedy),
            ]
            for (rule, remedy) in remedies {
                #expect(violations.filter { $0.names(forger, rule: rule, remedy: remedy) }.count == 2, "\(violations)")
            }
            #expect(violations.count == 11, "\(violations)")
            let tasks = try await host.client.tasks()
            #expect(tasks.pending.isEmpty && tasks.running.map(\.submission) == [victim])

            try host.release(patient)
            #expect(try await host.outcome(of: victim).event == "succeeded")
            try await host.runNeighbour()
        }
    }

    @Test(.proves("C11"))
    func `pending triggers survive the kill of their host and arrive in the order of their submission`() async throws {
        let pair = Pair()
        try await HostFixture.with(plugins: pair.plugins) { host in
            let first = try await host.trigger(pair.child, "wait")
            try await host.waitForLog("the first trigger") { $0.contains("the extension waits") }
            var numbers = [first]
            for number in 1...5 { numbers.append(try await host.trigger(pair.child, "number \(number)")) }
            let shown = try await host.show(pair.child)
            #expect(shown.waitingEvents.map(\.submission) == Array(numbers.dropFirst()))
            #expect(shown.waitingEvents.first?.reason?.code == "lane-busy")
            #expect(shown.summary.events == 5 && shown.summary.running == 1)
            #expect(try await host.why(pair.child.identifier).state == .running)

            host.kill9()
            try host.directory.write([], to: "state/containers/\(pair.main.identifier)/go")
            try await host.restart()
            let end = try await host.outcome(of: try #require(numbers.last))
            #expect(end.event == "succeeded")
            let heard = host.containerText(pair.main, "heard.txt").split(separator: "\n").dropFirst()
            #expect(
                heard.map { $0.split(separator: " ").prefix(2).joined(separator: " ") } == numbers.map { "\($0) 1" }
            )
        }
    }

    @Test(.proves("C3"))
    func `a trigger that crashes its extension three times is abandoned, and the next trigger arrives`() async throws {
        let pair = Pair()
        try await HostFixture.with(plugins: pair.plugins) { host in
            let bad = try await host.trigger(pair.child, "crash")
            let good = try await host.trigger(pair.child, "hello")
            // Either in the batch that crashed or in a later one.
            try await host.waitForJournal("the good one") { $0.submission == good && $0.event == "succeeded" }
            let entries = try await host.journal().filter { $0.submission == bad }
            #expect(entries.map(\.event) == ["crashed", "crashed", "abandoned"])
            #expect(try await host.client.tasks().events.isEmpty)
        }
    }

    @Test func `a trigger of an extension without a receive function ends as not-registered in the journal`()
        async throws
    {
        let pair = Pair("DeafExtension")
        try await HostFixture.with(plugins: pair.plugins) { host in
            let end = try await host.outcome(of: try await host.trigger(pair.child))
            #expect(end.event == "not-registered" && end.blame == "plugin" && end.message.contains("plugin->receive"))
            let why = try await host.why(pair.child.identifier)
            #expect(why.state == .finished && why.lastOutcome?.outcome == "not-registered")
        }
    }

    @Test(.proves("C14"))
    func `a trigger for a disabled, unknown or main plugin, or with too large a payload, is refused with the reason`()
        async throws
    {
        let pair = Pair(policy: ["enabled: false"])
        try await HostFixture.with(plugins: pair.plugins) { host in
            #expect(await host.refusal(of: pair.child.identifier) == "503 unavailable plugin-disabled")
            #expect(await host.refusal(of: pair.main.identifier) == "403 not-permitted not-an-extension")
            #expect(await host.refusal(of: "com.example.nobody") == "404 not-found no-such-plugin")
            let tooLong = [UInt8](repeating: 7, count: TaskRequest.maximumPayload + 1)
            #expect(await host.refusal(of: pair.child.identifier, tooLong) == "400 malformed payload-too-large")
            let run = try await host.bgtask("trigger", pair.main.identifier)
            #expect(run.status == 1 && run.error.contains("submit a request") && run.output.isEmpty)
        }
    }

    @Test func `bgtask trigger takes its payload from a file or from standard input`() async throws {
        let pair = Pair()
        try await HostFixture.with(plugins: pair.plugins) { host in
            let file = try host.directory.write("from a file".utf8, to: "typed.txt")
            let done = try await host.bgtask("trigger", pair.child.identifier, "--payload", file)
            #expect(done.status == 0 && done.output.hasSuffix("waits for delivery to \(pair.child.identifier)\n"))
            let script =
                "printf typed | '\(try BuiltProgram.command.path())' trigger \(pair.child.identifier)"
                + " --payload - --json --socket '\(host.socket)'"
            let piped = try await ProgramRun.of("/bin/sh", ["-c", script])
            let reply = try WireCoding.decode(PluginTriggerReply.self, from: Data(piped.output.utf8))
            _ = try await host.outcome(of: reply.submission)
            let heard = host.containerText(pair.main, "heard.txt")
            #expect(heard.contains(" 1 11 from a file\n") && heard.contains("\(reply.submission) 1 5 typed\n"))
        }
    }

    @Test func `a trigger while the main plugin is paused names the pause, and the event waits for its end`()
        async throws
    {
        let pair = Pair()
        try await HostFixture.with(plugins: pair.plugins) { host in
            #expect(try await host.bgtask("plugin", "pause", pair.main.identifier).status == 0)
            let run = try await host.bgtask("trigger", pair.child.identifier)
            let pause = "; it waits for plugin-paused: plugin \(pair.main.identifier) is paused"
            #expect(run.status == 0 && run.output.contains(pause), "\(run.output)")
            #expect(try await host.bgtask("plugin", "resume", pair.main.identifier).status == 0)
            let end = try await host.waitForJournal("the event") { $0.task == "trigger" && $0.event == "succeeded" }
            #expect(end.plugin == pair.child.identifier)
        }
    }

    @Test(.proves("C13", "C17"))
    func `an extension's events wait while its main plugin is disabled or removed, and report that reason`()
        async throws
    {
        let pair = Pair()
        try await HostFixture.with(plugins: pair.plugins) { host in
            try await host.trigger(pair.child, "wait")
            try await host.waitForLog("the first trigger") { $0.contains("the extension waits") }
            let kept = try await host.trigger(pair.child, "kept")
            host.kill9()
            host.setPolicy(["enabled: false"], of: pair.main)
            try await host.restart()
            // Until then the lane of the extension is busy.
            try await host.waitForJournal("the end of what was cut short") { $0.event == "launch-lost" }
            let why = try await host.why(pair.child.identifier)
            #expect(why.state == .pending && why.kind == "event" && why.reasons.first?.code == "plugin-disabled")
            #expect(why.reasons.first?.message.contains(pair.main.identifier) == true)
            let states = try await host.client.plugins().plugins.map(\.state)
            // The neighbour in between runs or is ready.
            #expect(states.first == .disabled && states.last == .disabled)
            let text = try await host.bgtask("why", pair.child.identifier)
            #expect(text.output.contains("an event of \(pair.child.identifier) waits (event, submission"))

            let before = try await host.journalEnd()
            try host.directory.remove(pair.main.manifestFile)
            try await host.waitForJournal("the refusal", after: before) {
                $0.event == "plugin-refused" && $0.plugin == pair.child.identifier
            }
            let list = try await host.client.tasks().events.filter { $0.plugin == pair.child.identifier }
            #expect(list.count == 2 && list.allSatisfy { $0.reason?.code == "plugin-missing" })

            try await host.stop()
            host.setPolicy([], of: pair.main)
            try await host.restart()
            try host.directory.write([], to: "state/containers/\(pair.main.identifier)/go")
            try await host.install(pair.main)
            #expect(try await host.outcome(of: kept).event == "succeeded")
        }
    }

    @Test func `an extension from a property list gets its main plugin from the operator's configuration`() async throws
    {
        var main = TestPlugin("Recorder", tasks: ["processing1"])
        let library = TestPlugin.extension("Listens", of: &main)
        main.extensions = []
        main.policy = ["extensions: [org.typing.listens]"]
        let list = """
            <plist><dict>
            <key>CFBundleIdentifier</key><string>org.typing.listens</string>
            <key>CFBundleExecutable</key><string>Listens</string>
            <key>NSExtension</key><dict/>
            </dict></plist>
            """
        try await HostFixture.with(plugins: [.neighbour, main]) { host in
            try await host.install(library)
            try host.directory.remove(library.manifestFile)
            try host.directory.write(list.utf8, to: "manifests/Info.plist")
            try await host.waitForJournal("the extension") {
                $0.event == "plugin-installed" && $0.plugin == "org.typing.listens"
            }
            var listed = library
            listed.identifier = "org.typing.listens"
            let number = try await host.trigger(listed, "submit \(main.task())")
            #expect(try await host.outcome(of: number).event == "succeeded")
            #expect(host.containerText(main, "submitted.txt").hasPrefix("BGT_OK"))
            #expect(try await host.show(listed).containingPlugin == main.identifier)
        }
    }
}

extension HostFixture {
    @discardableResult
    fileprivate func trigger(_ plugin: TestPlugin, _ payload: [UInt8] = []) async throws -> Int64 {
        guard let identifier = PluginIdentifier(plugin.identifier) else { throw HostFailure("no identifier") }
        return try await client.trigger(identifier, PluginTrigger(payload: payload)).submission
    }

    @discardableResult
    fileprivate func trigger(_ plugin: TestPlugin, _ text: String) async throws -> Int64 {
        try await trigger(plugin, Array(text.utf8))
    }

    /// Status, code and sub-reason of the refusal of a trigger; "accepted" for an accepted one, another text for any
    /// other error.
    fileprivate func refusal(of plugin: String, _ payload: [UInt8] = []) async -> String {
        do {
            guard let identifier = PluginIdentifier(plugin) else { return "no identifier" }
            _ = try await client.trigger(identifier, PluginTrigger(payload: payload))
            return "accepted"
        } catch let ControlError.refused(status, reply) {
            return "\(status) \(reply.error.code) \(reply.error.subReason)"
        } catch {
            return "\(error)"
        }
    }
}

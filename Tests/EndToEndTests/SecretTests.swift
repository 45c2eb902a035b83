// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import Testing

@Suite("The value of a secret setting reaches its plugin, but not records, replies, logs or process listings")
struct SecretTests {
    private static let value = "s3cret-4f1d0b7a-horse-battery"

    /// A plugin with the secret setting `token`.
    ///
    /// - Parameter source: the place from which the host reads the value, as the configuration states it: for example,
    ///   `file: /run/token`.
    private static func plugin(from source: String) -> TestPlugin {
        var plugin = TestPlugin("ReadsSecret", policy: ["secrets: { token: { \(source) } }"])
        plugin.manifestLines = ["settings: { url: 'https://example.com', token: { secret: true } }"]
        return plugin
    }

    private static func file(in directory: ScratchDirectory, _ value: String = value, mode: mode_t = 0o600) throws
        -> String
    {
        let path = try directory.write(value.utf8, to: "token")
        chmod(path, mode)
        return path
    }

    private static func setup(_ environment: [String: String] = [:]) -> HostSetup {
        var setup = HostSetup(configuration: ["retry: { host-delay: 50ms }"])
        setup.environment = environment
        return setup
    }

    private static func holdsValue(_ bytes: some Collection<UInt8>) -> Bool {
        Data(bytes).range(of: Data(value.utf8)) != nil
    }

    /// Paths of the files below a directory that contain the secret value.
    private static func files(withValueIn directory: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
        return names.map { "\(directory)/\($0)" }.filter { path in
            FileManager.default.contents(atPath: path).map(holdsValue) ?? false
        }
    }

    /// Checks that the secret value is in no response to a GET call, no output of the commands, no log line and no file
    /// of the ledger.
    private func checkForValue(_ host: HostFixture, _ plugin: TestPlugin, launch: Int64) async throws {
        for route in Route.allCases where route.method == .get {
            let value: String? =
                switch route.parameter {
                case nil: nil
                case "number": "\(launch)"
                default: route == .pluginShow ? plugin.identifier : plugin.task()
                }
            let answer = try host.rawCall("GET", route.path(value))
            // No task of this plugin has a cursor, the plugin begins no transfer, and the host has no feeder.
            let expected = [.taskCursor, .transferShow, .leaseShow].contains(route) ? 404 : 200
            #expect(answer.status == expected && !Self.holdsValue(answer.body), "\(route)")
        }
        let commands = [
            ["plugin", "show", plugin.identifier, "--json"], ["plugin", "show", plugin.identifier], ["journal"],
            ["why", plugin.task()], ["host", "status", "--json"], ["launch", "show", "\(launch)"],
        ]
        for command in commands {
            let run = try await host.bgtaskList(command)
            #expect(!Self.holdsValue((run.output + run.error).utf8), "\(command)")
        }
        #expect(!host.log.contains { $0.contains(Self.value) })
        #expect(Self.files(withValueIn: host.stateDirectory + "/ledger").isEmpty)
    }

    @Test
    func `a secret from a file reaches its plugin, and no record, reply, log, command line or environment has it`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let path = try Self.file(in: directory, Self.value + "\n")
            let plugin = Self.plugin(from: "file: \(path)").lingering
            try await HostFixture.with(Self.setup(), plugins: [plugin]) { host in
                let submission = try await host.submit(plugin.task())
                let (launch, runner) = try await host.launch(of: plugin)
                try await host.waitForLog("the task runs") { $0.contains("the task lingers") }
                #expect(host.containerText(plugin, "token.txt") == Self.value)
                try await checkForValue(host, plugin, launch: launch)
                for process in [runner, host.pid] {
                    for file in ["cmdline", "environ"] {
                        let bytes = try #require(FileManager.default.contents(atPath: "/proc/\(process)/\(file)"))
                        #expect(!bytes.isEmpty && !Self.holdsValue(bytes), "\(file) of \(process)")
                    }
                }
                try host.letGo(plugin)
                #expect(try await host.outcome(of: submission).event == "succeeded")
                try await checkForValue(host, plugin, launch: launch)
                let shown = try await host.show(plugin)
                #expect(shown.settings == ["url": "https://example.com"])
                #expect(shown.secrets == [.init(setting: "token", source: "file \(path)")])
                try await host.stop()
                #expect(Self.files(withValueIn: host.stateDirectory + "/ledger").isEmpty)
                #expect(!host.log.contains { $0.contains(Self.value) })
                try await host.start()
            }
        }
    }

    @Test func `a secret from the host's environment reaches the plugin, and not the environment of its runner`()
        async throws
    {
        // The host passes variables of this prefix to its runners.
        let plugin = Self.plugin(from: "environment: LC_TOKEN").lingering
        try await HostFixture.with(Self.setup(["LC_TOKEN": Self.value]), plugins: [plugin]) { host in
            let submission = try await host.submit(plugin.task())
            let runner = try await host.launch(of: plugin).pid
            try await host.waitForLog("the task runs") { $0.contains("the task lingers") }
            let environment = try #require(FileManager.default.contents(atPath: "/proc/\(runner)/environ"))
            #expect(!environment.isEmpty && !Self.holdsValue(environment))
            try host.letGo(plugin)
            #expect(try await host.outcome(of: submission).event == "succeeded")
            #expect(host.containerText(plugin, "token.txt") == Self.value)
        }
    }

    @Test func `a secret from a systemd credential reaches the plugin`() async throws {
        try await ScratchDirectory.with { directory in
            try directory.makeDirectory("credentials")
            let path = try directory.write(Self.value.utf8, to: "credentials/feed-token")
            chmod(path, 0o400)
            let plugin = Self.plugin(from: "credential: feed-token")
            let setup = Self.setup(["CREDENTIALS_DIRECTORY": directory.file("credentials")])
            try await HostFixture.with(setup, plugins: [plugin]) { host in
                let end = try await host.outcome(of: try await host.submit(plugin.task()))
                #expect(end.event == "succeeded", "\(end)")
                #expect(host.containerText(plugin, "token.txt") == Self.value)
            }
        }
    }

    @Test func `a changed secret file takes effect at the next launch of its plugin`() async throws {
        try await ScratchDirectory.with { directory in
            let plugin = Self.plugin(from: "file: \(try Self.file(in: directory))")
            try await HostFixture.with(Self.setup(), plugins: [plugin]) { host in
                _ = try await host.outcome(of: try await host.submit(plugin.task()))
                #expect(host.containerText(plugin, "token.txt") == Self.value)
                _ = try Self.file(in: directory, "rotated")
                _ = try await host.outcome(of: try await host.submit(plugin.task()))
                #expect(host.containerText(plugin, "token.txt") == "rotated")
            }
        }
    }

    @Test
    func `a secret file that other users can read delays the launch; why prints the remedy, which ends the wait`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let path = try Self.file(in: directory, mode: 0o644)
            let plugin = Self.plugin(from: "file: \(path)")
            try await HostFixture.with(Self.setup(), plugins: [plugin, .neighbour]) { host in
                let submission = try await host.submit(plugin.task())
                try await host.waitForLog("the refusal") { $0.contains("launch not started") }
                let reason = try await host.reason(against: plugin.task())
                #expect(reason.contains("the secret setting token of \(plugin.identifier) has no value"), "\(reason)")
                #expect(reason.contains("chmod 600 \(path)"))
                #expect(!reason.contains(Self.value) && !host.log.contains { $0.contains(Self.value) })
                try await host.runNeighbour()
                #expect(try await host.check().output.contains("chmod 600 \(path)"))
                chmod(path, 0o600)
                #expect(try await host.outcome(of: submission).event == "succeeded")
                #expect(host.containerText(plugin, "token.txt") == Self.value)
            }
        }
    }

    @Test func `a plugin is not launched without a source of its secret, and why names the key of the configuration`()
        async throws
    {
        var plugin = Self.plugin(from: "file: /none")
        // The value in the configuration file is not used: plugin show would print it.
        plugin.policy = ["settings: { token: \(Self.value) }"]
        try await HostFixture.with(Self.setup(), plugins: [plugin]) { host in
            _ = try await host.submit(plugin.task())
            try await host.waitForLog("the refusal") { $0.contains("launch not started") }
            #expect(try await host.reason(against: plugin.task()).contains("plugins.\(plugin.identifier).secrets"))
            let printed = try await host.bgtask("plugin", "show", plugin.identifier).output
            #expect(printed.contains("token from no source") && !printed.contains(Self.value))
            #expect(host.log.contains { $0.contains("its value in the configuration file is not used") })
            #expect(!host.log.contains { $0.contains(Self.value) })
            #expect(try await host.bgtask("task", "cancel", plugin.task()).status == 0)
        }
    }

    @Test func `a bound function receives a secret setting as its argument`() async throws {
        try await ScratchDirectory.with { directory in
            let path = try Self.file(in: directory)
            var plugin = TestPlugin("Plain", tasks: ["greet"], policy: ["secrets: { greeting: { file: \(path) } }"])
            plugin.handlers = ["greet": FunctionBindingTests.greet]
            plugin.manifestLines = ["settings: { greeting: { secret: true } }"]
            try await HostFixture.with(Self.setup(), plugins: [plugin]) { host in
                let end = try await host.outcome(of: try await host.submit(plugin.task()))
                #expect(end.event == "succeeded" && !end.message.contains(Self.value), "\(end.message)")
                #expect(host.containerText(plugin, "greeting.txt") == Self.value + ", \n")
            }
        }
    }
}

extension HostFixture {
    /// Repeats `bgtask why` for a pending task until its reasons contain `runner-unavailable`, and returns that output.
    fileprivate func reason(against task: String) async throws -> String {
        try await withDeadline(waitingFor: "the reason why \(task) waits") { [self] in
            while true {
                let reply = try await bgtask("why", task)
                if reply.output.contains("runner-unavailable") { return reply.output }
                try Task.checkCancellation()
            }
        }
    }
}

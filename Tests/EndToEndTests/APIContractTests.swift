// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import Synchronization
import TaskModel
import Testing

@Suite("A real host's responses match its API description")
struct APIContractTests {
    /// Sends calls to a host and checks each response against the API description that this host serves.
    private final class Checker: Sendable {
        let host: HostFixture
        let document: APIDocument
        let seen = Mutex<Set<Route>>([])

        init(_ host: HostFixture) throws {
            self.host = host
            let answer = try host.rawCall("GET", Route.apiDescription.path())
            #expect(answer.status == 200 && answer.type == "application/yaml")
            document = try APIDocument(String(decoding: answer.body, as: UTF8.self))
            seen.withLock { _ = $0.insert(.apiDescription) }
        }

        @discardableResult
        func call(
            _ route: Route,
            _ value: String? = nil,
            query: [(name: String, value: String)] = [],
            body: String = "",
            status: Int? = nil,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws -> JSONValue {
            let answer = try host.rawCall(route.method.rawValue, route.path(value, query: query), body: body)
            let text = String(decoding: answer.body, as: UTF8.self)
            #expect(answer.status == status ?? route.successStatus, "\(text)", sourceLocation: sourceLocation)
            #expect(answer.type == "application/json", sourceLocation: sourceLocation)
            let schema = try document.schema(of: route, status: answer.status)
            let problems = try document.problems(of: try answer.json(), against: schema)
            #expect(problems == [], "\(text)", sourceLocation: sourceLocation)
            if answer.status == route.successStatus { seen.withLock { _ = $0.insert(route) } }
            return try answer.json()
        }

        /// Calls the route of metrics, whose answer is no JSON.
        func callMetrics() throws {
            let answer = try host.rawCall("GET", Route.metrics.path())
            #expect(answer.status == 200 && answer.type == MetricsFormat.prometheus.contentType)
            _ = try document.schema(of: .metrics, status: 200, "text/plain")
            seen.withLock { _ = $0.insert(.metrics) }
        }
    }

    @Test func `every route of a real host answers with the documented status and schema when the host has data`()
        async throws
    {
        var patient = TestPlugin("Patient", tasks: ["one"])
        let keyboard = TestPlugin.extension("Listens", of: &patient)
        var board = TestPlugin("ReceivesPushes", tasks: [])
        board.modes = ["remote-notification"]
        let mover = TestPlugin("MovesCursors")
        let server = try FileServer(["one": "the first file"], holding: "one")
        defer { server.close() }
        let mirror = TransferTests.plugin(server, paths: "one")
        let plugins: [TestPlugin] = [.neighbour, patient, keyboard, board, mover, mirror]
        try await HostFixture.with(plugins: plugins) { [patient, board] host in
            let api = try Checker(host)
            let transfer = try await TransferTests.number(ofRunning: "one", from: server, host)
            let transfers = try api.call(.transferList, query: [("session", "files"), ("state", "running,failed")])
            #expect(transfers["transfers"].elements.count == 1)
            try api.call(.transferShow, transfer)
            // A resumed transfer could end before its cancellation, a paused one cannot.
            #expect(try api.call(.transferResume, transfer)["paused"] == .boolean(false))
            #expect(try api.call(.transferPause, transfer)["paused"] == .boolean(true))
            #expect(try api.call(.transferCancel, transfer)["cancelled"] == .boolean(true))
            _ = try await TransferTests.session(host, mirror)

            let task = TestPlugin.neighbour.task()
            try host.directory.write("manifest: 1\nrole: mian\n".utf8, to: "manifests/Broken.yaml")
            try await host.waitForLog("the refusal") { $0.contains("Broken.yaml") }

            try api.call(.taskWhy, task)
            let end = try await host.outcome(of: try await host.submit(task))
            let launch = try #require(end.launch)
            _ = try await host.end(ofLaunch: launch)

            try api.call(
                .taskSubmit,
                body: #"{"identifier": "\#(patient.task())", "kind": "processing", "payload": "AP8K"}"#
            )
            try await host.waitForLog("it runs") { $0.contains("patient runs") }
            let later = #"{"identifier": "\#(task)", "kind": "refresh", "earliest_begin": "2100-01-01T00:00:00+01:00"}"#
            try api.call(.taskSubmit, body: later)
            try api.call(.taskSubmit, body: later)
            try api.call(.taskSubmitBatch, body: #"{"requests": [\#(later), {"identifier": "\#(task)"}]}"#)
            try api.call(.pluginTrigger, keyboard.identifier, body: "{}")
            let push = #"{"payload": "AP8K", "expires_at": "2100-01-01T00:00:00Z", "priority": "normal"}"#
            try api.call(.pluginPush, board.identifier, body: push)
            let token = try api.call(.pushTokenIssue, board.identifier, body: #"{"rotate": true}"#)["token"].text ?? ""
            try api.call(.pushTokenRevoke, board.identifier)
            try api.call(.pushTokenCheck, body: #"{"token": "\#(token)"}"#)

            let moved = try await host.outcome(of: try await host.submit(mover.task()))
            _ = try await host.end(ofLaunch: try #require(moved.launch))
            try api.call(.taskCursor, mover.task())
            try api.call(.taskCursorClear, mover.task())

            let list = try api.call(.taskList)
            #expect(list["pending"].elements.map { $0["identifier"] } == [.string(task)])
            #expect(list["running"].elements.contains { $0["identifier"] == .string(patient.task()) })
            for asked in [task, patient.task()] { try api.call(.taskWhy, asked) }
            try api.call(.scheduleList)
            try api.call(.hostStatus)
            try api.call(.hostReload)
            try api.call(.backupReport, body: #"{"file": "/var/backups/bgtask.tar", "sha256": "9f86"}"#)
            #expect(try api.call(.pluginList)["refused"].elements.count == 1)
            try api.call(.pluginShow, TestPlugin.neighbour.identifier)
            try api.call(.launchList, query: [("limit", "100")])
            try api.call(.launchShow, "\(launch)")
            #expect(try api.call(.journal, query: [("limit", "1000")])["entries"].elements.count > 4)
            let alert = #"{"alert": "New photos", "body": "3 albums", "topic": "albums", "mutable": true}"#
            #expect(try api.call(.pluginPush, TestPlugin.neighbour.identifier, body: alert)["state"] == "shown")
            #expect(try api.call(.notificationList, query: [("limit", "10")])["notifications"].elements.count > 0)
            try api.call(.logs, query: [("limit", "1000")])

            try api.call(.stats, query: [("plugin", TestPlugin.neighbour.identifier), ("since", "1h")])
            try api.callMetrics()
            try api.call(.simulateConditions, body: #"{"network": false}"#)
            try api.call(.simulateConditions, body: #"{"network": null}"#)
            #expect(try api.call(.forecast, body: "{}")["complete"] == .boolean(true))
            try api.call(.forecast, body: #"{"conditions": {"idle": true}, "policies": {"off": ["idle"]}}"#)
            #expect(try api.call(.capacity)["lanes"].elements.count == 2)
            let past = try api.call(.leaseRenew, "fleet", body: #"{"trusted_until_boot_ns": 1}"#)
            #expect(past["state"] == "ended")
            #expect(try api.call(.leaseRenew, "fleet", body: #"{"trusted_for": 28.5}"#)["state"] == "trusted")
            #expect(try api.call(.leaseShow, "fleet")["claims"].elements.isEmpty)
            #expect(try api.call(.leaseList)["leases"].elements.count == 1)
            let claimed = later.dropLast() + #", "claim": {"item": 1, "fence": 1, "bound": true}}"#
            let refused = try api.call(.taskSubmitBatch, body: #"{"lease": "fleet", "requests": [\#(claimed)]}"#)
            #expect(refused["results"].elements.first?["error"]["sub_reason"] == "background-denied")
            try api.call(.leaseDelete, "fleet")
            #expect(try api.call(.journal, query: [("claims", "true")])["entries"].elements.isEmpty)
            try api.call(.simulateExpiration, body: #"{"identifier": "\#(patient.task())"}"#)
            try await host.waitForJournal("its end") { $0.identifier == patient.task() && $0.event == "failed" }
            guard case .integer(let again) = try api.call(.taskRetry, patient.task())["submission"] else {
                throw HostFailure("the answer to a retry has no submission")
            }
            try await host.wait(for: again, toRun: patient)
            try api.call(.taskStop, patient.task())
            _ = try await host.outcome(of: again)
            let third = try await host.submit(patient.task())
            try await host.wait(for: third, toRun: patient)
            let running = try await host.client.tasks().running.first { $0.submission == third }
            try api.call(.launchStop, "\(try #require(running).launch)")
            try api.call(.pluginPause, TestPlugin.neighbour.identifier, body: #"{"until": "2100-01-01T00:00:00Z"}"#)
            try api.call(.pluginShow, TestPlugin.neighbour.identifier)
            try api.call(.taskSubmit, body: later)
            try api.call(.pluginResume, TestPlugin.neighbour.identifier)
            try api.call(.run, body: #"{"identifiers": ["\#(task)"]}"#)
            try api.call(.taskCancel, task)
            // A container directory is all that is left of a plugin whose record was deleted.
            try host.directory.makeDirectory("state/containers/com.example.gone")
            try api.call(.pluginPurge, "com.example.gone")
            #expect(api.seen.withLock { $0 } == Set(Route.allCases))
        }
    }

    @Test func `refusals by each route of a real host have the documented status, schema, sub-reason and field`()
        async throws
    {
        try await HostFixture.with { host in
            let api = try Checker(host)
            let task = TestPlugin.neighbour.task()
            try await host.started(.neighbour)
            func subReason(_ call: JSONValue) -> JSONValue { call["error"]["sub_reason"] }
            for route in Route.allCases {
                let value = route.parameter.map { $0 == "number" ? "41" : "com.example.nobody" }
                let unknown = try api.call(route, value, query: [("colour", "red")], status: 400)
                #expect(subReason(unknown) == "query-unknown" && unknown["error"]["field"] == "colour")
                let body = try api.call(route, value, body: route.takesBody ? "[]" : "{}", status: 400)
                #expect(subReason(body) == (route.takesBody ? "body-not-object" : "body-unexpected"))
                let large = try api.call(
                    route,
                    value,
                    body: String(repeating: " ", count: route.maximumBody + 1),
                    status: 400
                )
                #expect(subReason(large) == "body-too-large")
                if route.takesBody {
                    #expect(subReason(try api.call(route, value, status: 400)) == "body-missing")
                    let nested = String(repeating: "[", count: 100_000)
                    #expect(subReason(try api.call(route, value, body: nested, status: 400)) == "body-not-json")
                }
                if route.parameter == "identifier" {
                    let malformed = try api.call(route, "no..dot", body: route.takesBody ? "{}" : "", status: 400)
                    #expect(subReason(malformed) == "identifier-invalid" && malformed["error"]["field"] == "identifier")
                }
            }
            for (path, allowed) in [
                ("/v1/host", "GET"), ("/v1/tasks", "GET, POST"), ("/v1/plugins/com.example.a?b=c", "DELETE, GET"),
            ] {
                let answer = try host.rawCall("PUT", path)
                #expect(answer.status == 405 && answer.headers["allow"] == allowed, "\(answer)")
                #expect(subReason(try answer.json()) == "no-such-method")
            }
            let nowhere = try host.rawCall("GET", "/v1/nowhere")
            #expect(nowhere.status == 404 && nowhere.headers["allow"] == nil)
            #expect(subReason(try nowhere.json()) == "no-such-route")
            try api.call(.launchShow, "zero", status: 400)
            try api.call(.launchShow, "4711", status: 404)
            try api.call(.transferShow, "zero", status: 400)
            for route in [Route.transferShow, .transferPause, .transferResume, .transferCancel] {
                #expect(subReason(try api.call(route, "4711", status: 404)) == "no-such-transfer")
            }
            for route in [Route.leaseShow, .leaseDelete] {
                #expect(subReason(try api.call(route, "nobody", status: 404)) == "no-such-lease")
                #expect(subReason(try api.call(route, "No Lease", status: 400)) == "identifier-invalid")
            }
            let tooHigh = try api.call(
                .leaseRenew,
                "fleet",
                body: #"{"trusted_for": 1, "acknowledged": 999999999}"#,
                status: 400
            )
            #expect(subReason(tooHigh) == "number-invalid" && tooHigh["error"]["field"] == "acknowledged")
            let claimed =
                #"{"identifier": "\#(task)", "kind": "refresh", "claim": {"item": 1, "fence": 1, "bound": true}}"#
            let unleased = #"{"lease": "nobody", "requests": [\#(claimed)]}"#
            #expect(subReason(try api.call(.taskSubmitBatch, body: unleased, status: 409)) == "lease-not-trusted")
            try api.call(.pluginShow, "com.example.nobody", status: 404)
            try api.call(.taskWhy, "com.example.nobody.task", status: 404)
            try api.call(.taskCancel, "com.example.nobody.task", status: 404)
            try api.call(.taskStop, "com.example.nobody.task", status: 404)
            try api.call(.taskRetry, "com.example.nobody.task", status: 404)
            try api.call(.journal, query: [("launch", "4711")], status: 404)
            try api.call(.logs, query: [("launch", "4711")], status: 404)
            try api.call(.forecast, body: #"{"plugin": "com.example.nobody"}"#, status: 404)
            try api.call(.forecast, body: #"{"policies": {"off": ["idleness"]}}"#, status: 400)
            try api.call(
                .simulateConditions,
                body: #"{"locked_containers": {"com.example.nobody": true}}"#,
                status: 404
            )
            try api.call(.launchList, query: [("plugin", "com.example.nobody")], status: 404)
            try api.call(.stats, query: [("plugin", "com.example.nobody")], status: 404)
            try api.call(.stats, query: [("plugin", "com.example.app,,")], status: 400)
            try api.call(.stats, query: [("since", "yesterday")], status: 400)
            try api.call(
                .taskSubmit,
                body: #"{"identifier": "com.example.nobody.task", "kind": "refresh"}"#,
                status: 403
            )
            try api.call(.pluginTrigger, TestPlugin.neighbour.identifier, body: "{}", status: 403)
            try api.call(.pluginTrigger, "com.example.nobody", body: "{}", status: 404)
            try api.call(.pluginPush, TestPlugin.neighbour.identifier, body: "{}", status: 403)
            try api.call(.pluginPush, "com.example.nobody", body: "{}", status: 404)
            let token = String(repeating: "a5", count: 32)
            try api.call(.pluginPush, TestPlugin.neighbour.identifier, body: "{\"token\": \"\(token)\"}", status: 404)
            try api.call(.pluginPush, TestPlugin.neighbour.identifier, body: #"{"token": "a5"}"#, status: 400)
            try api.call(.run, body: #"{"identifiers": ["\#(task)"]}"#, status: 409)
            try api.call(.simulateExpiration, body: #"{"identifier": "\#(task)"}"#, status: 409)
            try await host.runNeighbour()
        }
    }
}

@Suite("The journal's filters select matching entries, recorded and new")
struct JournalFilterTests {
    @Test
    func `the journal's filters select exactly the matching entries, and --follow applies two of them to a new entry`()
        async throws
    {
        let recorder = TestPlugin("Recorder", tasks: ["processing1"])
        try await HostFixture.with(plugins: [.neighbour, recorder]) { host in
            // Until the start events have ended, the journal grows without a submission.
            for plugin in [.neighbour, recorder] {
                let started = try await host.started(plugin)
                _ = try await host.end(ofLaunch: try #require(started.launch))
            }
            let task = TestPlugin.neighbour.task()
            let end = try await host.outcome(of: try await host.submit(task))
            let launch = try #require(end.launch)
            _ = try await host.end(ofLaunch: launch)
            func numbers(_ filters: String...) async throws -> [Int64] {
                let run = try await host.bgtaskList(["journal", "--json", "--limit", "10000"] + filters)
                let entries = try JSONDecoder().decode(JournalReply.self, from: Data(run.output.utf8)).entries
                #expect(run.status == (entries.isEmpty ? 1 : 0), "\(run.error)")
                return entries.map(\.number)
            }
            func wanted(_ fits: (JournalLine) -> Bool) async throws -> [Int64] {
                try await host.wholeJournal().filter(fits).map(\.number)
            }
            let plugin = TestPlugin.neighbour.identifier
            #expect(try await numbers("--plugin", plugin) == wanted { $0.plugin == plugin })
            #expect(try await numbers("--launch", "\(launch)") == wanted { $0.launch == launch })
            #expect(try await numbers("--identifier", task, "--outcome", "succeeded") == [end.number])
            #expect(try await numbers("--identifier", task, "--outcome", "crashed") == [])
            #expect(try await numbers("--blame", "plugin") == wanted { $0.blame == "plugin" })
            #expect(try await numbers("--since", "1h") == wanted { _ in true })
            #expect(try await numbers("--since", "2100-01-01T00:00:00Z") == [])
            #expect(try await numbers("--since", end.at.description) == wanted { $0.at >= end.at })

            let follower = try await ChildProcess.start(
                BuiltProgram.command.path(),
                [
                    "journal", "--follow", "--json", "--event", "succeeded", "--identifier", task, "--socket",
                    host.socket,
                ]
            )
            try await follower.outputLine("what happened before") { $0.contains("\"number\":\(end.number),") }
            let next = try await host.outcome(of: try await host.submit(task))
            try await follower.outputLine("the next one") { $0.contains("\"number\":\(next.number),") }
            #expect(follower.standardOutput.elements.count == 2)
            follower.signal(SIGINT)
            _ = try await follower.ending()
        }
    }
}

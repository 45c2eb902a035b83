// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("The API description matches the routes and bodies of the code")
struct APIDescriptionTests {
    private let document: APIDocument

    init() throws { document = try APIDocument() }

    @Test func `the API description has exactly the routes of the code`() {
        let described = document.operations.map { "\($0.method) \($0.path)" }
        #expect(described.sorted() == Route.allCases.map(\.description).sorted())
    }

    @Test(arguments: Route.allCases)
    func `each route in the API description has its name, parameters, body, success status and failures`(
        route: Route
    ) throws {
        let operation = try document.operation(route)
        #expect(operation["operationId"] == .string(route.rawValue))
        #expect(operation["summary"].text?.isEmpty == false)
        #expect(operation["x-role"] == .string(route.role.rawValue))

        let parameters = try operation["parameters"].elements.map(document.resolved)
        func names(in place: String) -> [String] {
            parameters.filter { $0["in"] == .string(place) }.compactMap(\.["name"].text)
        }
        #expect(names(in: "path") == (route.parameter.map { [$0] } ?? []))
        #expect(names(in: "query").sorted() == route.queryNames.sorted())
        #expect(parameters.count == names(in: "path").count + names(in: "query").count)
        #expect(parameters.allSatisfy { ($0["in"] == .string("path")) == ($0["required"] == .boolean(true)) })

        #expect((operation["requestBody"]["required"] == .boolean(true)) == route.takesBody)

        let statuses = operation["responses"].members.map(\.0)
        #expect(
            statuses.filter { $0.hasPrefix("2") } == (route == .taskSubmit ? ["200"] : []) + ["\(route.successStatus)"]
        )
        #expect(Set(statuses).isSuperset(of: ["400", "403", "500"]))
        for status in statuses where !status.hasPrefix("2") {
            let schema = try document.schema(of: route, status: Int(status) ?? 0)
            #expect(try document.resolved(schema) == document.schema(named: "Error"))
        }
    }

    @Test(arguments: [
        (Route.backupReport, BackupReport.fields), (.pluginTrigger, PluginTrigger.fields),
        (.pluginPush, PluginPush.fields), (.pushTokenIssue, PushTokenOrder.fields),
        (.pushTokenCheck, PushTokenCheck.fields),
        (.pluginPause, PluginPauseOrder.fields),
        (.taskSubmit, TaskSubmission.fields),
        (.taskSubmitBatch, TaskBatch.fields),
        (.run, RunOrder.fields),
        (.simulateExpiration, ExpirationSimulation.fields), (.simulateConditions, ConditionsSimulation.fields),
        (.forecast, ForecastOrder.fields), (.leaseRenew, LeaseOrder.fields),
    ])
    func `each request body in the API description has exactly the fields that its route accepts`(
        route: Route,
        fields: [BodyField]
    )
        throws
    {
        let content = try document.operation(route)["requestBody"]["content"]["application/json"]
        let schema = try document.resolved(content["schema"])
        #expect(schema["additionalProperties"] == .boolean(false))
        #expect(schema["properties"].members.map(\.0) == fields.map(\.name).sorted())
        let required = schema["required"].elements.compactMap(\.text)
        #expect(required.sorted() == fields.filter(\.isRequired).map(\.name).sorted())
        for field in fields {
            let type = try document.resolved(schema["properties"][field.name])["type"]
            switch field.shape {
            case .text, .time, .base64: #expect(type == .string("string"))
            case .texts, .objects: #expect(type == .string("array"))
            case .boolean: #expect(type == .string("boolean"))
            case .booleanOrNull: #expect(type == .array([.string("boolean"), .string("null")]))
            case .whole: #expect(type == .string("integer"))
            case .number: #expect(type == .string("number"))
            case .booleansOrNulls, .object: #expect(type == .string("object"))
            }
        }
    }

    @Test func `every example of the API description is valid by its schema`() throws {
        var count = 0
        func check(_ place: JSONValue, _ name: String) throws {
            for (type, content) in place["content"].members where content["example"] != .null {
                count += 1
                let problems = try document.problems(of: content["example"], against: content["schema"])
                #expect(problems == [], "\(name) \(type)")
            }
        }
        for operation in document.operations {
            let name = "\(operation.method) \(operation.path)"
            try check(operation.body["requestBody"], name)
            for (status, response) in operation.body["responses"].members {
                try check(try document.resolved(response), "\(name) \(status)")
            }
            for parameter in try operation.body["parameters"].elements.map(document.resolved)
            where parameter["example"] != .null {
                let problems = try document.problems(of: parameter["example"], against: parameter["schema"])
                #expect(problems == [], "\(name)")
            }
        }
        #expect(count > Route.allCases.count)
    }

    @Test func `every key and query parameter of the API is usable from jq without quotes`() throws {
        var schemas = document.root["components"]["schemas"].members.map(\.1)
        var count = 0
        while let schema = schemas.popLast() {
            let properties = schema["properties"].members
            count += properties.count
            #expect(properties.map(\.0).filter(JSONValue.isQuoted) == [])
            schemas +=
                properties.map(\.1) + schema["oneOf"].elements + schema["anyOf"].elements
                + [schema["items"], schema["additionalProperties"]]
            schemas.removeAll { $0 == .null }
        }
        #expect(count > 200)
        #expect(Route.allCases.flatMap(\.queryNames).filter(JSONValue.isQuoted) == [])
    }

    @Test func `every enumeration of the API description has the values of the model`() throws {
        var described = Self.enumerations(in: document.root["components"]["schemas"], at: "")
        // Read from the source, because the API does not depend on the scheduler.
        let policies = try Repository.cases(of: "Policy", in: "Sources/Scheduling/Policies/Policy.swift")
        #expect(described.removeValue(forKey: "Policy").map(Set.init) == policies)
        let guarantees = try Repository.cases(of: "Guarantee", in: "Sources/TaskModel/Guarantee.swift")
        #expect(described.removeValue(forKey: "GuaranteeName").map(Set.init) == guarantees)
        for name in ["ErrorCode", "ErrorSubReason"] {
            let values = described.removeValue(forKey: name)
            #expect(values.map(Set.init) == Self.errors[name].map(Set.init), "\(name)")
        }
        #expect(Set(described.keys) == Set(Self.model.keys))
        for (place, values) in described { #expect(values == Self.model[place], "\(place)") }
    }

    /// The values of the model, by the place of the enumeration in the description.
    private static let model: [String: [String]] = [
        "Identifier.not": EventType.allCases.map(\.name),
        "Kind": TaskKind.allCases.map(\.name),
        "Lane": Lane.allCases.map(\.name),
        "Mode": BackgroundMode.allCases.map(\.rawValue),
        "Blame": Blame.allCases.map(\.rawValue),
        "Role": PluginRole.allCases.map(\.name),
        "TaskOutcome": TaskOutcome.allCases.map(\.rawValue),
        "LaunchOutcome": LaunchOutcome.allCases.map(\.rawValue),
        "JournalEvent": JournalEntry.Event.allCases.map(\.name),
        "ReasonCode": ReasonKind.allCases.map(\.row.code),
        "PluginState": PluginListReply.State.allCases.map(\.rawValue),
        "Condition.source": ConditionsReply.Source.allCases.map(\.rawValue),
        "ManifestNote.severity": ["error", "note"],
        "TaskSubmission.kind": TaskKind.submittable.map(\.name),
        "TaskSubmission.protection": ProtectionType.allCases.map(\.name),
        "TaskSubmission.strategy": SubmissionStrategy.allCases.map(\.name),
        "LedgerState.state": LedgerState.State.allCases.map(\.rawValue),
        "TaskWhy.state": TaskWhyReply.State.allCases.map(\.rawValue),
        "ScheduledTask.state": ScheduleListReply.State.allCases.map(\.rawValue),
        "TaskWhy.policies.verdict": ["may", "wait", "must"],
        "Plugin.extension_point": ExtensionPoint.allCases.map(\.rawValue),
        "Plugin.provenance.source": Provenance.Source.allCases.map(\.rawValue),
        "Plugin.grants.rights.grant": ["network", "connect", "listen", "unix", "gpu", "processes"]
            + GrantedRight.Access.allCases.map(\.rawValue),
        "HostStatus.provenance.unsigned": ["allow", "warn", "refuse"],
        "HostStatus.provenance.unpinned": ["allow", "warn", "refuse"],
        "HostStatus.provenance.packages": ["trust", "refuse"],
        "HostStatus.isolation.choice": Isolation.allCases.map(\.rawValue),
        "TransferState": TransferState.allCases.map(\.name),
        "Transfer.kind": TransferDescription.Direction.allCases.map(\.name),
        "Transfer.fault": TransferFault.allCases.map(\.name),
        "LogLevel": LogLevel.allCases.map(\.name),
        "LogLine.stream": LogStream.allCases.map(\.rawValue),
        "Launch.cause": LaunchCause.allCases.map(\.name),
        // `ForecastTests` compares them with the model, on which the API does not depend.
        "Forecast.cut.reason": ["steps", "processor-time", "work", "loading"],
        "ForecastLaunch.tasks.origin": ["running", "pending", "schedule", "host"],
        "ForecastLaunch.tasks.basis": ["earlier-runs", "budget", "fixed"],
        "PluginPush.priority": PushPriority.allCases.map(\.rawValue),
        "PluginPushReply.state": PluginPushReply.State.allCases.map(\.rawValue),
        "Lease.state": LeaseReply.State.allCases.map(\.rawValue),
        "ClaimInWhy.state": LeaseReply.State.allCases.map(\.rawValue),
        "PushTokenCheckReply.state": PushTokenCheckReply.State.allCases.map(\.rawValue),
    ]

    private static let errors: [String: [String]] = [
        "ErrorCode": RouteError.Code.allCases.map(\.rawValue) + SubmissionRefusal.Code.allCases.map(\.name),
        "ErrorSubReason": RouteError.SubReason.allCases.map(\.rawValue)
            + SubmissionRefusal.SubReason.allCases.map(\.name),
    ]

    /// The values of each enumeration below a value of the description, by its place: names of schemas and properties.
    private static func enumerations(in value: JSONValue, at place: String) -> [String: [String]] {
        var found: [String: [String]] = [:]
        let values = value["enum"].elements.compactMap(\.text)
        if !values.isEmpty { found[place] = values }
        for (name, inner) in value.members {
            let isKeyword = ["properties", "items", "oneOf", "anyOf", "additionalProperties"].contains(name)
            let below = isKeyword ? place : place.isEmpty ? name : "\(place).\(name)"
            for part in [inner] + inner.elements {
                found.merge(enumerations(in: part, at: below)) { first, _ in first }
            }
        }
        return found
    }

    @Test func `the API description has the name and the meaning of each journal event`() throws {
        let text = try #require(try document.schema(named: "JournalEvent")["description"].text)
        for event in JournalEntry.Event.allCases { #expect(text.contains("`\(event.name)`: \(event.row.meaning)\n")) }
    }

    @Test func `the API description lists exactly the conditions that the code defines`() throws {
        let names = Condition.allCases.map(\.key)
        let schema = try document.schema(named: "Conditions")
        #expect(schema["required"].elements.compactMap(\.text) == names)
        #expect(schema["properties"].members.map(\.0) == (names + ["locked_containers"]).sorted())
    }

    @Test func `the API description lists each sub-reason, and each error code of a failed route`() throws {
        let text = try #require(try document.schema(named: "ErrorSubReason")["description"].text)
        for reason in RouteError.SubReason.allCases {
            #expect(text.contains("`\(reason.rawValue)`") && text.contains("`\(reason.code.rawValue)` ("))
        }
        for reason in SubmissionRefusal.SubReason.allCases { #expect(text.contains("`\(reason.name)`")) }
    }

    @Test(arguments: [
        (#"{"cancelled": 1}"#, "type"), (#"{"cancelled": true, "more": 1}"#, "more is not known"), ("{}", "missing"),
        (#"{"cancelled": null}"#, "type"), ("[]", "type"),
    ])
    func `the tests' schema check reports a wrong type, an unknown field and a missing field`(
        text: String,
        problem: String
    )
        throws
    {
        let value = try JSONValue(parsing: Data(text.utf8))
        let problems = try document.problems(of: value, against: try document.schema(named: "TaskCancellationReply"))
        #expect(problems.count == 1 && problems[0].contains(problem), "\(problems)")
    }

    @Test func `the tests' schema check rejects schemas with unsupported keywords`() {
        let schema = JSONValue.object(["type": .string("string"), "multipleOf": .integer(2)])
        #expect(throws: HostFailure.self) { try document.problems(of: .string("a"), against: schema) }
    }
}

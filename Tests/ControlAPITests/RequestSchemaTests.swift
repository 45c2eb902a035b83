// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("The schemas of requests accept the same values as the host")
struct RequestSchemaTests {
    private let document: APIDocument

    init() throws { document = try APIDocument() }

    private func accepts(_ value: JSONValue, as schema: String) throws -> Bool {
        try document.problems(of: value, against: try document.schema(named: schema)).isEmpty
    }

    @Test(arguments: [
        "a", "a.b", "com.example.feed-2_x.refresh", "started", "trigger", "fetch", "started.a", "", ".", ".a", "a.",
        "a..b", "a b", "a.é", "a/b.c", String(repeating: "a", count: 255), String(repeating: "a.", count: 127) + "a",
        String(repeating: "a", count: 256),
    ])
    func `the schemas of identifiers accept exactly the identifiers that the host accepts`(text: String) throws {
        #expect(try accepts(.string(text), as: "Identifier") == (TaskIdentifier(text) != nil))
        #expect(try accepts(.string(text), as: "PluginIdentifier") == (PluginIdentifier(text) != nil))
    }

    @Test(arguments: [
        "2026-01-31T02:00:00Z", "1678-01-01T00:00:00Z", "1677-12-31T23:59:59Z", "2261-12-31T23:59:60+23:59",
        "2263-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "2026-01-31", "2026-01-31T02:00:00", "soon",
    ])
    func `the schema of a time in a request accepts only times that the host accepts`(text: String) throws {
        let isInSchema = try accepts(.string(text), as: "RequestTime")
        #expect(!isInSchema || Timestamp(text) != nil)
        // The host also knows parts of the years 1677 and 2262.
        #expect(isInSchema == (Timestamp(text) != nil && !text.hasPrefix("1677")))
    }

    @Test(arguments: [
        "2026-01-31T02:00:00Z", "2h", "1h30min", "1h30m", "1.5h", "0s", "5msecs", "2mins", "9999999d", "2", "0.5ms",
        "-2h", "1y", "h", "", "yesterday",
    ])
    func `the schema of a time or an age accepts the same texts as the host`(text: String) throws {
        let time = SinceTime.instant(text, now: Samples.now)
        #expect(try accepts(.string(text), as: "TimeOrAge") == (time != nil))
    }

    @Test(arguments: ["", "AP8K", "AP8=", "AA==", "A", "AP8", "AP8K=", "A===", "AP-_", "AP8K ", "====", "AP8=AP8="])
    func `the schema of a payload accepts the same texts as the host`(text: String) throws {
        let body = Data(#"{"payload": "\#(text)"}"#.utf8)
        let isAccepted = (try? PluginTrigger.reading(body, for: .pluginTrigger)) != nil
        #expect(try accepts(.string(text), as: "Payload") == isAccepted)
    }

    @Test(arguments: TaskKind.submittable, RequestField.allCases)
    func `the schema of a submission has the field of a kind exactly for that kind`(
        kind: TaskKind,
        field: RequestField
    ) throws {
        var body: [String: JSONValue] = ["identifier": "com.example.feed.a", "kind": .string(kind.name)]
        if kind == .continued { body["title"] = "Export" }
        #expect(try accepts(.object(body), as: "TaskSubmission"))
        body[field.key] = Self.value(of: field)
        #expect(try accepts(.object(body), as: "TaskSubmission") == field.belongs(to: kind))
    }

    private static func value(of field: RequestField) -> JSONValue {
        switch field {
        case .requiresNetwork, .requiresExternalPower, .resources: .boolean(true)
        case .protection: .string(ProtectionType.complete.name)
        case .title, .subtitle: "Export"
        case .strategy: .string(SubmissionStrategy.default.name)
        }
    }

    @Test(arguments: TaskKind.submittable)
    func `the schema of a submission has an earliest begin exactly for the kinds that may begin later`(
        kind: TaskKind
    ) throws {
        var body: [String: JSONValue] = ["identifier": "com.example.feed.a", "kind": .string(kind.name)]
        if kind == .continued { body["title"] = "Export" }
        body["earliest_begin"] = "2026-01-31T02:00:00Z"
        #expect(try accepts(.object(body), as: "TaskSubmission") == kind.mayBeginLater)
    }

    @Test func `the schema of a submission requires the title of a continued request, and no title of others`() throws {
        for kind in TaskKind.submittable {
            let body: JSONValue = .object(["identifier": "com.example.feed.a", "kind": .string(kind.name)])
            #expect(try accepts(body, as: "TaskSubmission") == (kind != .continued))
        }
    }
}

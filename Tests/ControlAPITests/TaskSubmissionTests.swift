// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import StatementTraits
import TaskModel
import Testing

@Suite("A submission is transferred unchanged or refused by its rule")
struct TaskSubmissionTests {
    private func decode(_ text: String) throws -> TaskSubmission { try WireCoding.decode(from: Data(text.utf8)) }

    @Test func `the fields and the payload of a processing request arrive unchanged in the JSON submission`() throws {
        let request = TaskRequest(
            identifier: try Samples.task(),
            kind: .processing,
            earliestBegin: Samples.now,
            requiresNetwork: true,
            requiresExternalPower: true
        )
        let sent = TaskSubmission(request, payload: [0, 255, 10])
        let got = try WireCoding.decode(TaskSubmission.self, from: try WireCoding.encode(sent)).validated()
        #expect(got.request == request)
        #expect(got.payload == [0, 255, 10])
    }

    @Test func `a JSON submission needs only identifier and kind`() throws {
        let got = try decode(#"{"identifier": "com.example.feed.refresh", "kind": "refresh"}"#).validated()
        #expect(got.request == TaskRequest(identifier: try Samples.task(), kind: .refresh))
        #expect(got.payload.isEmpty)
    }

    @Test func `a restart arrives, and a submission without one does not have the field`() throws {
        let request = TaskRequest(identifier: try Samples.task(), kind: .processing)
        let sent = try WireCoding.encode(TaskSubmission(request, restart: true))
        #expect(try WireCoding.decode(TaskSubmission.self, from: sent).restart == true)
        let plain = try WireCoding.encode(TaskSubmission(request))
        #expect(!String(decoding: plain, as: UTF8.self).contains("restart"))
    }

    @Test func `the condition to start soon arrives, and a submission without it does not have the field`() throws {
        let request = TaskRequest(identifier: try Samples.task(), kind: .processing)
        let sent = try WireCoding.encode(TaskSubmission(request, onlyIfSoon: true))
        #expect(try WireCoding.decode(TaskSubmission.self, from: sent).onlyIfSoon == true)
        let plain = try WireCoding.encode(TaskSubmission(request))
        #expect(!String(decoding: plain, as: UTF8.self).contains("only_if_soon"))
    }

    @Test(arguments: RequestField.allCases)
    func `a submission with a field of another kind of request is refused, and the error names the field`(
        _ field: RequestField
    ) throws {
        #expect(TaskSubmission.fields.contains { $0.name == field.key })
        let values: [RequestField: String] = [
            .requiresNetwork: "true", .requiresExternalPower: "true", .protection: #""complete""#, .title: #""Export""#,
            .subtitle: #""Export""#, .strategy: #""fail""#, .resources: "true",
        ]
        let value = try #require(values[field])
        for kind in TaskKind.submittable where !field.belongs(to: kind) {
            let body =
                #"{"identifier": "com.example.feed.refresh", "kind": "\#(kind.name)", "\#(field.key)": \#(value)}"#
            let refusal = try #require(throws: RouteError.self) { try decode(body).validated() }
            #expect(
                refusal.reply.error.subReason == "field-not-of-kind" && refusal.reply.error.message.contains(field.key)
            )
        }
    }

    @Test func `a submission of a continued request with an earliest begin is refused with that field`() throws {
        let body = """
            {"identifier": "com.example.feed.export", "kind": "continued", "title": "Export",
             "earliest_begin": "2026-01-31T02:00:00Z"}
            """
        let refusal = try #require(throws: RouteError.self) { try decode(body).validated() }
        #expect(refusal.reply.error.subReason == "field-not-of-kind" && refusal.reply.error.field == "earliest_begin")
    }

    @Test func `a payload of 64 KiB is accepted in the API, and one byte more is refused`() throws {
        let request = TaskRequest(identifier: try Samples.task(), kind: .refresh)
        let most = [UInt8](repeating: 1, count: TaskRequest.maximumPayload)
        #expect(try TaskSubmission(request, payload: most).validated().payload == most)
        let refusal = try #require(throws: RouteError.self) {
            try TaskSubmission(request, payload: most + [1]).validated()
        }
        #expect(refusal.reply.error.subReason == "payload-too-large")
        #expect(try PluginTrigger(payload: most).validated() == most)
        #expect(throws: refusal) { try PluginTrigger(payload: most + [1]).validated() }
    }
}

@Suite("Refusals of the scheduler keep their code and sub-reason")
struct RouteErrorTests {
    @Test(
        .proves("C14"),
        arguments: [
            (SubmissionRefusal.Code.unavailable, 503), (.tooManyPendingTaskRequests, 409), (.notPermitted, 403),
            (.immediateRunIneligible, 409),
        ]
    )
    func `the API answers a refusal of the scheduler with 503, 409 or 403, and keeps its code and sub-reason`(
        code: SubmissionRefusal.Code,
        status: Int
    ) {
        let refusal = RouteError(SubmissionRefusal(code: code, subReason: .refreshLimit, message: "m"))
        #expect(refusal.status == status)
        #expect(refusal.reply == ErrorReply(code: code.name, subReason: "refresh-limit", message: "m"))
    }

    @Test func `the error for an unknown task has status 404 and names the task`() {
        let refusal = RouteError.noSuchTask("a.b")
        #expect(refusal.status == 404)
        #expect(refusal.reply.error.message.hasPrefix("a.b is unknown: "))
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import PluginRuntime
import TaskModel
import Testing

@Suite("What a plugin submits is copied whole or refused with its reason")
struct ForeignSubmissionTests {
    @Test func `a processing request keeps its needs, its date and its payload`() throws {
        let submission = try read { request in
            request.kind = BGT_KIND_PROCESSING
            request.flags = BGT_NEEDS_NETWORK | BGT_NEEDS_EXTERNAL_POWER
            request.earliest_begin_ns = 77
        } payload: {
            [1, 2, 3]
        }
        let expected = TaskRequest(
            identifier: identifier("com.example.app.refresh"),
            kind: .processing,
            earliestBegin: WallTime(nanoseconds: 77),
            requiresNetwork: true,
            requiresExternalPower: true
        )
        #expect(submission.request == expected)
        #expect(submission.payload == [1, 2, 3])
    }

    @Test func `28: no date is no delay`() throws {
        #expect(try read().request.earliestBegin == nil)
    }

    @Test func `a payload at the limit is carried, one byte more is not`() throws {
        let most = TaskRequest.maximumPayload
        #expect(
            try read { _ in
            } payload: {
                Array(repeating: 1, count: most)
            }.payload.count == most
        )
        #expect(
            problem { _ in
            } payload: {
                Array(repeating: 1, count: most + 1)
            }?.status == BGT_INVALID
        )
    }

    @Test func `a payload without bytes and bytes without a payload are refused`() {
        #expect(problem { $0.payload_length = 1 }?.status == BGT_INVALID)
        #expect(problem { $0.payload_length = .max }?.status == BGT_INVALID)
        let problem = problem {
            $0.payload_length = 0
        } payload: {
            [1]
        }
        #expect(problem?.message.contains("NULL if and only if") == true)
    }

    @Test(arguments: [BGT_KIND_HEALTH_RESEARCH, BGT_KIND_CONTINUED])
    func `a kind that this host does not run yet is unavailable with its sub-reason`(kind: UInt32) {
        let problem = problem { $0.kind = kind }
        #expect(problem?.status == BGT_UNAVAILABLE)
        #expect(problem?.subReason == BGT_REASON_NOT_OFFERED)
    }

    @Test(arguments: [0, BGT_KIND_EVENT, 6, .max] as [UInt32])
    func `what is no kind to submit is invalid`(kind: UInt32) {
        #expect(problem { $0.kind = kind }?.status == BGT_INVALID)
    }

    @Test func `a field of another kind is refused by name`() {
        #expect(problem { $0.flags = BGT_NEEDS_NETWORK }?.message.hasPrefix("flags") == true)
        #expect(problem { $0.strategy = 1 }?.message.hasPrefix("strategy") == true)
        #expect(problem { $0.resources = 1 }?.message.hasPrefix("resources") == true)
        "title".withCString { title in
            #expect(problem { $0.title = title }?.message.hasPrefix("title") == true)
            #expect(problem { $0.subtitle = title }?.message.hasPrefix("subtitle") == true)
        }
        let unknownFlag = problem { request in
            request.kind = BGT_KIND_PROCESSING
            request.flags = 4
        }
        #expect(unknownFlag?.message.hasPrefix("flags") == true)
    }

    @Test func `an identifier that is missing, malformed or too long is refused`() {
        #expect(problem { $0.identifier = nil }?.status == BGT_INVALID)
        for text in ["", "plain", "com.example.*", "com." + String(repeating: "x", count: 252)] {
            let status = text.withCString { text in problem { $0.identifier = text }?.status }
            #expect(status == BGT_INVALID, "\(text)")
        }
    }

    @Test func `no request and a request of another size are refused`() {
        #expect(throws: ForeignSubmission.Problem.self) { try ForeignSubmission(nil) }
        #expect(problem { $0.size -= 8 }?.status == BGT_INVALID)
    }

    private func read(
        _ change: (inout bgt_request) -> Void = { _ in },
        payload: () -> [UInt8] = { [] }
    ) throws(ForeignSubmission.Problem) -> ForeignSubmission {
        let result: Result<ForeignSubmission, ForeignSubmission.Problem> =
            "com.example.app.refresh".withCString { identifier in
                let payload = payload()
                return payload.withUnsafeBufferPointer { bytes in
                    var request = bgt_request()
                    request.size = UInt32(MemoryLayout<bgt_request>.size)
                    request.kind = BGT_KIND_REFRESH
                    request.identifier = identifier
                    request.payload = payload.isEmpty ? nil : bytes.baseAddress
                    request.payload_length = UInt64(payload.count)
                    change(&request)
                    return Result { () throws(ForeignSubmission.Problem) in try ForeignSubmission(&request) }
                }
            }
        return try result.get()
    }

    private func problem(
        _ change: (inout bgt_request) -> Void,
        payload: () -> [UInt8] = { [] }
    ) -> ForeignSubmission.Problem? {
        do {
            _ = try read(change, payload: payload)
            return nil
        } catch {
            return error
        }
    }
}

@Suite("Statuses have their header's names")
struct StatusNameTests {
    @Test func `known, unknown and the plugin's own`() {
        #expect(String(cString: StatusName.address(of: BGT_OK)) == "BGT_OK")
        #expect(String(cString: StatusName.address(of: BGT_WRONG_KIND)) == "BGT_WRONG_KIND")
        #expect(String(cString: StatusName.address(of: -1)) == "plugin status")
        #expect(String(cString: StatusName.address(of: 99)) == "unknown status")
    }
}

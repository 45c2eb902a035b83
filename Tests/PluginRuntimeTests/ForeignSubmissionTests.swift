// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import PluginRuntime
import StatementTraits
import TaskModel
import Testing

@Suite("A plugin's submission is copied completely or refused with a reason")
struct ForeignSubmissionTests {
    @Test func `a plugin's processing request keeps its requirements, begin date and payload`() throws {
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

    @Test(.proves(27)) func `changes of the plugin's memory after a submission do not change the submitted request`()
        throws
    {
        var text = Array("com.example.app.clean".utf8CString)
        var bytes: [UInt8] = [1, 2, 3]
        let submission = try text.withUnsafeMutableBufferPointer { name in
            try bytes.withUnsafeMutableBufferPointer { payload in
                var request = bgt_processing_request(try #require(name.baseAddress), BGT_NEEDS_NETWORK)
                request.payload = UnsafePointer(payload.baseAddress)
                request.payload_length = UInt64(payload.count)
                let submission = try ForeignSubmission(&request)
                request.flags = BGT_NEEDS_EXTERNAL_POWER
                request.earliest_begin_ns = 77
                name[0] = 0
                payload[0] = 9
                return submission
            }
        }
        #expect(submission.payload == [1, 2, 3])
        #expect(
            submission.request
                == TaskRequest(
                    identifier: identifier("com.example.app.clean"),
                    kind: .processing,
                    requiresNetwork: true
                )
        )
    }

    @Test func `a plugin's request without a begin date is read as a request without one`() throws {
        #expect(try read().request.earliestBegin == nil)
    }

    @Test func `a plugin's payload at the maximum size is accepted, and one byte more is refused`() throws {
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

    @Test func `a plugin's payload length without bytes and bytes without a length are refused`() {
        #expect(problem { $0.payload_length = 1 }?.status == BGT_INVALID)
        #expect(problem { $0.payload_length = .max }?.status == BGT_INVALID)
        let problem = problem {
            $0.payload_length = 0
        } payload: {
            [1]
        }
        #expect(problem?.message.contains("not NULL, but payload_length is 0; pass NULL") == true)
    }

    @Test(arguments: [0, BGT_KIND_EVENT] as [UInt32])
    func `a plugin's request of a kind that cannot be submitted is invalid`(kind: UInt32) {
        #expect(problem { $0.kind = kind }?.status == BGT_INVALID)
    }

    @Test(.proves("BGT-ABI-06"), arguments: [6, .max] as [UInt32])
    func `a plugin's request of an unknown kind is too new for this host`(kind: UInt32) {
        #expect(problem { $0.kind = kind }?.status == BGT_TOO_NEW)
    }

    @Test func `a request with a field of another kind of request is refused, and the message names the field`() {
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

    @Test func `a plugin's request with a missing, malformed or too long identifier is refused`() {
        #expect(problem { $0.identifier = nil }?.status == BGT_INVALID)
        for text in ["", "plain.", "com.example.*", "com." + String(repeating: "x", count: 252)] {
            let status = text.withCString { text in problem { $0.identifier = text }?.status }
            #expect(status == BGT_INVALID, "\(text)")
        }
    }

    @Test func `a plugin's null request and a request of an impossible size are refused`() {
        #expect(throws: CallProblem.self) { try ForeignSubmission(nil) }
        #expect(problem { $0.size -= 16 }?.status == BGT_INVALID)
    }

    // MARK: Deadline

    @Test(.proves("C20"))
    func `a plugin's request of each kind keeps its deadline, and a negative one is invalid`() throws {
        let kinds = [BGT_KIND_REFRESH, BGT_KIND_PROCESSING, BGT_KIND_HEALTH_RESEARCH]
        for kind in kinds {
            let request = try read { request in
                request.kind = kind
                request.expires_at_ns = 99
            }.request
            #expect(request.expiresAt == WallTime(nanoseconds: 99))
        }
        let continued = try readContinued("Exporting", nil) { $0.expires_at_ns = .max }.request
        #expect(continued.expiresAt == WallTime(nanoseconds: .max))
        let problem = problem { $0.expires_at_ns = -1 }
        #expect(problem?.status == BGT_INVALID && problem?.message.hasPrefix("expires_at_ns: -1") == true)
    }

    @Test(.proves("BGT-ABI-03")) func `a plugin's request that ends before the deadline is read without one`() throws {
        let request = try read { request in
            request.size = 72
            request.expires_at_ns = -1
        }.request
        #expect(request.expiresAt == nil)
    }

    // MARK: Health research

    @Test(
        .proves(70),
        arguments: [
            (BGT_PROTECTION_UNTIL_FIRST_AUTHENTICATION, ProtectionType.untilFirstAuthentication),
            (BGT_PROTECTION_NONE, .none), (BGT_PROTECTION_UNLESS_OPEN, .unlessOpen),
            (BGT_PROTECTION_COMPLETE, .complete),
        ]
    )
    func `a plugin's health research request keeps its requirements and its protection type`(
        bits: UInt32,
        type: ProtectionType
    )
        throws
    {
        let request = try read { request in
            request.kind = BGT_KIND_HEALTH_RESEARCH
            request.flags = BGT_NEEDS_EXTERNAL_POWER | bits
        }.request
        #expect(request.kind == .healthResearch && request.protection == type && request.continued == nil)
        #expect(request.requiresExternalPower && !request.requiresNetwork)
    }

    @Test(.proves(70))
    func `protection types in refresh and processing requests are invalid, and unknown flag bits are too new`() {
        for kind in [BGT_KIND_REFRESH, BGT_KIND_PROCESSING] {
            let problem = problem { request in
                request.kind = kind
                request.flags = BGT_PROTECTION_COMPLETE
            }
            #expect(problem?.status == BGT_INVALID && problem?.message.hasPrefix("flags") == true)
        }
        let unknown = problem { request in
            request.kind = BGT_KIND_HEALTH_RESEARCH
            request.flags = 0x400
        }
        #expect(unknown?.status == BGT_TOO_NEW && unknown?.message.hasPrefix("flags 0x400") == true)
    }

    // MARK: Continued

    @Test(.proves(72, 79))
    func `a plugin's continued request keeps title, subtitle, strategy and resources, and drops its begin date`()
        throws
    {
        let request = try readContinued("Exporting", "12 photos") { request in
            request.strategy = BGT_STRATEGY_FAIL
            request.resources = BGT_RESOURCE_GPU
            request.earliest_begin_ns = .max
        }.request
        let terms = ContinuedTerms(title: "Exporting", subtitle: "12 photos", strategy: .fail, resources: .gpu)
        #expect(request.kind == .continued && request.continued == terms && request.earliestBegin == nil)
    }

    @Test(.proves(73)) func `an unset strategy of a continued request means queue, and an unknown one is refused`()
        throws
    {
        #expect(try readContinued("Exporting", nil).request.continued == ContinuedTerms(title: "Exporting"))
        let problem = continuedProblem("Exporting", nil) { $0.strategy = 3 }
        #expect(problem?.status == BGT_TOO_NEW && problem?.message.hasPrefix("strategy 3") == true)
    }

    @Test func `a continued request without a title is refused with that reason`() {
        #expect(continuedProblem(nil, nil)?.message == "title: NULL; give the title that users see")
        #expect(continuedProblem("", nil)?.message == "title: empty; give the title that users see")
        #expect(continuedProblem(nil, "subtitle")?.status == BGT_INVALID)
    }

    @Test func `titles of a plugin at the maximum length are accepted, and longer or malformed titles are refused`()
        throws
    {
        let most = String(repeating: "é", count: 127) + "x"
        #expect(try readContinued(most, most).request.continued?.subtitle == most)
        #expect(try readContinued("title", "").request.continued?.subtitle == "")
        #expect(continuedProblem(most + "x", nil)?.message.hasPrefix("title") == true)
        #expect(continuedProblem("title", most + "x")?.message.hasPrefix("subtitle") == true)
        let broken: [CChar] = [0x61, -1, 0]
        broken.withUnsafeBufferPointer { text in
            #expect(continuedProblem("title", nil) { $0.title = text.baseAddress }?.status == BGT_INVALID)
            #expect(continuedProblem("title", nil) { $0.subtitle = text.baseAddress }?.status == BGT_INVALID)
        }
    }

    @Test(.proves("BGT-ABI-06"), arguments: [BGT_KIND_REFRESH, BGT_KIND_PROCESSING, BGT_KIND_HEALTH_RESEARCH])
    func `an unknown strategy or resource in a refresh, processing or health research request is too new for this host`(
        kind: UInt32
    ) {
        let resource = problem { request in
            request.kind = kind
            request.resources = 2
        }
        #expect(resource?.status == BGT_TOO_NEW)
        let strategy = problem { request in
            request.kind = kind
            request.strategy = 3
        }
        #expect(strategy?.status == BGT_TOO_NEW)
    }

    @Test(.proves(75), arguments: [2, 1 << 63, .max] as [UInt64])
    func `an unknown bit in a continued request's resources is refused`(resources: UInt64) {
        let problem = continuedProblem("Exporting", nil) { $0.resources = resources }
        #expect(problem?.status == BGT_TOO_NEW && problem?.message.hasPrefix("resources") == true)
    }

    @Test func `a continued request with flags is refused`() {
        for flags in [BGT_NEEDS_NETWORK, BGT_NEEDS_EXTERNAL_POWER, BGT_PROTECTION_NONE] {
            #expect(continuedProblem("Exporting", nil) { $0.flags = flags }?.message.hasPrefix("flags") == true)
        }
    }

    private func readContinued(
        _ title: String?,
        _ subtitle: String?,
        _ change: (inout bgt_request) -> Void = { _ in }
    ) throws(CallProblem) -> ForeignSubmission {
        // Referenced by pointers until the request is read.
        let texts = [title, subtitle].map { $0.map { Array($0.utf8CString) } }
        func address(_ index: Int) -> UnsafeMutablePointer<CChar>? {
            guard let text = texts[index] else { return nil }
            let memory = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.count)
            _ = memory.initialize(from: text)
            return memory.baseAddress
        }
        let (first, second) = (address(0), address(1))
        defer {
            first?.deallocate()
            second?.deallocate()
        }
        return try read { request in
            request.kind = BGT_KIND_CONTINUED
            request.title = first.map { UnsafePointer($0) }
            request.subtitle = second.map { UnsafePointer($0) }
            change(&request)
        }
    }

    private func continuedProblem(
        _ title: String?,
        _ subtitle: String?,
        _ change: (inout bgt_request) -> Void = { _ in }
    ) -> CallProblem? {
        do {
            _ = try readContinued(title, subtitle, change)
            return nil
        } catch {
            return error
        }
    }

    private func read(
        _ change: (inout bgt_request) -> Void = { _ in },
        payload: () -> [UInt8] = { [] }
    ) throws(CallProblem) -> ForeignSubmission {
        let result: Result<ForeignSubmission, CallProblem> =
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
                    return Result { () throws(CallProblem) in try ForeignSubmission(&request) }
                }
            }
        return try result.get()
    }

    private func problem(
        _ change: (inout bgt_request) -> Void,
        payload: () -> [UInt8] = { [] }
    ) -> CallProblem? {
        do {
            _ = try read(change, payload: payload)
            return nil
        } catch {
            return error
        }
    }
}

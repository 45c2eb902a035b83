// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Foundation
import StatementTraits
import Synchronization
import Testing

@Suite("The header's inline functions set the sizes of the structs")
struct ConvenienceTests {
    @Test(.proves(76))
    func `a request made by the header's functions has size, kind, identifier and flags, but no begin date or payload`()
    {
        "com.example.work".withCString { identifier in
            for (request, kind) in [
                (bgt_refresh_request(identifier), BGT_KIND_REFRESH),
                (bgt_processing_request(identifier, 0), BGT_KIND_PROCESSING),
                (bgt_health_research_request(identifier, 0, 0), BGT_KIND_HEALTH_RESEARCH),
                (bgt_continued_request(identifier, identifier, nil), BGT_KIND_CONTINUED),
            ] {
                #expect(Int(request.size) == MemoryLayout<bgt_request>.size)
                #expect(request.kind == kind)
                #expect(request.identifier == identifier)
                #expect(request.earliest_begin_ns == 0 && request.payload == nil && request.payload_length == 0)
                #expect(request.flags == 0 && request.resources == 0 && request.subtitle == nil)
            }
            #expect(bgt_processing_request(identifier, BGT_NEEDS_NETWORK).flags == BGT_NEEDS_NETWORK)
            #expect(bgt_continued_request(identifier, identifier, nil).strategy == BGT_STRATEGY_QUEUE)
            let study = bgt_health_research_request(identifier, BGT_NEEDS_NETWORK, BGT_PROTECTION_COMPLETE)
            #expect(study.flags == BGT_NEEDS_NETWORK | BGT_PROTECTION_COMPLETE)
        }
    }

    @Test func `bgt_seconds_from_now returns a time on the wall clock`() {
        let before = bgt_seconds_from_now(0)
        let later = bgt_seconds_from_now(3600)
        let after = bgt_seconds_from_now(0)
        #expect(before + 3_600_000_000_000 <= later)
        #expect(later <= after + 3_600_000_000_000)
        #expect(abs(Date.now.timeIntervalSince1970 - Double(before) / 1e9) < 60)
    }

    @Test
    func `bgt_seconds_from_now returns the maximum for delays beyond its range, and 0 for the most negative delay`() {
        #expect(bgt_seconds_from_now(.max) == .max)
        #expect(bgt_seconds_from_now(9_000_000_000) == .max)
        #expect(bgt_seconds_from_now(.min) == 0)
        #expect(bgt_seconds_from_now(-1) > 0)
    }

    @Test func `the header's submit and info functions set the size of the struct that the host fills`() {
        withUnsafePointer(to: EchoHost.table) { host in
            var request = bgt_refresh_request("com.example.work")
            var refusal = bgt_refusal()
            #expect(bgt_submit(host, &request, &refusal) == Int32(MemoryLayout<bgt_refusal>.size))
            #expect(bgt_submit(host, &request, nil) == 0)
            var launch = bgt_launch_info()
            #expect(bgt_get_launch_info(host, &launch) == Int32(MemoryLayout<bgt_launch_info>.size))
            var task = bgt_task_info()
            #expect(bgt_get_task_info(host, 7, &task) == Int32(MemoryLayout<bgt_task_info>.size))
        }
    }

    @Test func `the header's inline functions call the matching functions of the host table`() {
        withUnsafePointer(to: EchoHost.table) { host in
            let work: bgt_handler = { _, _, _ in }
            let release: bgt_release = { _ in }
            #expect(bgt_register(host, "a", work, nil) == 200)
            #expect(bgt_register_with_release(host, "a", work, nil, release) == 201)
            #expect(bgt_cancel(host, "a") == 202)
            #expect(bgt_cancel_all(host) == 203)
            #expect(bgt_visit_pending(host, { _, _, _ in 0 }, nil) == 204)
            #expect(bgt_set_expiration_handler(host, 1, nil, nil) == 205)
            #expect(bgt_set_expiration_handler_with_release(host, 1, nil, nil, release) == 206)
            #expect(bgt_complete(host, 1, BGT_OUTCOME_NO_DATA) == 220 + BGT_OUTCOME_NO_DATA)
            #expect(bgt_complete_with_message(host, 1, BGT_OUTCOME_NO_DATA, "a") == 230 + BGT_OUTCOME_NO_DATA)
            #expect(bgt_remaining(host) == 210)
            #expect(bgt_is_expiring(host, 1) == 211)
            #expect(bgt_set_progress(host, 1, 2, 3) == 212)
            #expect(bgt_set_title(host, 1, "a", nil) == 213)
            var assertion: bgt_assertion = 0
            #expect(bgt_begin_assertion(host, "a", nil, nil, nil, &assertion) == 214)
            #expect(bgt_end_assertion(host, 5) == 215)
            #expect(bgt_set_minimum_fetch_interval(host, 60) == 216)
            var refusal = bgt_refusal()
            let registered = bgt_register_or_explain(host, "a", work, nil, release, &refusal)
            #expect(registered == Int32(MemoryLayout<bgt_refusal>.size))
            #expect(bgt_container_path(host, nil, 0, nil) == 217)
            #expect(bgt_setting(host, "a", nil, 0, nil) == 218)
            #expect(String(cString: bgt_status_name(host, 3)) == "3")
            #expect(String(cString: bgt_name(host, BGT_VOCABULARY_KIND, 3)) == "")
            #expect(bgt_query(host, "a") != nil)
            let before = EchoHost.logged.withLock { $0 }
            bgt_log(host, BGT_LOG_WARNING, "a line")
            #expect(EchoHost.logged.withLock { $0 } == before + BGT_LOG_WARNING)
            bgt_log_task(host, 100, BGT_LOG_WARNING, "a line")
            #expect(EchoHost.logged.withLock { $0 } == before + 2 * BGT_LOG_WARNING + 100)
        }
    }
}

/// A host table whose functions return constants, or values from their arguments such as the size of a struct. Its only
/// state is the sum of the logged values.
private enum EchoHost {
    /// The sum of the tasks and levels of all calls of `log`.
    static let logged = Mutex<UInt32>(0)

    static let table = bgt_host(
        size: UInt32(MemoryLayout<bgt_host>.size),
        minor: BGTASK_ABI_MINOR,
        launch_info: { _, out in Int32(out?.pointee.size ?? 0) },
        register_handler: { _, _, _, _, release, refusal in
            refusal == nil ? (release == nil ? 200 : 201) : Int32(refusal?.pointee.size ?? 0)
        },
        submit: { _, _, refusal in Int32(refusal?.pointee.size ?? 0) },
        cancel: { _, _, _ in 202 },
        cancel_all: { _, _ in 203 },
        pending: { _, _, _, _ in 204 },
        task_info: { _, _, out in Int32(out?.pointee.size ?? 0) },
        set_expiration_handler: { _, _, _, _, release in release == nil ? 205 : 206 },
        complete: { _, _, outcome, message in (message == nil ? 220 : 230) + outcome },
        remaining: { _ in 210 },
        is_expiring: { _, _ in 211 },
        set_progress: { _, _, completed, total in completed == 2 && total == 3 ? 212 : 0 },
        set_title: { _, _, _, _ in 213 },
        begin_assertion: { _, _, _, _, _, _, _ in 214 },
        end_assertion: { _, _ in 215 },
        container_path: { _, _, _, _ in 217 },
        setting: { _, _, _, _, _ in 218 },
        log: { _, task, level, _ in logged.withLock { $0 += UInt32(task) + level } },
        name: { _, vocabulary, number in
            UnsafePointer(vocabulary == BGT_VOCABULARY_STATUS && number == 3 ? three : three + 1)
        },
        query: { _, _ in UnsafeRawPointer(legacyFetch) }
    )

    nonisolated(unsafe) private static let legacyFetch: UnsafeMutablePointer<bgt_legacy_fetch> = {
        let table = UnsafeMutablePointer<bgt_legacy_fetch>.allocate(capacity: 1)
        table.initialize(to: bgt_legacy_fetch(size: 16, reserved: 0, set_minimum_interval: { _, _, _ in 216 }))
        return table
    }()

    // Initialized once before the first read and never freed: names of statuses live until the process ends.
    nonisolated(unsafe) private static let three: UnsafeMutablePointer<CChar> = {
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: 2)
        text.initialize(repeating: 0, count: 2)
        text[0] = CChar(UInt8(ascii: "3"))
        return text
    }()
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CBackgroundTasks
import Foundation
import StatementTraits
import Testing

@testable import BackgroundTasks

@Suite("A request of the Swift module becomes the C structure of the header")
struct ForeignRequestTests {
    /// The struct that the host received, with copies of its strings.
    private struct Seen {
        var request = bgt_request()
        var identifier = ""
        var title: String?
        var subtitle: String?
        var payload: [UInt8] = []
    }

    private func seen(_ request: BGTaskRequest) -> Seen {
        var seen = Seen()
        let status = request.withForeignRequest { pointer in
            let request = pointer.pointee
            seen.request = request
            seen.identifier = request.identifier.map { String(cString: $0) } ?? ""
            seen.title = request.title.map { String(cString: $0) }
            seen.subtitle = request.subtitle.map { String(cString: $0) }
            seen.payload = Array(UnsafeBufferPointer(start: request.payload, count: Int(request.payload_length)))
            return BGT_OK
        }
        #expect(status == BGT_OK && Int(seen.request.size) == MemoryLayout<bgt_request>.size)
        return seen
    }

    private final class Export: BGContinuedProcessingTaskRequest, @unchecked Sendable {
        override var title: String {
            get { "Exporting \(super.title)" }
            set { super.title = newValue }
        }
        override var strategy: SubmissionStrategy {
            get { .fail }
            set {}
        }
    }

    private final class Study: BGHealthResearchTaskRequest, @unchecked Sendable {
        override var earliestBeginDate: Date? {
            get { Date(timeIntervalSince1970: 1_900_000_000) }
            set {}
        }
        override var requiresNetworkConnectivity: Bool {
            get { true }
            set {}
        }
        override var protectionTypeOfRequiredData: NSString {
            get { NSString(string: FileProtectionType.complete.rawValue) }
            set {}
        }
    }

    @Test func `the C request of a subclass has the values of its overridden properties`() {
        let export = seen(Export(identifier: "com.example.export.1", title: "photos", subtitle: ""))
        #expect(export.title == "Exporting photos" && export.request.strategy == BGT_STRATEGY_FAIL)
        let study = seen(Study(identifier: "com.example.study")).request
        #expect(study.earliest_begin_ns == 1_900_000_000_000_000_000 && study.kind == BGT_KIND_HEALTH_RESEARCH)
        #expect(study.flags == BGT_NEEDS_NETWORK | BGT_PROTECTION_COMPLETE)
    }

    @Test func `a refresh request of the Swift module becomes a C request with its date, and unset fields are zero`() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.refresh")
        let plain = seen(request)
        #expect(plain.request.kind == BGT_KIND_REFRESH && plain.identifier == "com.example.refresh")
        #expect(plain.request.earliest_begin_ns == 0 && plain.request.flags == 0 && plain.request.strategy == 0)
        #expect(plain.request.payload == nil && plain.title == nil && plain.subtitle == nil)
        request.earliestBeginDate = Date(timeIntervalSince1970: 1_800_000_000.5)
        request.payload = Data([7, 8])
        let later = seen(request)
        #expect(later.request.earliest_begin_ns == 1_800_000_000_500_000_000 && later.payload == [7, 8])
    }

    @Test(.proves(30), arguments: [-62_135_769_600, -1, 0, Double.nan])
    func `a Swift request with a begin date of 1970 or earlier, or NaN, becomes a C request without a delay`(
        _ seconds: Double
    ) {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.refresh")
        request.earliestBeginDate = Date(timeIntervalSince1970: seconds)
        #expect(seen(request).request.earliest_begin_ns == 0)
    }

    @Test func `a Swift request with a begin date beyond the C range gets the latest date that C can represent`() {
        let request = BGAppRefreshTaskRequest(identifier: "com.example.refresh")
        request.earliestBeginDate = .distantFuture
        #expect(seen(request).request.earliest_begin_ns == .max)
    }

    @Test(.proves("C20"))
    func `a Swift request's deadline becomes the C deadline, rounded down, and a deadline before 1970 stays one`() {
        let request = BGProcessingTaskRequest(identifier: "com.example.cleaning")
        #expect(seen(request).request.expires_at_ns == 0)
        let dates: [(Double, Int64)] = [
            (1_800_000_000.5, 1_800_000_000_500_000_000), (-1, 1), (0, 1), (.nan, 0), (.infinity, .max),
        ]
        for (seconds, expected) in dates {
            request.startDeadline = Date(timeIntervalSince1970: seconds)
            #expect(seen(request).request.expires_at_ns == expected, "\(seconds)")
        }
    }

    @Test(.proves("C20"))
    func `a pending request that the host lists has its deadline, and the request that is submitted again keeps it`()
        throws
    {
        let deadline: Int64 = 1_800_000_000_500_000_000
        let listed = try "com.example.export.1".withCString { identifier in
            let pending = bgt_pending(
                size: UInt32(MemoryLayout<bgt_pending>.size),
                kind: BGT_KIND_CONTINUED,
                flags: 0,
                strategy: BGT_STRATEGY_QUEUE,
                identifier: identifier,
                earliest_begin_ns: 0,
                payload: nil,
                payload_length: 0,
                title: nil,
                subtitle: nil,
                resources: 0,
                submission: 1,
                expires_at_ns: deadline
            )
            return try #require(PendingRequest.request(from: pending))
        }
        #expect(listed.startDeadline == Date(timeIntervalSince1970: 1_800_000_000.5))
        #expect(seen(listed).request.expires_at_ns == deadline)
        #expect(seen(listed.duplicate()).request.expires_at_ns == deadline)
    }

    @Test(.proves(70))
    func `Swift processing and health research requests become C requests with requirement and protection flags`() {
        let processing = BGProcessingTaskRequest(identifier: "com.example.cleaning")
        processing.requiresNetworkConnectivity = true
        #expect(seen(processing).request.flags == BGT_NEEDS_NETWORK)
        processing.requiresExternalPower = true
        #expect(seen(processing).request.flags == BGT_NEEDS_NETWORK | BGT_NEEDS_EXTERNAL_POWER)
        #expect(seen(processing).request.kind == BGT_KIND_PROCESSING)

        let study = BGHealthResearchTaskRequest(identifier: "com.example.study")
        #expect(seen(study).request.kind == BGT_KIND_HEALTH_RESEARCH && seen(study).request.flags == 0)
        study.requiresExternalPower = true
        let flags: [(FileProtectionType, UInt32)] = [
            (.complete, BGT_PROTECTION_COMPLETE), (.completeUnlessOpen, BGT_PROTECTION_UNLESS_OPEN),
            (.none, BGT_PROTECTION_NONE),
            (.completeUntilFirstUserAuthentication, BGT_PROTECTION_UNTIL_FIRST_AUTHENTICATION),
        ]
        for (type, flag) in flags {
            study.protectionTypeOfRequiredData = NSString(string: type.rawValue)
            #expect(seen(study).request.flags == flag | BGT_NEEDS_EXTERNAL_POWER)
            #expect(DataProtection.type(flag).rawValue == type.rawValue)
        }
    }

    @Test(.proves(74, 75))
    func `a Swift continued request becomes a C request with its titles, strategy and resources`() {
        let request = BGContinuedProcessingTaskRequest(
            identifier: "com.example.export.1",
            title: "Export",
            subtitle: ""
        )
        let plain = seen(request)
        #expect(plain.request.kind == BGT_KIND_CONTINUED && plain.title == "Export" && plain.subtitle == nil)
        #expect(plain.request.strategy == BGT_STRATEGY_QUEUE && plain.request.resources == 0)
        request.subtitle = "album 7"
        request.strategy = .fail
        request.requiredResources = .gpu
        let other = seen(request)
        #expect(other.request.strategy == BGT_STRATEGY_FAIL && other.request.resources == BGT_RESOURCE_GPU)
        #expect(other.subtitle == "album 7")
    }
}

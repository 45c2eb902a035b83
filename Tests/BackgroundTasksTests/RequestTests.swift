// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation
import StatementTraits
import Testing

@Suite("Requests have Apple's defaults and are copied completely")
struct RequestTests {
    @Test func `unset properties of a Swift request have their documented defaults`() {
        let refresh = BGAppRefreshTaskRequest(identifier: "com.example.refresh")
        #expect(refresh.identifier == "com.example.refresh")
        #expect(refresh.earliestBeginDate == nil && refresh.startDeadline == nil && refresh.payload == nil)
        let processing = BGProcessingTaskRequest(identifier: "com.example.cleaning")
        #expect(!processing.requiresNetworkConnectivity && !processing.requiresExternalPower)
        let study = BGHealthResearchTaskRequest(identifier: "com.example.study")
        let protection = study.protectionTypeOfRequiredData.description
        #expect(protection == FileProtectionType.completeUntilFirstUserAuthentication.rawValue)
        let export = BGContinuedProcessingTaskRequest(
            identifier: "com.example.export",
            title: "Export",
            subtitle: "all"
        )
        #expect(export.title == "Export" && export.subtitle == "all")
        #expect(export.strategy == .queue && export.requiredResources == .default)
    }

    @Test func `submission strategies and resources of Swift requests have Apple's raw values`() {
        #expect(BGContinuedProcessingTaskRequest.SubmissionStrategy.fail.rawValue == 0)
        #expect(BGContinuedProcessingTaskRequest.SubmissionStrategy.queue.rawValue == 1)
        #expect(BGContinuedProcessingTaskRequest.Resources.gpu.rawValue == 1)
        #expect(BGContinuedProcessingTaskRequest.Resources.default.rawValue == 0)
    }

    @Test(.proves(27))
    func `a copy of a Swift request has the class and values of the original and is independent of it`()
        throws
    {
        let study = BGHealthResearchTaskRequest(identifier: "com.example.study")
        study.earliestBeginDate = Date(timeIntervalSince1970: 1_800_000_000)
        study.payload = Data([1, 2, 3])
        study.requiresExternalPower = true
        study.requiresNetworkConnectivity = true
        study.protectionTypeOfRequiredData = NSString(string: FileProtectionType.complete.rawValue)
        let copy = try #require(study.copy() as? BGHealthResearchTaskRequest)
        study.earliestBeginDate = nil
        study.requiresExternalPower = false
        study.protectionTypeOfRequiredData = NSString(string: FileProtectionType.none.rawValue)
        #expect(copy.identifier == study.identifier && copy.payload == Data([1, 2, 3]))
        #expect(copy.earliestBeginDate == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(copy.requiresExternalPower && copy.requiresNetworkConnectivity)
        #expect(copy.protectionTypeOfRequiredData.description == FileProtectionType.complete.rawValue)

        let export = BGContinuedProcessingTaskRequest(
            identifier: "com.example.export",
            title: "Export",
            subtitle: "all"
        )
        export.strategy = .fail
        export.requiredResources = [.gpu]
        let second = try #require(export.copy() as? BGContinuedProcessingTaskRequest)
        export.title = "Import"
        #expect(second.title == "Export" && second.strategy == .fail && second.requiredResources.contains(.gpu))
        #expect(BGAppRefreshTaskRequest(identifier: "a").copy() is BGAppRefreshTaskRequest)
        let processing = BGProcessingTaskRequest(identifier: "a").copy()
        #expect(processing is BGProcessingTaskRequest && !(processing is BGHealthResearchTaskRequest))
    }

    @Test func `the Swift module's task and request classes have Apple's inheritance`() {
        let study: Any = BGHealthResearchTask.self
        #expect(study is BGProcessingTask.Type && study is BGTask.Type)
        let studyRequest: Any = BGHealthResearchTaskRequest.self
        #expect(studyRequest is BGProcessingTaskRequest.Type && studyRequest is BGTaskRequest.Type)
        let export: Any = BGContinuedProcessingTask.self
        #expect(export is BGTask.Type && export is any ProgressReporting.Type && !(export is BGProcessingTask.Type))
        let refresh: Any = BGAppRefreshTask.self
        #expect(refresh is BGTask.Type && !(refresh is BGProcessingTask.Type))
        let plainRequests: [Any] = [BGAppRefreshTaskRequest.self, BGContinuedProcessingTaskRequest.self]
        for request in plainRequests {
            #expect(request is BGTaskRequest.Type && !(request is BGProcessingTaskRequest.Type), "\(request)")
        }
    }

    @Test func `two Swift requests are equal if class and all properties are equal`() {
        let makers: [() -> BGTaskRequest] = [
            { BGAppRefreshTaskRequest(identifier: "a") }, { BGProcessingTaskRequest(identifier: "a") },
            { BGHealthResearchTaskRequest(identifier: "a") },
            { BGContinuedProcessingTaskRequest(identifier: "a", title: "Export", subtitle: "all") },
        ]
        for (index, make) in makers.enumerated() {
            let request = make()
            for (other, makeOther) in makers.enumerated() { #expect((request == makeOther()) == (index == other)) }
            #expect(request.hash == make().hash && request == request.copy() as? BGTaskRequest)
            #expect(Set([request, make()]).count == 1)
            for (number, change) in Self.changes.enumerated() {
                let (changed, same) = (make(), make())
                guard change(changed), change(same) else { continue }
                #expect(changed != request, "change \(number) of \(request)")
                #expect(changed == same && changed.hash == same.hash)
            }
        }
    }

    private final class NightlyRequest: BGProcessingTaskRequest, @unchecked Sendable {
        override var identifier: String { "com.example.nightly" }
        override var earliestBeginDate: Date? {
            get { Date(timeIntervalSince1970: 1_900_000_000) }
            set {}
        }
        override var requiresExternalPower: Bool {
            get { true }
            set {}
        }
    }

    @Test func `the copy of a request of a subclass has the values of its overridden properties`() throws {
        let request = NightlyRequest(identifier: "com.example.cleaning")
        request.payload = Data([1])
        let copy = try #require(request.copy() as? BGProcessingTaskRequest)
        #expect(copy.identifier == "com.example.nightly" && copy.payload == Data([1]))
        #expect(copy.earliestBeginDate == Date(timeIntervalSince1970: 1_900_000_000))
        #expect(copy.requiresExternalPower && !copy.requiresNetworkConnectivity)
    }

    /// Changes of one property each; false when the request has no such property.
    private static let changes: [@Sendable (BGTaskRequest) -> Bool] = [
        { change($0) { $0.earliestBeginDate = Date(timeIntervalSince1970: 1_800_000_000) } },
        { change($0) { $0.payload = Data([1]) } },
        { change($0 as? BGProcessingTaskRequest) { $0.requiresExternalPower = true } },
        { change($0 as? BGProcessingTaskRequest) { $0.requiresNetworkConnectivity = true } },
        { change($0 as? BGHealthResearchTaskRequest) { $0.protectionTypeOfRequiredData = "NSFileProtectionNone" } },
        { change($0 as? BGContinuedProcessingTaskRequest) { $0.subtitle = "some" } },
        { change($0 as? BGContinuedProcessingTaskRequest) { $0.strategy = .fail } },
        { change($0 as? BGContinuedProcessingTaskRequest) { $0.requiredResources = .gpu } },
    ]

    private static func change<Request>(_ request: Request?, _ change: (Request) -> Void) -> Bool {
        request.map(change) != nil
    }
}

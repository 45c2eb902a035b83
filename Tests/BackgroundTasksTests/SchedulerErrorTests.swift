// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import Foundation
import TaskModel
import Testing

@Suite("The scheduler's errors are Apple's, with an additional sub-reason")
struct SchedulerErrorTests {
    private static let codes: [BGTaskScheduler.Error.Code] = [
        .unavailable, .tooManyPendingTaskRequests, .notPermitted, .immediateRunIneligible,
    ]

    @Test
    func `the Swift scheduler error has Apple's domain and codes, and keeps message and sub-reason as an NSError`() {
        #expect(Self.codes.map(\.rawValue) == [1, 2, 3, 4])
        #expect(BGTaskScheduler.errorDomain == "BGTaskSchedulerErrorDomain")
        for code in Self.codes {
            let error = BGTaskScheduler.Error(code, subReason: .refreshLimit, text: "so many; cancel one")
            let bridged = error as NSError
            #expect(bridged.domain == "BGTaskSchedulerErrorDomain" && bridged.code == code.rawValue)
            #expect(bridged.localizedDescription == "so many; cancel one")
            #expect(bridged.userInfo[BGTaskScheduler.Error.subReasonKey] as? Int == 10)
            #expect((error as any Error).localizedDescription == "so many; cancel one")
            #expect(error.userInfo[NSLocalizedDescriptionKey] as? String == "so many; cancel one")
        }
        #expect(!BGTaskScheduler.Error(.unavailable).localizedDescription.isEmpty)
        let described = BGTaskScheduler.Error(.unavailable, userInfo: [NSLocalizedDescriptionKey: "not here"])
        #expect(described.code == .unavailable && described.localizedDescription == "not here")
    }

    @Test func `a pattern match on a scheduler error code catches only errors with that code, also an NSError`() {
        for code in Self.codes {
            for error in [
                BGTaskScheduler.Error(code), NSError(domain: BGTaskScheduler.errorDomain, code: code.rawValue),
            ]
                as [any Error]
            {
                #expect(Self.codes.filter { $0 ~= error } == [code])
            }
        }
        let foreign = NSError(domain: NSCocoaErrorDomain, code: 3)
        #expect(Self.codes.allSatisfy { !($0 ~= foreign) })
    }

    @Test func `each sub-reason of the Swift module has the same name as on the host`() {
        // Sub-reasons of triggers and pushes, which no plugin submits.
        let others: Set<SubmissionRefusal.SubReason> = [
            .eventLimit, .alertLimit, .notAnExtension, .remoteNotificationModeMissing,
        ]
        for reason in SubmissionRefusal.SubReason.allCases where !others.contains(reason) {
            #expect("\(BGTaskScheduler.Error.SubReason(rawValue: reason.rawValue))" == reason.name)
        }
        #expect("\(BGTaskScheduler.Error.SubReason(rawValue: 4711))" == "sub-reason 4711")
    }
}

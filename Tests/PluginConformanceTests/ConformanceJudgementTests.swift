// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginChecker
import PluginTrial
import TaskModel
import Testing

@testable import PluginConformance

@Suite("A conformance check draws no conclusion from a missing measurement or a refused submission")
struct ConformanceJudgementTests {
    private let plugin: ConformancePlugin
    private let identifier: TaskIdentifier

    init() throws {
        identifier = try #require(TaskIdentifier("com.example.judged.task"))
        let entry = PluginEntry(
            identifier: try #require(PluginIdentifier("com.example.judged")),
            name: "Judged",
            version: "1",
            role: .main,
            permitted: [.exact(identifier)],
            modes: [.fetch],
            library: LibraryFile(
                path: "/lib.so",
                digest: "",
                identity: FileIdentity(device: 1, inode: 1, size: 1, modified: 1, changed: 1)
            ),
            manifestPath: "/judged.yaml",
            manifestDigest: ""
        )
        plugin = ConformancePlugin(entry, seed: 1)
    }

    private func outcome(descriptors: [Int?]) throws -> TrialResult {
        let check = try #require(ConformanceCheck.all.first { $0.name == "leak-per-task" })
        let logs = descriptors.map { count in
            var log = TrialLog()
            log.openDescriptors = count
            return log
        }
        return check.result(of: check.judge(logs, plugin))
    }

    @Test func `the check leak-per-task ends as a checker error with a reason if a sample of descriptors is missing`()
        throws
    {
        for descriptors: [Int?] in [[nil, nil], [5, nil], [nil, 5]] {
            let result = try outcome(descriptors: descriptors)
            #expect(result.outcome == .checkerError)
            #expect(result.reason?.contains("could not be counted") == true)
        }
        #expect(try outcome(descriptors: [5, 5]).outcome == .pass)
        #expect(try outcome(descriptors: [5, 40]).outcome == .leak)
    }

    /// The violations of main plugins that a conformance check judges; the interval of the legacy fetch has none.
    private static let judged = Set(ViolationKind.allCases)
        .subtracting([.registeredByExtension, .setFetchIntervalOfMain]).sorted { $0.rawValue < $1.rawValue }

    @Test(arguments: judged)
    func `a conformance check judges each violation in the batch, at events and at expirations`(kind: ViolationKind) {
        let log = TrialLog([TrialLog.Entry(.zero, .violation(kind, message: "seen"))])
        let scripts = ConformanceCheck.all.compactMap { check -> [TrialScript]? in
            guard case .scripts(let scripts) = check.trials(plugin) else { return nil }
            let flaws = check.judge(scripts.map { _ in log }, plugin)
            return flaws.contains { $0.seen == "seen" } ? scripts : nil
        }.flatMap(\.self)
        #expect(scripts.contains { $0.tasks == plugin.standard.tasks && $0.expiration == nil })
        #expect(scripts.contains { $0.tasks.contains { $0.event == .started } })
        #expect(scripts.contains { $0.expiration?.delay == .zero })
        #expect(scripts.contains { $0.expiration.map { $0.delay > .zero } ?? false })
    }

    @Test func `a trial learns the kind of an identifier from an accepted submission and not from a refused one`() {
        func log(_ refusal: SubmissionRefusal?) -> TrialLog {
            let request = TaskRequest(identifier: identifier, kind: .processing)
            let event = TrialEvent.submitted(request, payloadSize: 0, refusal: refusal, isScripted: false)
            return TrialLog([TrialLog.Entry(.zero, event)])
        }
        let refusal = SubmissionRefusal(code: .notPermitted, subReason: .processingModeMissing, message: "no mode")
        #expect(plugin.learning(from: [log(refusal)]).kinds.isEmpty)
        #expect(plugin.learning(from: [log(nil)]).kinds == [identifier.text: .processing])
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A submission is checked against the manifest, answered, and pending")
struct SubmissionTests {
    let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard(), .mail())

    @Test(.proves(2))
    func `a submission of an identifier that the manifest does not list is refused as not permitted`() throws {
        let refusal = try #require(host.submit("com.example.app.other")?.refusal)
        #expect(refusal.code == .notPermitted)
        #expect(refusal.subReason == .identifierNotPermitted)
        #expect(refusal.message.contains("com.example.app.other") && refusal.message.contains("permitted-identifiers"))
        #expect(host.pending.isEmpty)
    }

    @Test(.proves(3)) func `a refresh submission requires mode fetch`() throws {
        let host = SchedulerDriver(.app(modes: [.processing]))
        let refusal = try #require(host.submit(.feed, as: .refresh)?.refusal)
        #expect(refusal.code == .notPermitted)
        #expect(refusal.subReason == .fetchModeMissing)
        #expect(host.submit(.clean)?.submission != nil)
    }

    @Test(.proves(4)) func `a processing submission requires mode processing`() throws {
        let host = SchedulerDriver(.app(modes: [.fetch]))
        let refusal = try #require(host.submit(.clean)?.refusal)
        #expect(refusal.code == .notPermitted)
        #expect(refusal.subReason == .processingModeMissing)
        #expect(host.submit(.feed, as: .refresh)?.submission != nil)
    }

    @Test(.proves(7)) func `a submission to a plugin that the operator disabled is refused as unavailable`() throws {
        let host = SchedulerDriver(.app()) { $0.plugins[.app, default: PluginPolicy()].isEnabled = false }
        let refusal = try #require(host.submit(.clean)?.refusal)
        #expect(refusal.code == .unavailable)
        #expect(refusal.subReason == .pluginDisabled)
        #expect(refusal.message.contains("plugins.com.example.app.enabled"))
    }

    @Test(.proves(9)) func `identifiers are compared exactly and case-sensitively at submission`() {
        #expect(host.submit("com.example.app.Clean")?.refusal?.code == .notPermitted)
        #expect(host.submit("com.example.app.clean.deep")?.refusal?.code == .notPermitted)
        #expect(host.submit("com.example.app")?.refusal?.code == .notPermitted)
    }

    @Test(.proves(10)) func `a pattern of the manifest does not permit a processing request`() {
        let host = SchedulerDriver(.app(permitted: ["com.example.app.export.*"]))
        #expect(host.submit("com.example.app.export.one")?.refusal?.subReason == .identifierNotPermitted)
    }

    @Test(.proves("C9")) func `the operator can allow patterns for the processing requests of a plugin`() {
        let host = SchedulerDriver(.app(permitted: ["com.example.app.export.*"])) {
            $0.plugins[.app, default: PluginPolicy()].allowsPatternsForProcessing = true
        }
        #expect(host.submit("com.example.app.export.one", by: .user)?.plugin == .app)
        #expect(host.submit("com.example.app.export.two")?.submission != nil)
        #expect(host.submit("com.example.app.export.three", as: .refresh)?.refusal?.code == .notPermitted)
        #expect(host.submit("com.example.app.exports")?.refusal?.code == .notPermitted)
    }

    @Test(.proves(21))
    func `an identifier belongs to the plugin that permits it, whether a user or a plugin submits`() {
        #expect(host.submit(.sweep, by: .user)?.plugin == .mail)
        #expect(host.submit(.clean, by: .user)?.plugin == .app)
        #expect(host.submit(.sweep, by: .plugin(.app))?.refusal?.code == .notPermitted)
    }

    @Test(.proves(22)) func `a submission of a permitted identifier below the limit is accepted and pending`() {
        #expect(host.submit(.clean, after: .hours(1))?.submission != nil)
        #expect(host.pending == [.clean])
    }

    @Test(.proves(23))
    func `a second submission with the same identifier replaces the begin, conditions and payload of the first one`()
        throws
    {
        let first = try #require(host.submit(.clean, after: .hours(1), needsPower: true)?.submission)
        let answer = host.submit(.clean, after: .hours(2), needsNetwork: true, payload: [2])
        let second = try #require(answer?.submission)
        #expect(answer?.replaced == first)
        #expect(host.pending == [.clean])
        let request = try #require(host.request(.clean)?.request)
        #expect(!request.requiresExternalPower && request.requiresNetwork)
        #expect(request.earliestBegin == host.clock.now.wall + .hours(2))
        #expect(host.ledger.payload(of: second) == [2])
        #expect(host.entries(.replaced).map(\.submission) == [first])
    }

    @Test(.proves(23)) func `a replacement may be of another kind and counts against the limit of that kind`() {
        host.submit(.clean, after: .hours(1))
        host.submit(.clean, as: .refresh, after: .hours(1))
        #expect(host.request(.clean)?.request.kind == .refresh)
        #expect(host.submit(.feed, as: .refresh)?.refusal?.code == .tooManyPendingTaskRequests)
    }

    @Test(.proves(34)) func `a request that ran is not pending and does not run again`() {
        host.submit(.clean)
        host.runToTheEnd()
        #expect(host.pending.isEmpty)
        host.advance(by: .days(40))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves(37)) func `a submission by an extension launches its main plugin`() {
        let answer = host.submit(.clean, by: .plugin(.keyboard))
        #expect(answer?.plugin == .app)
        #expect(host.lastPlan?.plugin.identifier == .app)
        #expect(host.lastPlan?.tasks.first?.work.identifier == .clean)
    }

    @Test(.proves("C15"))
    func `a submission by an extension of an identifier outside the main plugin's manifest is refused`() {
        #expect(host.submit("com.example.app.keyboard.other", by: .plugin(.keyboard))?.refusal?.code == .notPermitted)
        #expect(host.submit(.sweep, by: .plugin(.keyboard))?.refusal?.code == .notPermitted)
    }

    @Test(.proves("C14")) func `a submission of kind event is refused with a list of the allowed kinds`() throws {
        let refusal = try #require(host.submit(.clean, as: .event)?.refusal)
        #expect(refusal.code == .notPermitted)
        #expect(refusal.message.contains("refresh, processing, health research or continued"))
    }

    @Test(.proves("C14")) func `a submission by a plugin that is not installed is refused`() throws {
        let refusal = try #require(host.submit(.clean, by: .plugin("com.example.stranger"))?.refusal)
        #expect(refusal.subReason == .identifierNotPermitted)
        #expect(refusal.message.contains("no installed plugin"))
    }

    @Test(.proves("C17")) func `submission numbers rise, and journal entries contain them`() throws {
        let first = try #require(host.submit(.clean)?.submission)
        let second = try #require(host.submit(.vacuum)?.submission)
        #expect(first < second)
        host.runToTheEnd()
        #expect(host.lastEntry(of: .clean)?.submission == first)
    }

    @Test(.proves("C17"))
    func `a request that a new manifest no longer permits waits until a manifest permits it again`() {
        host.submit(.clean, after: .hours(1))
        host.install(.app(version: "2.0", permitted: [.exact(.vacuum)]))
        host.finishStarting()
        host.advance(by: .hours(2))
        #expect(host.reasons(.clean) == [.identifierNotPermitted(.clean)])
        #expect(host.batches.isEmpty)
        host.install(.app(version: "3.0"))
        #expect(host.batches == [[.clean]])
    }

    @Test(.proves("C17")) func `a request whose background mode was dropped from the manifest waits for the mode`() {
        host.submit(.clean, after: .hours(1))
        host.install(.app(version: "2.0", modes: [.fetch]))
        host.advance(by: .hours(2))
        #expect(host.reasons(.clean) == [.modeMissing(.processing)])
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("A pause ends at its time, by a call or with a purge, and the waiting work then runs")
struct PauseEndTests {
    let host = SchedulerDriver(.app(extensions: [.keyboard]), .mail(), .keyboard())
    private let user = CallingUser(uid: 1_000, pid: 4_711, command: "bgtask")

    @Test func `a request of a plugin with bound functions and a continued request run when the pause ends`() {
        let bound = SchedulerDriver(.bound())
        bound.pause(.app)
        bound.submit(.clean)
        bound.resume(.app)
        #expect(bound.batches == [[.clean]])
        let studio = SchedulerDriver(.studio())
        studio.pause(.app, until: studio.clock.now.wall + .minutes(1))
        studio.submitContinued(.album(1))
        studio.advance(by: .seconds(59))
        #expect(studio.plans.isEmpty)
        studio.advance(by: .seconds(1))
        #expect(studio.plans.map(\.identifiers) == [[.album(1)]])
    }

    @Test func `a pause with an end ends at that time with a journal entry without a user`() {
        host.caller = user
        host.pause(.app, until: host.clock.now.wall + .hours(2))
        host.caller = nil
        host.submit(.clean)
        host.advance(by: .minutes(119))
        #expect(host.plans.isEmpty)
        host.advance(by: .minutes(1))
        #expect(host.batches == [[.clean]] && host.ledger.pauses.isEmpty)
        #expect(host.entries(.pluginResumed).map(\.user) == [nil])
    }

    @Test func `the journal entry of a pause has its length rounded up to seconds, because the call took a moment`() {
        host.pause(.app, until: host.clock.now.wall + .milliseconds(7_199_200))
        #expect(host.entries(.pluginPaused).map { $0.message.hasPrefix("the plugin is paused for 2h: ") } == [true])
    }

    @Test func `a later pause replaces the end of an earlier one`() {
        host.pause(.app, until: host.clock.now.wall + .hours(1))
        host.pause(.app, until: host.clock.now.wall + .hours(3))
        host.submit(.clean)
        host.advance(by: .hours(2))
        #expect(host.plans.isEmpty)
        host.pause(.app, until: host.clock.now.wall + .minutes(1))
        host.advance(by: .minutes(1))
        #expect(host.batches == [[.clean]])
    }

    @Test func `a purge whose commit ends the pause of a reinstalled main plugin lets its extension run`() {
        host.pause(.app)
        host.trigger(.keyboard)
        host.remove(.app)
        host.commits = .held
        host.purge(.app)
        host.install(.app(extensions: [.keyboard]))
        #expect(host.plans.isEmpty)
        host.writeHeldCommits()
        #expect(host.plans.contains { $0.plugin.identifier == .keyboard } && host.ledger.pauses.isEmpty)
    }

    @Test func `a refused plugin without a record can be paused, and a purge ends this pause`() {
        let feed: PluginIdentifier = "com.example.feed"
        host.refuse(feed, because: "the library is missing")
        #expect(host.pause(feed) != nil && host.ledger.pauses[feed] != nil)
        host.sendCatalogue()
        #expect(host.purge(feed) == .purged(0))
        #expect(host.ledger.pauses.isEmpty && host.scheduler.pause(of: feed) == nil)
        #expect(host.resume(feed)?.refusal?.subReason == .pluginMissing)
    }

    @Test func `a pause whose commit fails is not in force, and a resumption whose commit fails keeps the pause`() {
        host.commits = .failing
        #expect(host.pause(.app)?.isNotRecorded == true)
        host.commits = .written
        host.submit(.clean)
        host.runToTheEnd()
        #expect(host.outcomes(of: .clean) == [.succeeded])
        host.pause(.app)
        host.commits = .failing
        #expect(host.resume(.app)?.isNotRecorded == true)
        host.commits = .written
        host.submit(.vacuum)
        #expect(host.pending == [.vacuum])
    }

    @Test func `the end of a pause whose commit fails is repeated until it is recorded`() {
        host.pause(.app, until: host.clock.now.wall + .minutes(1))
        host.submit(.clean)
        host.commits = .failing
        host.advance(by: .minutes(2))
        #expect(host.plans.isEmpty)
        host.commits = .written
        host.advance(by: .seconds(2))
        #expect(host.batches == [[.clean]] && host.entries(.pluginResumed).count == 1)
    }

    @Test func `a pause whose end could not be recorded ends at its time again after the clock was set back`() {
        host.pause(.app, until: host.clock.now.wall + .minutes(1))
        host.submit(.clean)
        host.commits = .failing
        host.advance(by: .minutes(10))
        host.stepWallClock(by: .minutes(-10))
        host.commits = .written
        host.advance(by: .seconds(59))
        #expect(host.plans.isEmpty && host.ledger.pauses[.app] != nil)
        host.advance(by: .seconds(1))
        #expect(host.batches == [[.clean]])
    }

    @Test func `the timer does not fire again while the end of a pause is being recorded`() {
        host.pause(.app, until: host.clock.now.wall + .minutes(1))
        host.submit(.clean)
        host.commits = .held
        host.advance(by: .minutes(2))
        #expect(host.plans.isEmpty)
        host.writeHeldCommits()
        #expect(host.batches == [[.clean]] && host.entries(.pluginResumed).count == 1)
    }

    @Test func `an end that passes while a longer pause is being recorded does not end the longer pause`() {
        host.pause(.app, until: host.clock.now.wall + .minutes(1))
        host.commits = .held
        host.pause(.app, until: host.clock.now.wall + .hours(1))
        host.advance(by: .minutes(2))
        host.writeHeldCommits()
        host.submit(.clean)
        host.advance(by: .minutes(30))
        #expect(host.plans.isEmpty && host.ledger.pauses[.app] != nil)
        host.advance(by: .minutes(30))
        #expect(host.batches == [[.clean]])
    }
}

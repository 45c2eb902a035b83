// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import TaskModel
import Testing

@Suite("The history tells what a request waited for, and since when until when")
struct WaitHistoryTests {
    let host = SchedulerDriver(
        .app(),
        .mail(),
        conditions: Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: false)
    )

    /// What was written of it: the reasons that hold from each moment on, in seconds since the test began.
    private func history(_ identifier: TaskIdentifier, since start: WallTime) -> [String] {
        host.ledger.waitHistory.filter { $0.work.identifier == identifier }.map {
            let seconds = ($0.at - start).wholeNanoseconds / 1_000_000_000
            return "\(seconds)s " + ($0.reasons.isEmpty ? "-" : $0.reasons.joined(separator: " "))
        }
    }

    @Test func `C13 what lasts is written when it begins, and closed by the launch`() {
        let start = host.clock.now.wall
        host.submit(.clean)
        #expect(history(.clean, since: start) == ["0s not-idle"])
        host.advance(by: .minutes(5))
        host.change(idle: true)
        #expect(history(.clean, since: start) == ["0s not-idle", "300s -"])
        #expect(host.ledger.waits.isEmpty)
    }

    @Test func `C13 when the reasons change that is written`() {
        let start = host.clock.now.wall
        host.submit(.clean, needsPower: true)
        host.advance(by: .seconds(10))
        host.change(power: false)
        host.advance(by: .seconds(10))
        host.change(idle: true)
        host.advance(by: .seconds(10))
        host.change(power: true)
        #expect(
            history(.clean, since: start) == [
                "0s not-idle", "10s external-power not-idle", "20s external-power", "30s -",
            ]
        )
    }

    @Test func `C13 when nothing changes nothing is written`() {
        let start = host.clock.now.wall
        host.submit(.clean)
        for _ in 1...10 {
            host.advance(by: .minutes(1))
            host.change(network: false)
            host.change(network: true)
        }
        #expect(history(.clean, since: start) == ["0s not-idle"])
    }

    @Test func `C13 a moment's wait is no history`() {
        let host = SchedulerDriver(.app()) { $0.spacing = .milliseconds(999) }
        host.submit(.clean)
        host.runToTheEnd()
        host.submit(.clean)
        host.advance(by: .seconds(1))
        #expect(host.plans.count == 2 && host.ledger.waitHistory.isEmpty)
    }

    @Test func `C13 what passes with the work of others is written once it is over, if it took a second`() {
        host.change(idle: true)
        host.submit(.clean)
        host.enter()
        let start = host.clock.now.wall
        host.submit(.vacuum)
        host.advance(by: .minutes(3))
        #expect(history(.vacuum, since: start).isEmpty)
        host.complete(.clean)
        host.advance(by: .seconds(1))
        #expect(history(.vacuum, since: start) == ["0s lane-busy", "180s -", "180s spacing", "181s -"])
    }

    @Test func `C13 its earliest begin is written when it has come`() {
        host.change(idle: true)
        let start = host.clock.now.wall
        host.submit(.clean, after: .hours(1))
        #expect(history(.clean, since: start).isEmpty)
        host.advance(by: .hours(1))
        #expect(history(.clean, since: start) == ["0s earliest-begin", "3600s -"])
    }

    @Test func `C13 so is the delay after a crash`() {
        host.change(idle: true)
        let start = host.clock.now.wall
        host.submit(.clean)
        host.enter()
        host.crash()
        host.advance(by: .seconds(10))
        let told = history(.clean, since: start)
        #expect(told.first?.contains("retry-delay") == true && told.last == "10s -")
    }

    @Test func `C13 a request that is cancelled, replaced or purged leaves no open wait`() {
        host.submit(.clean)
        host.cancel(.clean)
        #expect(host.ledger.waits.isEmpty)
        host.submit(.clean)
        host.submit(.clean)
        #expect(host.ledger.waits.count == 1)
        host.remove(.app)
        host.purge(.app)
        #expect(host.ledger.waits.isEmpty && host.pending.isEmpty)
    }

    @Test func `C13 one that is kept for a plugin that went leaves no open wait when it is dropped`() {
        host.submit(.clean)
        host.remove(.app)
        host.advance(by: .days(30))
        host.advance(by: .minutes(10))
        #expect(host.ledger.waits.isEmpty && host.pending.isEmpty)
    }

    @Test func `C13 waiting for a plugin that went is history too`() {
        let start = host.clock.now.wall
        host.submit(.clean)
        host.advance(by: .seconds(10))
        host.remove(.app)
        #expect(history(.clean, since: start).last == "10s not-idle plugin-missing")
        host.advance(by: .seconds(10))
        host.install(.app())
        #expect(history(.clean, since: start).last == "20s not-idle")
    }

    @Test func `C13 a returned task begins a new stretch`() {
        host.change(idle: true)
        host.submit(.clean)
        host.enter()
        let start = host.clock.now.wall
        host.stop()
        host.exit()
        host.conditions.isIdle = false
        host.restart()
        #expect(history(.clean, since: start) == ["0s not-idle"])
    }

    // MARK: Restarts and failing commits

    @Test func `C13 a restart neither opens nor closes what goes on`() {
        let start = host.clock.now.wall
        host.submit(.clean)
        host.restart(after: .minutes(1))
        #expect(history(.clean, since: start) == ["0s not-idle"])
        host.change(idle: true)
        #expect(history(.clean, since: start) == ["0s not-idle", "60s -"])
    }

    @Test func `C13 what changed while the host was down is written when it is back`() {
        let start = host.clock.now.wall
        host.submit(.clean, needsPower: true)
        host.conditions.isOnExternalPower = false
        host.restart(after: .minutes(1))
        #expect(history(.clean, since: start).last == "60s external-power not-idle")
    }

    @Test func `C13 ten thousand delayed requests cost a restart nothing`() {
        for number in 1...20 { host.submit(.job(number), after: .hours(number)) }
        host.restart(after: .minutes(1))
        #expect(host.ledger.waitHistory.isEmpty)
    }

    @Test func `C13 a wait that could not be written is written a little later`() {
        host.commits = .held
        host.isStrict = false
        host.submit(.clean)
        host.writeNextCommit()
        while !host.heldCommits.isEmpty { host.failNextCommit() }
        #expect(host.ledger.waits.isEmpty)
        host.commits = .written
        host.advance(by: .seconds(1))
        #expect(host.ledger.waits.values.map { $0 } == [["not-idle"]])
    }

    @Test func `C13 a launch that could not be written closes nothing`() {
        host.submit(.clean)
        host.commits = .held
        host.isStrict = false
        host.change(idle: true)
        host.failNextCommit()
        host.writeHeldCommits()
        #expect(host.pending == [.clean])
        host.advance(by: .seconds(1))
        #expect(host.running == [.clean] && host.ledger.waits.isEmpty)
    }

    @Test func `C13 a cancellation that could not be written closes nothing`() {
        host.submit(.clean)
        host.isStrict = false
        host.commits = .failing
        host.cancel(.clean)
        host.commits = .written
        #expect(host.pending == [.clean] && host.ledger.waits.values.map { $0 } == [["not-idle"]])
    }

    @Test func `C13 a launch while its wait is still being written leaves nothing open`() {
        host.commits = .held
        host.submit(.clean)
        host.writeNextCommit()
        host.change(idle: true)
        host.writeHeldCommits()
        #expect(host.running == [.clean] && host.ledger.waits.isEmpty)
    }

    @Test func `C13 nor does one whose wait turns out not to be written`() {
        host.commits = .held
        host.isStrict = false
        host.submit(.clean)
        host.writeNextCommit()
        host.change(idle: true)
        host.failNextCommit()
        host.writeHeldCommits()
        host.advance(by: .seconds(2))
        #expect(host.running == [.clean] && host.ledger.waits.isEmpty)
    }

    @Test func `C13 nor does one whose end of a wait turns out not to be written`() {
        host.change(power: false)
        host.submit(.clean, needsPower: true)
        host.advance(by: .minutes(1))
        host.submit(.feed, as: .refresh)
        host.enter()
        host.commits = .held
        host.isStrict = false
        host.change(power: true, idle: true)
        host.complete(.feed)
        host.writeNextCommit()
        host.failNextCommit()
        host.writeHeldCommits()
        host.advance(by: .seconds(3))
        #expect(host.running == [.clean] && host.ledger.vainWaits.isEmpty)
    }

    @Test func `C17 an event that is being dropped with its plugin is not said to wait, and not launched`() {
        let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard())
        host.isStrict = false
        host.remove(.app)
        host.trigger()
        host.remove(.keyboard)
        host.commits = .held
        host.purge(.keyboard)
        host.install(.app(extensions: [.keyboard]), .keyboard())
        host.writeHeldCommits()
        host.finishStarting()
        #expect(host.ledger.vainWaits.isEmpty && host.pendingEvents.isEmpty)
        #expect(host.journal.contains { $0.event == .task(.abandoned) && $0.label == "trigger" })
    }

    @Test func `C13 events have a history as well`() {
        let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard())
        host.trigger()
        host.enter()
        host.crash()
        #expect(host.ledger.waitHistory.isEmpty)
        host.advance(by: .seconds(10))
        #expect(host.ledger.waitHistory.map(\.reasons) == [["retry-delay"], []])
    }
}

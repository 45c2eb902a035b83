// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("The wait history records the reasons of waiting work with their times")
struct WaitHistoryTests {
    let host = SchedulerDriver(
        .app(),
        .mail(),
        conditions: Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: false)
    )
    private let plain = TaskRequest(identifier: .clean, kind: .processing)
    private let powered = TaskRequest(identifier: .clean, kind: .processing, requiresExternalPower: true)

    /// The recorded changes of the wait of a request's class: seconds since `start`, and the codes of the reasons from
    /// then on.
    private func history(_ request: TaskRequest, since start: WallTime, _ host: SchedulerDriver? = nil) -> [String] {
        let key = WaitKey(plugin: .app, workClass: WorkClass(of: request))
        return (host ?? self.host).ledger.waitHistory.filter { $0.key == key }.map {
            let seconds = ($0.at - start).wholeNanoseconds / 1_000_000_000
            return "\(seconds)s " + ($0.reasons.isEmpty ? "-" : $0.reasons.joined(separator: " "))
        }
    }

    @Test(.proves("C13"))
    func `a wait is recorded a second after it began, with its begin, and closed a second after its end`() {
        let start = host.clock.now.wall
        host.submit(.clean)
        #expect(history(plain, since: start).isEmpty)
        host.advance(by: .seconds(1))
        #expect(history(plain, since: start) == ["0s not-idle"])
        host.advance(by: .minutes(5) - .seconds(1))
        host.change(idle: true)
        #expect(history(plain, since: start) == ["0s not-idle"])
        host.advance(by: .seconds(1))
        #expect(history(plain, since: start) == ["0s not-idle", "300s -"])
        #expect(host.ledger.waits.isEmpty)
    }

    @Test(.proves("C13")) func `a hundred requests of one class that wait for one reason have one recorded wait`() {
        let host = SchedulerDriver(
            .app(),
            conditions: Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: false)
        ) { $0.limits.processing = 100 }
        let start = host.clock.now.wall
        for number in 1...100 { host.submit(.job(number)) }
        host.advance(by: .seconds(2))
        #expect(history(plain, since: start, host) == ["0s not-idle"])
        host.change(power: false)
        host.advance(by: .seconds(2))
        #expect(history(plain, since: start, host) == ["0s not-idle"])
    }

    @Test(.proves("C13")) func `a change of reasons is recorded for two classes of a plugin's requests in one commit`()
    {
        let start = host.clock.now.wall
        host.submit(.clean, needsPower: true)
        host.submit(.vacuum)
        host.advance(by: .seconds(10))
        host.change(power: false)
        host.advance(by: .seconds(10))
        host.change(memoryLow: true)
        host.forgetThePast()
        host.advance(by: .seconds(10))
        #expect(host.actions.count { if case .commit = $0 { true } else { false } } == 1)
        #expect(
            history(powered, since: start) == [
                "0s not-idle", "10s external-power not-idle", "20s external-power memory-pressure not-idle",
            ]
        )
        #expect(history(plain, since: start) == ["0s not-idle", "20s memory-pressure not-idle"])
    }

    @Test(.proves("C13")) func `conditions that change and return within a second are not recorded as waits`() {
        let start = host.clock.now.wall
        host.submit(.clean, needsPower: true)
        host.advance(by: .seconds(10))
        for _ in 1...10 {
            host.change(power: false)
            host.advance(by: .milliseconds(400))
            host.change(power: true)
            host.advance(by: .milliseconds(400))
        }
        host.advance(by: .minutes(1))
        #expect(history(powered, since: start) == ["0s not-idle"])
    }

    @Test(.proves("C13")) func `a wait for spacing that ends within a second is not recorded`() {
        let host = SchedulerDriver(.app()) { $0.spacing = .milliseconds(999) }
        host.submit(.clean)
        host.runToTheEnd()
        host.submit(.clean)
        host.advance(by: .seconds(3))
        #expect(host.plans.count == 2 && host.ledger.waitHistory.isEmpty)
    }

    @Test(.proves("C13")) func `a wait of at least a second for a busy lane is recorded after its end`() {
        host.change(idle: true)
        host.submit(.clean)
        host.enter()
        let start = host.clock.now.wall
        host.submit(.vacuum)
        host.advance(by: .minutes(3))
        #expect(history(plain, since: start).isEmpty)
        host.complete(.clean)
        host.advance(by: .seconds(1))
        host.advance(by: .seconds(1))
        #expect(history(plain, since: start) == ["0s lane-busy", "180s -", "180s spacing", "181s -"])
    }

    @Test(.proves("C13")) func `a wait for the earliest begin is not recorded`() {
        host.change(idle: true)
        host.submit(.clean, after: .hours(1))
        host.advance(by: .hours(1))
        #expect(host.running == [.clean] && host.ledger.waitHistory.isEmpty)
    }

    @Test(.proves("C13"))
    func `a cancelled or purged request leaves no open wait, and a replacement continues the open one`() {
        host.submit(.clean)
        host.advance(by: .seconds(1))
        host.cancel(.clean)
        host.advance(by: .seconds(1))
        #expect(host.ledger.waits.isEmpty)
        host.submit(.clean)
        host.advance(by: .seconds(1))
        host.submit(.clean)
        #expect(host.ledger.waits.count == 1)
        host.remove(.app)
        host.purge(.app)
        host.advance(by: .seconds(1))
        #expect(host.ledger.waits.isEmpty && host.pending.isEmpty)
    }

    @Test(.proves("C12"))
    func `the recorded deferral of a class is deleted after the cancellation of its only request`() {
        host.submit(.clean)
        host.advance(by: .seconds(1))
        #expect(host.ledger.deferrals.count == 1)
        host.cancel(.clean)
        host.advance(by: .seconds(1))
        #expect(host.ledger.deferrals.isEmpty)
    }

    @Test(.proves("C13"))
    func `a request that is dropped thirty days after its plugin's removal leaves no open wait`() {
        host.submit(.clean)
        host.remove(.app)
        host.advance(by: .days(30))
        host.advance(by: .minutes(10))
        #expect(host.ledger.waits.isEmpty && host.pending.isEmpty)
    }

    @Test(.proves("C13")) func `a wait for a removed plugin is recorded, and its end as well`() {
        let start = host.clock.now.wall
        host.submit(.clean)
        host.advance(by: .seconds(10))
        host.remove(.app)
        host.advance(by: .seconds(10))
        #expect(history(plain, since: start).last == "10s not-idle plugin-missing")
        host.install(.app())
        host.advance(by: .seconds(1))
        #expect(history(plain, since: start).last == "20s not-idle")
    }

    @Test(.proves("C13")) func `a requeued task begins a new wait`() {
        host.change(idle: true)
        host.submit(.clean)
        host.enter()
        host.stop()
        host.exit()
        host.conditions.isIdle = false
        let start = host.clock.now.wall
        host.restart()
        host.advance(by: .seconds(1))
        #expect(history(plain, since: start) == ["0s not-idle"])
    }

    // MARK: Restarts and failing commits

    @Test(.proves("C13")) func `a restart neither opens nor closes a wait that continues`() {
        let start = host.clock.now.wall
        host.submit(.clean)
        host.advance(by: .seconds(1))
        host.restart(after: .minutes(1))
        host.advance(by: .seconds(5))
        #expect(history(plain, since: start) == ["0s not-idle"])
        host.change(idle: true)
        host.advance(by: .seconds(1))
        #expect(history(plain, since: start) == ["0s not-idle", "66s -"])
    }

    @Test(.proves("C13")) func `a reason that appeared while the host was down is recorded after the restart`() {
        let start = host.clock.now.wall
        host.submit(.clean, needsPower: true)
        host.advance(by: .seconds(1))
        host.conditions.isOnExternalPower = false
        host.restart(after: .minutes(1))
        host.advance(by: .seconds(1))
        #expect(history(powered, since: start).last == "61s external-power not-idle")
    }

    @Test(.proves("C13")) func `a wait whose commit fails is recorded at the next attempt`() {
        let start = host.clock.now.wall
        host.submit(.clean)
        host.isStrict = false
        host.commits = .failing
        host.advance(by: .seconds(1))
        #expect(host.ledger.waits.isEmpty)
        host.commits = .written
        host.advance(by: .seconds(1))
        #expect(history(plain, since: start) == ["0s not-idle"])
    }

    @Test(.proves("C13"))
    func `a change of reasons during a commit of the wait history is recorded after that commit`() {
        let start = host.clock.now.wall
        host.submit(.clean, needsPower: true)
        host.commits = .held
        host.advance(by: .seconds(10))
        host.change(power: false)
        host.advance(by: .seconds(10))
        #expect(host.heldCommits.count == 1)
        host.writeHeldCommits()
        host.advance(by: .seconds(1))
        #expect(history(powered, since: start) == ["0s not-idle", "10s external-power not-idle"])
    }

    @Test(.proves("C13")) func `if the commit of a launch fails, the wait of its request is closed after the retry`() {
        host.submit(.clean)
        host.advance(by: .seconds(1))
        host.commits = .held
        host.isStrict = false
        host.change(idle: true)
        host.failNextCommit()
        host.writeHeldCommits()
        #expect(host.pending == [.clean])
        host.advance(by: .seconds(1))
        host.advance(by: .seconds(1))
        #expect(host.running == [.clean] && host.ledger.waits.isEmpty)
    }

    @Test(.proves("C13")) func `a request that is launched while its wait is being committed leaves no open wait`() {
        host.submit(.clean)
        host.commits = .held
        host.advance(by: .seconds(1))
        host.change(idle: true)
        host.writeHeldCommits()
        host.advance(by: .seconds(1))
        #expect(host.running == [.clean] && host.ledger.waits.isEmpty)
    }

    @Test(.proves("C13")) func `a request that is launched while the commit of its wait fails leaves no open wait`() {
        host.submit(.clean)
        host.commits = .held
        host.isStrict = false
        host.advance(by: .seconds(1))
        host.change(idle: true)
        host.failNextCommit()
        host.writeHeldCommits()
        host.advance(by: .seconds(2))
        #expect(host.running == [.clean] && host.ledger.vainWaits.isEmpty)
    }

    @Test(.proves("C17"))
    func `a trigger dropped by a purge is abandoned even if its extension is installed before the purge is committed`()
    {
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
        host.advance(by: .seconds(1))
        #expect(host.ledger.vainWaits.isEmpty && host.pendingEvents.isEmpty)
        #expect(host.journal.contains { $0.event == .task(.abandoned) && $0.label == "trigger" })
    }

    @Test(.proves("C13")) func `all events of a plugin share one recorded wait`() {
        let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard())
        let start = host.clock.now.wall
        host.trigger()
        host.trigger()
        host.remove(.app)
        host.trigger()
        host.advance(by: .seconds(2))
        #expect(host.ledger.waits[WaitKey(plugin: .keyboard, workClass: .event)]?.contains("plugin-missing") == true)
        #expect(Set(host.ledger.waitHistory.map(\.key)).count == 1)
        #expect(host.clock.now.wall == start + .seconds(2))
    }

    @Test(.proves("C13"))
    func `the recorded wait of a class has only the reasons of requests that the manifest permits`() {
        let start = host.clock.now.wall
        host.submit(.clean)
        host.submit(.vacuum)
        host.install(.app(version: "2.0", permitted: [.exact(.vacuum)]))
        host.advance(by: .seconds(2))
        #expect(host.reasons(.clean).contains(.identifierNotPermitted(.clean)))
        #expect(history(plain, since: start) == ["0s not-idle"])
    }
}

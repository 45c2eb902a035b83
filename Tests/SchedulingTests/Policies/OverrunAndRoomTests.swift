// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("A plugin that overruns has a longer cooldown, and a plugin that users use more gets capacity first")
struct OverrunAndRoomTests {
    // MARK: Overruns

    private func overrun(_ host: SchedulerDriver) {
        host.submit(.clean)
        while host.running.isEmpty, let wait = host.timeToWake { host.advance(by: wait) }
        host.enter()
        host.advance(by: .minutes(10) + .seconds(5))
    }

    private func rest(_ host: SchedulerDriver) -> Duration? {
        host.submit(.vacuum, as: .processing)
        guard case .spacing(let until)? = host.reasons(.vacuum).first else { return nil }
        host.cancel(.vacuum)
        return until - host.clock.now.monotonic
    }

    @Test(.proves("C7"))
    func `the cooldown doubles with each overrun in a row, up to an hour, and one completed launch resets it`() {
        let host = SchedulerDriver(.app())
        var rests: [Duration?] = []
        for _ in 1...9 {
            overrun(host)
            rests.append(rest(host))
        }
        #expect(rests == [30, 60, 120, 240, 480, 960, 1_920, 3_600, 3_600].map { .seconds($0) })
        host.submit(.index)
        while host.running.isEmpty, let wait = host.timeToWake { host.advance(by: wait) }
        host.runToTheEnd()
        #expect(rest(host) == .seconds(1))
    }

    @Test(.proves("C7")) func `a plugin's number of consecutive overruns survives a restart`() {
        let host = SchedulerDriver(.app())
        overrun(host)
        overrun(host)
        host.restart()
        overrun(host)
        #expect(rest(host) == .seconds(120))
    }

    @Test(.proves("C7")) func `an overrun causes no cooldown when the spacing policy is switched off`() {
        let host = SchedulerDriver(.app()) { $0.policies.off = [.spacing] }
        overrun(host)
        #expect(rest(host) == nil && host.running == [.vacuum])
    }

    // MARK: Capacity

    private static let third: PluginIdentifier = "com.example.third"
    private static let thirdTask: TaskIdentifier = "com.example.third.task"

    private func crowded(_ configure: (inout SchedulingConfiguration) -> Void = { _ in }) -> SchedulerDriver {
        SchedulerDriver(.app(), .mail(), .main(Self.third, permitted: [.exact(Self.thirdTask)])) {
            $0.backgroundLaunches = 1
            configure(&$0)
        }
    }

    /// Runs a request at a user's request and completes it, so that the plugin counts as used.
    private func use(_ identifier: TaskIdentifier, _ host: SchedulerDriver) {
        host.submit(identifier, after: .hours(1), by: .user)
        host.requestRun(of: identifier)
        host.runToTheEnd()
        host.advance(by: .seconds(2))
    }

    /// Occupies the only background launch. Then the plugins submit in the order of `waiting`, one second apart.
    private func fill(
        _ host: SchedulerDriver,
        with kind: TaskKind = .processing,
        waiting: [TaskIdentifier] = [.sweep, Self.thirdTask]
    ) -> LaunchPlan? {
        host.submit(.clean)
        let plan = host.lastPlan
        host.enter()
        for identifier in waiting {
            host.advance(by: .seconds(1))
            host.submit(identifier, as: kind, by: .plugin(identifier == .sweep ? .mail : Self.third))
            #expect(host.reasons(identifier) == [.launchLimit(.background, limit: 1)])
        }
        return plan
    }

    @Test(.proves(64, 69))
    func `free capacity goes first to the processing request of the plugin that users used more`() {
        let host = crowded()
        use(Self.thirdTask, host)
        host.runToTheEnd(fill(host))
        #expect(host.running == [Self.thirdTask])
    }

    @Test(.proves(64)) func `free capacity goes first to the refresh request of the plugin that users used more`() {
        let host = crowded()
        use(Self.thirdTask, host)
        host.runToTheEnd(fill(host, with: .refresh))
        #expect(host.running == [Self.thirdTask])
    }

    @Test(.proves(69), arguments: [[TaskIdentifier.sweep, thirdTask], [thirdTask, .sweep]])
    func `free capacity goes to equally used plugins in the order in which they began to wait`(
        _ waiting: [TaskIdentifier]
    ) {
        let host = crowded()
        for identifier in [TaskIdentifier.sweep, Self.thirdTask] { use(identifier, host) }
        host.runToTheEnd(fill(host, waiting: waiting))
        #expect(host.running == [waiting[0]])
    }

    @Test(.proves("C12")) func `a plugin that waited five minutes for capacity precedes a plugin that is used more`() {
        let host = crowded()
        use(Self.thirdTask, host)
        let plan = fill(host)
        host.advance(by: .minutes(5))
        host.runToTheEnd(plan)
        #expect(host.running == [.sweep])
    }

    @Test(.proves("C12"))
    func `a plugin that waited less than five minutes for capacity does not precede a plugin that is used more`() {
        let host = crowded()
        use(Self.thirdTask, host)
        let plan = fill(host)
        host.advance(by: .minutes(5) - .seconds(1) - .nanoseconds(1))
        host.runToTheEnd(plan)
        #expect(host.running == [Self.thirdTask])
    }

    @Test(.proves(69))
    func `use does not change the order of plugins that wait for capacity when the use policy is switched off`() {
        let host = crowded { $0.policies.off = [.use] }
        use(Self.thirdTask, host)
        host.runToTheEnd(fill(host))
        #expect(host.running == [.sweep])
    }

    @Test(.proves(69)) func `a use a week ago does not affect which plugin gets free capacity`() {
        let host = crowded()
        use(Self.thirdTask, host)
        host.advance(by: .days(7))
        host.runToTheEnd(fill(host))
        #expect(host.running == [.sweep])
    }

    @Test(.proves(69))
    func `a trigger of an extension counts as a use of its main plugin when free capacity is assigned`() {
        let host = SchedulerDriver(.app(extensions: [.keyboard]), .keyboard(), .mail()) { $0.backgroundLaunches = 1 }
        host.trigger()
        host.runToTheEnd()
        host.submit(.sweep, by: .plugin(.mail))
        let plan = host.lastPlan
        host.submit(.inbox, as: .processing, by: .plugin(.mail))
        host.submit(.clean)
        host.runToTheEnd(plan)
        #expect(host.running == [.clean])
    }
}

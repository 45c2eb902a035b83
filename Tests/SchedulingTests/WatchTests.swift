// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("The machine is watched only while pending or running work depends on it")
struct WatchTests {
    let host = SchedulerDriver(
        .studio(extensions: [.keyboard]),
        .keyboard(),
        conditions: Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: false)
    )

    private func submitStudy(_ protection: ProtectionType, after delay: Duration? = nil) {
        let request = TaskRequest(
            identifier: .study,
            kind: .healthResearch,
            earliestBegin: delay.map { host.clock.now.wall + $0 },
            protection: protection
        )
        _ = host.ask { .submitted(Submission(request: request, submitter: .plugin(.app)), reply: $0) }
    }

    @Test(.proves("C16"))
    func `a host with no request, or only with a processing request that is not due, watches nothing`() {
        #expect(host.watch == Watch())
        host.submit(.clean, after: .hours(1))
        #expect(host.watch == Watch())
    }

    @Test(.proves("C16"))
    func `the use of the machine is watched from the first wait for idleness to the end of the launch`() {
        host.submit(.clean, after: .hours(1))
        host.advance(by: .hours(1))
        #expect(host.watch == Watch(sampled: true))
        host.change(idle: true)
        host.enter()
        #expect(host.watch == Watch(sampled: true))
        host.complete(.clean)
        #expect(host.watch == Watch())
    }

    @Test(.proves("C16")) func `idleness is sampled until the last request that waits for it is cancelled`() {
        let host = SchedulerDriver(
            .app(),
            .mail(),
            conditions: Conditions(isOnExternalPower: true, hasNetwork: true, isIdle: false)
        )
        host.submit(.clean)
        host.submit(.sweep, by: .plugin(.mail))
        host.cancel(.clean)
        #expect(host.watch.sampled)
        host.cancel(.sweep, of: .mail)
        #expect(!host.watch.sampled)
    }

    @Test(.proves("C16"))
    func `an event launch that takes on a continued task starts the watch of the machine's use`() {
        host.trigger()
        let plan = host.lastPlan
        host.enter(plan, registering: [])
        #expect(!host.watch.sampled)
        host.submitContinued(from: plan)
        #expect(host.watch.sampled)
    }

    @Test(.proves("C16")) func `cancelling the only waiting request ends the watch of the machine's use`() {
        host.submit(.clean)
        host.cancel(.clean)
        #expect(host.watch == Watch())
    }

    @Test(.proves("C16")) func `an event launch requires no watch of the machine`() {
        host.trigger()
        #expect(host.running.isEmpty && host.scheduler.runningLaunches.count == 1)
        #expect(host.watch == Watch())
    }

    @Test(.proves("C16")) func `the use of the machine is watched while a continued task runs`() {
        host.submitContinued()
        host.enter()
        #expect(host.watch.sampled)
        host.complete(.album(1))
        #expect(!host.watch.sampled)
    }

    @Test(.proves(70)) func `a container is watched while health research waits for it or runs in it`() {
        host.change(locked: [.app])
        submitStudy(.complete)
        #expect(host.watch == Watch(sampled: true, containers: [.app]))
        host.change(idle: true, locked: [])
        host.enter()
        #expect(host.watch.containers == [.app])
        host.complete(.study)
        #expect(host.watch == Watch())
    }

    @Test(.proves(70)) func `a container is watched for health research that is not due yet`() {
        submitStudy(.unlessOpen, after: .hours(1))
        #expect(host.watch == Watch(containers: [.app]))
        host.cancel(.study)
        #expect(host.watch == Watch())
    }

    @Test(.proves(70)) func `health research without protection requires no watch of its container`() {
        submitStudy(.none)
        #expect(host.watch.containers.isEmpty)
    }

    @Test(.proves("C16")) func `a restarted host watches the same conditions as before`() {
        host.submit(.clean)
        submitStudy(.complete, after: .hours(1))
        host.restart()
        #expect(host.watch == Watch(sampled: true, containers: [.app]))
    }

    // MARK: Unknown use

    @Test func `background work waits for the first sample of load and heat`() {
        host.change(idle: true, useUnknown: true)
        host.submit(.clean)
        #expect(host.plans.isEmpty && host.reasons(.clean) == [.useUnknown] && host.watch.sampled)
        host.change(hot: true, useUnknown: false)
        #expect(host.plans.isEmpty && host.reasons(.clean) == [.heat])
        host.change(hot: false)
        #expect(host.batches == [[.clean]])
    }

    @Test
    func `events, continued tasks and launches requested by a user start before the first sample of load and heat`() {
        host.change(useUnknown: true)
        host.trigger()
        #expect(host.plans.map(\.lane) == [.event])
        host.submitContinued()
        #expect(host.plans.map(\.lane) == [.event, .continued])
        host.submit(.clean)
        host.requestRun(of: .clean)
        #expect(host.plans.map(\.lane) == [.event, .continued, .background])
    }
}

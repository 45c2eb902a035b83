// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Scheduling
import StatementTraits
import TaskModel
import Testing

@Suite("An operator can switch background work off")
struct BackgroundRefreshTests {
    private func host(_ configure: (inout SchedulingConfiguration) -> Void) -> SchedulerDriver {
        SchedulerDriver(.studio(extensions: [.keyboard]), .keyboard(), .mail(), configure: configure)
    }

    @Test(.proves(7))
    func `a refresh submission is refused with error 1 when background refresh is off for the host`() {
        let host = host { $0.isBackgroundRefreshOn = false }
        let refusal = host.submit(.feed, as: .refresh)?.refusal
        #expect(refusal?.code == .unavailable && refusal?.subReason == .backgroundRefreshOff)
        #expect(refusal?.message.contains("background-refresh to true") == true)
        #expect(host.submit(.clean)?.refusal == nil && host.submitContinued()?.refusal == nil)
    }

    @Test(.proves(7))
    func `a refresh submission is refused with error 1 only for the plugin whose background refresh is off`() {
        let host = host { $0.plugins[.app, default: PluginPolicy()].isBackgroundRefreshOn = false }
        let refusal = host.submit(.feed, as: .refresh)?.refusal
        #expect(refusal?.code == .unavailable && refusal?.subReason == .backgroundRefreshOff)
        #expect(host.submit(.inbox, as: .refresh, by: .plugin(.mail))?.refusal == nil)
    }

    @Test(.proves(7))
    func `a background submission is refused with error 3 when the operator denies the plugin background work`() {
        let host = host { $0.plugins[.app, default: PluginPolicy()].isBackgroundDenied = true }
        for kind in [TaskKind.refresh, .processing, .healthResearch] {
            let refusal = host.submit(.study, as: kind)?.refusal
            #expect(refusal?.code == .notPermitted && refusal?.subReason == .backgroundDenied)
        }
        #expect(host.submitContinued()?.refusal == nil)
        #expect(host.submit(.inbox, as: .refresh, by: .plugin(.mail))?.refusal == nil)
    }

    @Test(.proves(7))
    func `a pending refresh waits with reason background-refresh-off after the operator switched refresh off`() {
        let on = host { _ in }
        on.submit(.feed, as: .refresh, after: .hours(1))
        on.submit(.clean, after: .hours(1))
        let off = host { $0.isBackgroundRefreshOn = false }
        off.ledger = on.ledger
        off.restart(after: .hours(2))
        #expect(off.running == [.clean])
        #expect(off.reasons(.feed).first == .backgroundRefreshOff(nil))
    }

    @Test(.proves(7))
    func `pending work waits, and a user's launch request fails, if the operator denies the plugin background work`() {
        let on = host { _ in }
        on.submit(.clean, after: .hours(1))
        let off = host { $0.plugins[.app, default: PluginPolicy()].isBackgroundDenied = true }
        off.ledger = on.ledger
        off.restart(after: .hours(2))
        #expect(off.running.isEmpty && off.reasons(.clean) == [.backgroundDenied(.app)])
        #expect(off.requestRun(of: .clean)?.failureMessage?.contains("denies") == true)
    }

    @Test(.proves(7))
    func `a refresh switched off for the host and for its plugin has both reasons, that of the host first`() {
        let on = host { _ in }
        on.submit(.feed, as: .refresh, after: .hours(1))
        let off = host {
            $0.isBackgroundRefreshOn = false
            $0.plugins[.app, default: PluginPolicy()].isBackgroundRefreshOn = false
        }
        off.ledger = on.ledger
        off.restart(after: .hours(2))
        #expect(off.reasons(.feed) == [.backgroundRefreshOff(nil), .backgroundRefreshOff(.app)])
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("A changed configuration applies to the next decisions, without a restart")
struct ReloadTests {
    let host = SchedulerDriver(.app(), .mail()) { $0.spacing = .hours(1) }

    private func configure(_ host: SchedulerDriver, _ change: (inout SchedulingConfiguration) -> Void) {
        var configuration = host.scheduler.configuration
        change(&configuration)
        host.send(.configured(configuration, keys: ["spacing"]))
    }

    @Test func `a shorter spacing applies after the next launch, with a journal entry about the host`() {
        configure(host) { $0.spacing = .zero }
        host.submit(.clean)
        host.runToTheEnd()
        host.submit(.vacuum)
        #expect(host.batches == [[.clean], [.vacuum]])
        #expect(host.entries(.configurationReloaded).map(\.plugin) == [nil])
        #expect(host.entries(.configurationReloaded).first?.message.contains("spacing") == true)
    }

    @Test func `a plugin that the new configuration disables runs nothing until a later one enables it`() {
        configure(host) { $0.plugins[.mail, default: PluginPolicy()].isEnabled = false }
        #expect(host.submit(.sweep, by: .plugin(.mail))?.refusal?.subReason == .pluginDisabled)
        configure(host) { $0.plugins[.mail]?.isEnabled = true }
        host.submit(.sweep, by: .plugin(.mail))
        #expect(host.batches == [[.sweep]])
    }

    @Test func `a higher launch limit lets a request of another plugin start at once`() {
        let host = SchedulerDriver(.app(), .mail()) { $0.backgroundLaunches = 1 }
        host.submit(.clean)
        host.enter()
        host.submit(.sweep, by: .plugin(.mail))
        #expect(host.batches == [[.clean]])
        configure(host) { $0.backgroundLaunches = 2 }
        #expect(host.batches == [[.clean], [.sweep]])
    }

    @Test func `a running launch keeps its budget, and the next launch has the new one`() {
        host.submit(.clean)
        configure(host) { $0.budgets.processing = .seconds(10) }
        #expect(host.plans.first?.budget.total == .seconds(600))
        host.runToTheEnd()
        host.submit(.sweep, by: .plugin(.mail))
        #expect(host.plans.last?.budget.total == .seconds(10))
    }

    @Test func `a schedule of the new configuration begins at the change, and a removed one submits nothing more`() {
        configure(host) { configuration in
            configuration.plugins[.mail, default: PluginPolicy()].schedules[.sweep] = WorkSchedule(.every(.hours(1)))
        }
        host.advance(by: .minutes(59))
        #expect(host.plans.isEmpty)
        host.advance(by: .minutes(1))
        #expect(host.batches == [[.sweep]])
        host.runToTheEnd()
        configure(host) { $0.plugins[.mail] = nil }
        host.advance(by: .hours(5))
        #expect(host.batches == [[.sweep]])
    }

    @Test func `a policy that the new configuration switches off no longer delays a waiting request`() {
        host.change(idle: false)
        host.submit(.clean)
        #expect(host.plans.isEmpty)
        configure(host) { $0.policies.off.insert(.idle) }
        #expect(host.batches == [[.clean]])
    }
}

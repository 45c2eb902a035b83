// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@testable import Scheduling

@Suite("Running transfers of a plugin that loses a right are expired, and wait for its return", .proves("C24"))
struct TransferRightsTests {
    let host = SchedulerDriver.forTransfers()

    private func configure(_ change: (inout SchedulingConfiguration) -> Void) {
        var configuration = host.scheduler.configuration
        change(&configuration)
        host.send(.configured(configuration, keys: ["plugins.com.example.app"]))
    }

    /// Begins a transfer whose launch runs when this function returns.
    private func begin() throws -> TaskIdentifier {
        let number = try #require(host.download()?.submission)
        host.enterLibrary()
        return .transfer(number, of: .app)
    }

    /// Ends the expired launch.
    private func endLaunch() {
        host.endTry(.transient, .network)
        host.exit(host.transferPlan)
        host.forgetThePast()
    }

    @Test func `a disabled plugin's running transfer is expired, and continues when the plugin is enabled`() throws {
        let identifier = try begin()
        configure { $0.plugins[.app, default: PluginPolicy()].isEnabled = false }
        #expect(host.expirations.map(\.tasks) == [[identifier]])
        endLaunch()
        host.advance(by: .seconds(3_600))
        #expect(host.transferPlan == nil)
        #expect(host.reasons(identifier).map(\.code) == ["plugin-disabled"])
        configure { $0.plugins[.app]?.isEnabled = true }
        #expect(host.transferPlan?.identifiers == [identifier])
    }

    @Test func `a running transfer is expired when its plugin is denied background work`() throws {
        let identifier = try begin()
        configure { $0.plugins[.app, default: PluginPolicy()].isBackgroundDenied = true }
        #expect(host.expirations.map(\.tasks) == [[identifier]])
        endLaunch()
        #expect(host.reasons(identifier).map(\.code) == ["background-denied"])
    }

    @Test func `a removed plugin's running transfer is expired, and continues when the plugin returns`() throws {
        let identifier = try begin()
        host.remove(.app)
        #expect(host.expirations.map(\.tasks) == [[identifier]])
        endLaunch()
        host.advance(by: .seconds(3_600))
        #expect(host.transferPlan == nil && host.ledger.transfers.map(\.state) == [.waiting])
        host.install(.downloader())
        #expect(host.transferPlan?.identifiers == [identifier])
    }

    @Test func `a refused plugin's running transfer is expired`() throws {
        let identifier = try begin()
        host.refuse(.app, because: "its signature was revoked")
        #expect(host.expirations.map(\.tasks) == [[identifier]])
    }

    @Test func `a transfer whose plugin loses the grant of the network is expired, and waits for the grant`() throws {
        let identifier = try begin()
        host.install(.downloader(grants: .none))
        #expect(host.expirations.map(\.tasks) == [[identifier]])
        endLaunch()
        host.advance(by: .seconds(3_600))
        #expect(host.transferPlan == nil)
        #expect(host.reasons(identifier).map(\.code) == ["network-not-granted"])
        host.install(.downloader())
        #expect(host.transferPlan?.identifiers == [identifier])
    }

    @Test func `a transfer whose plugin's grants are narrowed continues in a launch with the present grants`() throws {
        _ = try begin()
        host.install(.downloader(grants: Grants(connect: [443])))
        #expect(host.expirations.count == 1)
        endLaunch()
        host.advance(by: .seconds(3_600))
        #expect(host.transferPlan?.plugin.grants == Grants(connect: [443]))
    }

    @Test func `a transfer whose plugin is disabled while the library enters is expired after the entry`() throws {
        let number = try #require(host.download()?.submission)
        configure { $0.plugins[.app, default: PluginPolicy()].isEnabled = false }
        #expect(host.expirations.isEmpty)
        host.enterLibrary()
        #expect(host.expirations.map(\.tasks) == [[.transfer(number, of: .app)]])
    }

    @Test func `a transfer that waits while its plugin loses the permission for private addresses has none`() throws {
        configure { $0.plugins[.app, default: PluginPolicy()].allowsPrivateAddresses = true }
        host.change(network: false)
        let number = try #require(host.download()?.submission)
        configure { $0.plugins[.app]?.allowsPrivateAddresses = false }
        host.change(network: true)
        #expect(host.transferPlan?.transferTerms[number]?.permitsPrivateAddresses == false)
    }

    @Test
    func `a transfer is expired when its plugin loses the permission for private addresses, and continues without it`()
        throws
    {
        configure { $0.plugins[.app, default: PluginPolicy()].allowsPrivateAddresses = true }
        let identifier = try begin()
        configure { $0.plugins[.app]?.allowsPrivateAddresses = false }
        #expect(host.expirations.map(\.tasks) == [[identifier]])
        endLaunch()
        host.advance(by: .seconds(3_600))
        #expect(host.transferPlan?.transferTerms.values.map(\.permitsPrivateAddresses) == [false])
    }

    @Test func `a reload that changes no right leaves running transfers alone`() throws {
        _ = try begin()
        configure { $0.spacing = .seconds(5) }
        host.install(.downloader())
        #expect(host.expirations.isEmpty)
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import TaskModel
import Testing

@Suite("Plugins have users of their own where the host may give them, and run as root only by configuration")
struct PluginUserTests {
    private static let all = Set(ProcessAuthority.Capability.allCases)

    private static func authority(
        user: UInt32,
        _ capabilities: Set<ProcessAuthority.Capability>,
        reserved: String? = nil
    ) -> ProcessAuthority {
        ProcessAuthority(
            user: user,
            userName: user == 0 ? "root" : "bgtask",
            capabilities: capabilities,
            reserved: reserved.flatMap { UserRange($0) }
        )
    }

    @Test func `a host with capabilities and a reserved range takes the users of plugins from that range`() throws {
        let users = try PluginUsers(.automatic, Self.authority(user: 110, Self.all, reserved: "600000-665535"))
        #expect(users.range?.description == "600000-665535")
    }

    @Test func `a host that runs as root and has no configured plugin users is refused with the remedies`() {
        let reserved = "600000-665535"
        for authority in [
            Self.authority(user: 0, Self.all), Self.authority(user: 0, [], reserved: reserved),
            Self.authority(user: 0, Self.all, reserved: reserved),
        ] {
            let error = #expect(throws: HostError.self) { try PluginUsers(.automatic, authority) }
            for part in ["runs as root", "another user", "plugin-users: 600000-665535", "plugin-users: host"] {
                #expect(error?.message.contains(part) == true)
            }
        }
    }

    @Test func `a host without capabilities or a reserved range runs plugins with its own user and reports the reason`()
        throws
    {
        let plain = try PluginUsers(.automatic, Self.authority(user: 1_000, [], reserved: "600000-665535"))
        guard case .hostUser(let reason) = plain else { Issue.record("\(plain)"); return }
        #expect(reason.contains("CAP_SETUID"))
        let unreserved = try PluginUsers(.automatic, Self.authority(user: 110, Self.all))
        #expect(unreserved == .hostUser("/etc/subuid and /etc/subgid reserve no common range for bgtask"))
    }

    @Test func `the choice host for the users of plugins permits that plugins run as root`() throws {
        #expect(try PluginUsers(.host, Self.authority(user: 0, Self.all)) == .hostUser("plugin-users is host"))
    }

    @Test func `a configured range of users is refused without CAP_KILL, and if it contains the host's user`() throws {
        let range = try #require(UserRange("1000-1999"))
        let lacking = Self.all.subtracting([.kill])
        let refused = #expect(throws: HostError.self) {
            try PluginUsers(.range(range), Self.authority(user: 110, lacking))
        }
        #expect(refused?.message.contains("CAP_KILL") == true && refused?.message.contains("CAP_SETUID") == false)
        let overlapping = #expect(throws: HostError.self) {
            try PluginUsers(.range(range), Self.authority(user: 1_500, Self.all))
        }
        #expect(overlapping?.message.contains("contains 1500, the user of the host itself") == true)
        #expect(try PluginUsers(.range(range), Self.authority(user: 0, Self.all)).range == range)
    }

    @Test func `capabilities are read from the effective set of a process`() {
        let status = "Name:\tbgtaskd\nCapPrm:\tffffffffffffffff\nCapEff:\t00000000000000c1\nCapBnd:\t0\n"
        #expect(ProcessAuthority.capabilities(inStatus: status) == [.chown, .setgid, .setuid])
        #expect(ProcessAuthority.capabilities(inStatus: "").isEmpty)
    }

    @Test func `a user's ranges of subordinate users are found by name and by number`() {
        let text = "root:100000:65536\nbgtask:600000:10\n110:700000:2\nbgtask:x:1\nbgtask:5:1\nbgtask:4294967290:100\n"
        let ranges = ProcessAuthority.ranges(of: 110, named: "bgtask", in: text)
        #expect(ranges.map(\.description) == ["600000-600009", "700000-700001"])
    }
}

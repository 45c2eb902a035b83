// Part of bgtask, under the Apache License 2.0; see LICENSE.

import RunnerWire
import Sandbox
import SandboxPolicy
import TaskModel
import Testing

@Suite("Each guarantee names its mechanism, or the reason why it is not enforced")
struct GuaranteeTests {
    private static let all = LandlockRights(files: 0xffff, network: Landlock.network, scopes: Landlock.scopes)

    private func enforced(_ mechanisms: SandboxMechanisms, _ isolation: Isolation = .bestEffort) -> Set<Guarantee> {
        Set(
            Guarantee.allCases.filter { guarantee in
                if case .enforced = guarantee.enforcement(isolation, mechanisms) { true } else { false }
            }
        )
    }

    private func mechanisms(_ rights: LandlockRights?, filters: Bool = true) -> SandboxMechanisms {
        SandboxMechanisms(landlock: rights, landlockVersion: rights == nil ? 0 : 7, filtersSystemCalls: filters)
    }

    @Test func `with all mechanisms of a kernel every guarantee except memory, processes and disk is enforced`() {
        #expect(enforced(mechanisms(Self.all)) == Set(Guarantee.allCases).subtracting([.memory, .processes, .disk]))
    }

    @Test func `without Landlock the guarantees files and neighbours are not enforced`() {
        #expect(
            enforced(mechanisms(nil))
                == [.controlSocket, .network, .descendants, .descriptors, .privileges, .systemCalls]
        )
    }

    @Test func `without seccomp only the guarantee privileges is enforced`() {
        #expect(enforced(mechanisms(Self.all, filters: false)) == [.privileges])
    }

    @Test func `without Landlock scopes the guarantee neighbours is not enforced`() {
        let rights = LandlockRights(files: 0xffff, network: 0, scopes: 0)
        #expect(!enforced(mechanisms(rights)).contains(.neighbours))
        #expect(enforced(mechanisms(rights)).contains(.files))
    }

    @Test func `a user per main plugin and seccomp enforce the guarantee neighbours without Landlock scopes`() throws {
        let limiting = LimitMechanisms(
            controllers: nil,
            hasGroupsOff: false,
            hasOwnUsers: true,
            limits: .none,
            diskWatch: .none
        )
        let older = LandlockRights(files: 0xffff, network: 0, scopes: 0)
        func enforcement(_ rights: LandlockRights?, filters: Bool = true) -> Guarantee.Enforcement {
            Guarantee.neighbours.enforcement(.bestEffort, mechanisms(rights, filters: filters), limiting: limiting)
        }
        for rights in [older, nil] {
            #expect(enforcement(rights) == .enforced(by: "a user of its own for each main plugin, seccomp"))
            guard case .notEnforced = enforcement(rights, filters: false) else { Issue.record("no seccomp"); continue }
        }
        #expect(enforcement(Self.all) == .enforced(by: "Landlock 7, seccomp"))
        _ = try SandboxPolicy(
            .required,
            mechanisms: mechanisms(older),
            privatePlaces: [],
            cataloguePlaces: [],
            hasOwnUsers: true
        )
        #expect(throws: SandboxPolicy.Refusal.self) {
            try SandboxPolicy(.required, mechanisms: mechanisms(older), privatePlaces: [], cataloguePlaces: [])
        }
    }

    @Test func `a Landlock without the right to truncate enforces the guarantee files with the filter of system calls`()
    {
        let rights = LandlockRights(files: 0xffff & ~Landlock.truncate, network: 0, scopes: 0)
        #expect(
            Guarantee.files.enforcement(.bestEffort, mechanisms(rights))
                == .enforced(by: "Landlock 7, seccomp, which also refuses truncation by path")
        )
    }

    private func limiting(
        _ controllers: Set<String>?,
        off: Bool = false,
        ownUsers: Bool = false,
        _ limits: PluginLimits = PluginLimits(processes: 512)
    ) -> [Guarantee.Enforcement] {
        let limiting = LimitMechanisms(
            controllers: controllers,
            hasGroupsOff: off,
            hasOwnUsers: ownUsers,
            limits: limits,
            diskWatch: .none
        )
        return [Guarantee.memory, .processes].map {
            $0.enforcement(.bestEffort, mechanisms(Self.all), limiting: limiting)
        }
    }

    @Test func `control groups with their controllers enforce memory and processes`() {
        #expect(
            limiting(["memory", "pids"]) == [
                .enforced(by: "control group (memory.max), for manifests with limits.memory"),
                .enforced(by: "control group (pids.max)"),
            ]
        )
        #expect(
            limiting(["memory", "pids"], PluginLimits(memory: 1 << 30)) == [
                .enforced(by: "control group (memory.max)"),
                .enforced(by: "control group (pids.max)"),
            ]
        )
    }

    @Test func `without control groups or their controllers, memory and processes are not enforced, with the cause`() {
        for (found, cause) in [
            (limiting(nil), "Delegate=yes"), (limiting(nil, off: true), "cgroup: none"),
            (limiting(["cpu"]), "lack the controller"),
        ] {
            for enforcement in found {
                guard case .notEnforced(let reason) = enforcement else { Issue.record("\(found)"); continue }
                #expect(reason.contains(cause))
            }
        }
    }

    @Test func `while the last launch has no control group, memory and processes are not enforced, with the cause`() {
        var limiting = LimitMechanisms(
            controllers: ["memory", "pids"],
            hasGroupsOff: false,
            hasOwnUsers: false,
            limits: .none,
            diskWatch: .none
        )
        limiting.missingGroup = "no space"
        for guarantee in [Guarantee.memory, .processes] {
            let enforcement = guarantee.enforcement(.bestEffort, mechanisms(Self.all), limiting: limiting)
            #expect(enforcement == .notEnforced("the last started launch has no control group: no space"))
        }
    }

    @Test func `a launch needs a control group only if the guarantee memory or processes is required`() throws {
        func requires(_ isolation: Isolation, _ required: Set<Guarantee>) throws -> Bool {
            try SandboxPolicy(
                isolation,
                requiring: required,
                mechanisms: mechanisms(Self.all),
                privatePlaces: [],
                cataloguePlaces: []
            ).requiresGroups
        }
        #expect(try !requires(.required, Guarantee.ofSandbox))
        #expect(try requires(.required, [.memory]) && requires(.required, [.processes, .files]))
        #expect(try !requires(.required, [.files, .disk]) && !requires(.bestEffort, Guarantee.ofSandbox))
    }

    @Test func `without control groups a user per plugin limits processes, not memory`() {
        let found = limiting(nil, ownUsers: true)
        #expect(found.last == .enforced(by: "setrlimit (RLIMIT_NPROC), for the user of each plugin"))
        guard case .notEnforced = found.first else { Issue.record("\(found)"); return }
    }

    private func disk(
        _ watch: LimitMechanisms.DiskWatching,
        _ limits: PluginLimits,
        _ isolation: Isolation = .bestEffort,
        filters: Bool = true
    ) -> Guarantee.Enforcement {
        let limiting = LimitMechanisms(
            controllers: nil,
            hasGroupsOff: false,
            hasOwnUsers: false,
            limits: limits,
            diskWatch: watch
        )
        return Guarantee.disk.enforcement(isolation, mechanisms(nil, filters: filters), limiting: limiting)
    }

    @Test func `the guarantee disk is not enforced without the filter of fallocate, also with isolation off`() {
        let watch = LimitMechanisms.DiskWatching.attributed(source: "/proc/PID/io")
        for (found, cause) in [
            (disk(watch, .none, .off), "isolation is off: "),
            (disk(watch, .none, filters: false), "lacks seccomp filters"),
        ] {
            guard case .notEnforced(let reason) = found else { Issue.record("\(found)"); continue }
            #expect(reason.contains(cause) && reason.contains("fallocate") && reason.contains("RLIMIT_FSIZE"))
        }
    }

    @Test func `the guarantee disk names the source of written bytes and the limit of a file's size`() {
        let watch = "the host watches free space and inodes, and written bytes by /proc/PID/io"
        #expect(
            [PluginLimits(fileSize: 1 << 30), .none].map { disk(.attributed(source: "/proc/PID/io"), $0) } == [
                .enforced(by: "setrlimit (RLIMIT_FSIZE); \(watch)"),
                .enforced(by: "setrlimit (RLIMIT_FSIZE), for manifests with limits.file-size; \(watch)"),
            ]
        )
    }

    @Test func `without a watch of the disk, or a source of written bytes, the guarantee disk is not enforced`() {
        for (watch, cause) in [
            (LimitMechanisms.DiskWatching.none, "no host watches"), (.unattributed("cannot read it"), "cannot read it"),
        ] {
            guard case .notEnforced(let reason) = disk(watch, .none) else { Issue.record("\(watch)"); continue }
            #expect(reason.contains(cause))
        }
    }

    @Test func `with isolation off no guarantee is enforced, although the kernel has all mechanisms`() {
        #expect(enforced(mechanisms(Self.all), .off).isEmpty)
    }

    @Test func `required isolation refuses a kernel without Landlock, and names the guarantee files and best-effort`()
        throws
    {
        let error = #expect(throws: SandboxPolicy.Refusal.self) {
            try SandboxPolicy(
                .required,
                mechanisms: mechanisms(nil),
                privatePlaces: [],
                cataloguePlaces: []
            )
        }
        let text = try #require(error).description
        #expect(text.contains("files") && text.contains("Landlock") && text.contains("best-effort"), "\(text)")
    }

    @Test func `required isolation accepts a kernel with all mechanisms`() throws {
        _ = try SandboxPolicy(.required, mechanisms: mechanisms(Self.all), privatePlaces: [], cataloguePlaces: [])
    }
}

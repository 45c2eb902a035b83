// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import TaskModel
import Testing

@Suite("A host on a kernel without a mechanism reports missing guarantees, and starts only if none is required")
struct MaskedMechanismTests {
    /// A mechanism of the sandbox that the simulated kernel lacks.
    enum Masked: String, CaseIterable, CustomTestStringConvertible {
        case landlock = "Landlock"
        case filters = "seccomp"

        var kernel: RefusingKernel {
            switch self {
            case .landlock: .withoutLandlock
            case .filters: .withoutFilters
            }
        }

        /// The cause that the host's messages state for a missing guarantee.
        var cause: String {
            switch self {
            case .landlock: "the kernel lacks Landlock"
            case .filters: "the kernel lacks seccomp filters"
            }
        }

        /// Guarantees that the host cannot enforce without the mechanism, when plugins have the host's user.
        var missing: Set<Guarantee> {
            switch self {
            case .landlock: [.files, .neighbours]
            case .filters: [.files, .controlSocket, .network, .neighbours, .descendants, .descriptors, .systemCalls]
            }
        }

        var testDescription: String { rawValue }
    }

    /// Runs a host that has to refuse its start, and returns its message.
    private func refusal(of kernel: RefusingKernel, _ configuration: String) async throws -> String {
        try await ScratchDirectory.with { directory in
            let file = try directory.write("\(configuration)\nplugin-users: host\n".utf8, to: "bgtaskd.yaml")
            let places = [
                "--state-directory", directory.file("state"), "--manifests", directory.file("m"), "--package-manifests",
                directory.file("p"), "--socket", directory.file("s"),
            ]
            let run = try await ProgramRun.of(kernel.host(in: directory), ["--config", file] + places)
            #expect(run.status == 1, "\(run)")
            #expect(!FileManager.default.fileExists(atPath: directory.file("state")))
            return run.error
        }
    }

    @Test(arguments: Masked.allCases)
    func `with isolation required a host without a mechanism refuses to start, and prints guarantee, cause and remedy`(
        _ masked: Masked
    ) async throws {
        let message = try await refusal(of: masked.kernel, "isolation: required")
        #expect(message.contains("isolation requires the guarantee files, which cannot be enforced: "), "\(message)")
        #expect(message.contains(masked.cause) && message.contains("set isolation to best-effort"), "\(message)")
    }

    @Test(arguments: Masked.allCases)
    func `a host refuses an isolation list with a guarantee that needs the missing mechanism, and names the guarantee`(
        _ masked: Masked
    ) async throws {
        for guarantee in masked.missing {
            let message = try await refusal(of: masked.kernel, "isolation: [privileges, \(guarantee.rawValue)]")
            #expect(message.contains("requires the guarantee \(guarantee.rawValue), which"), "\(message)")
            #expect(message.contains(masked.cause), "\(message)")
        }
    }

    @Test(arguments: Masked.allCases)
    func `by default a host without a mechanism starts, runs plugins and names each guarantee that is not enforced`(
        _ masked: Masked
    ) async throws {
        try await ScratchDirectory.with { directory in
            var setup = HostSetup(["plugin-users": "host"])
            setup.program = try await masked.kernel.host(in: directory)
            try await HostFixture.with(setup, plugins: [.neighbour]) { host in
                try await host.runNeighbour()
                let text = try await host.bgtask("host", "status").output
                for guarantee in Guarantee.ofSandbox {
                    let isMissing = text.contains("\(guarantee.rawValue): not enforced: ")
                    #expect(isMissing == masked.missing.contains(guarantee), "\(guarantee): \(text)")
                }
                #expect(text.contains(masked.cause), "\(text)")
            }
        }
    }

    @Test(arguments: Masked.allCases)
    func `a host whose isolation list has the guarantees that the remaining mechanisms enforce starts and runs plugins`(
        _ masked: Masked
    ) async throws {
        try await ScratchDirectory.with { directory in
            let listed = Guarantee.ofSandbox.subtracting(masked.missing).map(\.rawValue).sorted()
            let line = "isolation: [\(listed.joined(separator: ", "))]"
            var setup = HostSetup(["plugin-users": "host"], configuration: [line])
            setup.program = try await masked.kernel.host(in: directory)
            try await HostFixture.with(setup, plugins: [.neighbour]) { host in
                try await host.runNeighbour()
                let isolation = try await host.client.host().isolation
                #expect(isolation.choice == "required" && isolation.required.sorted() == listed)
            }
        }
    }

    @Test
    func `a host without control groups refuses to start with memory in its isolation list, and prints the remedy`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let text = "isolation: [memory]\ncgroup: none\nplugin-users: host\n"
            let file = try directory.write(text.utf8, to: "bgtaskd.yaml")
            let places = ["--state-directory", directory.file("state"), "--socket", directory.file("s")]
            let run = try await ProgramRun.of(BuiltProgram.host.path(), ["--config", file] + places)
            #expect(run.status == 1, "\(run)")
            let message = "isolation requires the guarantee memory, which is not enforced: control groups are disabled"
            #expect(run.error.contains(message), "\(run.error)")
            #expect(run.error.contains("cgroup: none") && run.error.contains("remove memory from isolation"))
            // The host refuses before it opens the ledger, which may upgrade it.
            #expect(!FileManager.default.fileExists(atPath: directory.file("state/ledger/ledger.sqlite")))
        }
    }
}

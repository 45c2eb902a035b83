// Part of bgtask, under the Apache License 2.0; see LICENSE.

import FunctionTrial
import SandboxPolicy
import TaskModel
import Testing

@Suite("A call of a function states each guarantee of launches that it does not enforce")
struct FunctionTrialTests {
    private static let bare = SandboxMechanisms(landlock: nil, landlockVersion: 0, filtersSystemCalls: false)

    /// The reasons why guarantees are not enforced, by guarantee.
    private func reasons(
        _ isolation: Isolation,
        _ mechanisms: SandboxMechanisms = .probed()
    ) throws -> [String: String] {
        let trial = FunctionTrial(
            library: "/usr/lib/libPlain.so",
            handler: FunctionBinding(
                identifier: FunctionTrial.identifier,
                symbol: "plain_make",
                arguments: [],
                result: .void
            ),
            budget: .seconds(30),
            gracePeriod: .seconds(5),
            payload: [],
            container: "/tmp",
            settings: [:],
            grants: .none,
            sandboxes: try SandboxPolicy(isolation, mechanisms: mechanisms, privatePlaces: [], cataloguePlaces: [])
        )
        return Dictionary(uniqueKeysWithValues: trial.notEnforced.map { ($0.guarantee, $0.reason) })
    }

    @Test func `on a machine without Landlock and seccomp a call names the mechanism that files and network lack`()
        throws
    {
        let reasons = try reasons(.bestEffort, Self.bare)
        #expect(reasons["files"]?.contains("lacks Landlock") == true)
        #expect(reasons["network"]?.contains("lacks seccomp") == true)
        #expect(reasons["descriptors"]?.contains("each table of descriptors") == true)
        #expect(reasons["privileges"] == nil)
    }

    @Test func `a call of a function with isolation off reports each guarantee as not enforced`() throws {
        #expect(Set(try reasons(.off).keys) == Set(Guarantee.allCases.map(\.rawValue)))
    }

    @Test func `with isolation required a call on a machine without Landlock and seccomp is refused`() {
        #expect(throws: SandboxPolicy.Refusal.self) { try reasons(.required, Self.bare) }
    }
}

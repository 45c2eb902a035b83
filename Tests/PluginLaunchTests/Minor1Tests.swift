// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginBinary
import PluginLaunch
import RunnerWire
import StatementTraits
import TaskModel
import Testing

extension LaunchTests {
    @Suite(
        "Plugins and hosts of different minor versions work together",
        .enabled(if: Minor1.directory != nil, "make minor1 builds the runner of the simulated minor version")
    )
    struct Minor1Tests {
        /// A build of the plugin: with this repository's header, or with the header of minor 1.
        struct Build: Hashable, CustomTestStringConvertible {
            let header: Int
            let target: Int
            var overwrites = false

            var testDescription: String {
                "header of minor \(header), target \(target)\(overwrites ? ", without BGTASK_HAS" : "")"
            }

            fileprivate func compile(in directory: String) throws -> String {
                let library = "\(directory)/libGrows.so"
                let tests = (#filePath as NSString).deletingLastPathComponent + "/.."
                let include = header == 0 ? "\(tests)/../SDK/Sources/CBackgroundTasks/include" : Minor1.include
                try StandIn.compile(
                    [
                        "-std=c11", "-D_DEFAULT_SOURCE", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
                        "-fvisibility=hidden", "-DBGTASK_TARGET_MINOR=\(target)", "-I", include,
                        "-o", library, "\(tests)/Minor1/Plugins/Grows.c",
                    ] + (overwrites ? ["-DOVERWRITES"] : []) + Minor1.sanitizers,
                    with: Minor1.compiler
                )
                return library
            }
        }

        private static let old = Build(header: 0, target: 0)
        private static let tolerant = Build(header: 1, target: 0)
        private static let new = Build(header: 1, target: 1)
        private static let plugin: PluginIdentifier = "com.example.grows"

        private static let remedy = """
            A plugin that was built for one minor version of the ABI no longer works with a host of another one. \
            Instead, add members at the end of a struct, which its reader takes as zero when the other side does not \
            have them, and keep the sizes in ForeignStruct.MinorZero (BGT-ABI-03). Answer numbers that the host does \
            not know with BGT_TOO_NEW (BGT-ABI-06). Offer an incompatible change as a feature of query (BGT-ABI-19).
            """

        private static func task(_ name: String, _ kind: TaskKind, _ index: Int) -> RunnerPlan.Task {
            PlayedPlan.task("\(plugin).\(name)", kind, index: index, payload: kind == .event ? [1] : [])
        }

        /// The tasks that a host of the minor version gives to the plugin. In the simulated host, health research and
        /// a fetch with a payload have numbers of minor 1.
        private static func tasks(_ build: Build, in minor: Int) -> [RunnerPlan.Task] {
            if build.header < minor { return [task("task", .processing, 0), task("later", .processing, 1)] }
            return [task("task", .processing, 0), task("later", .healthResearch, 1), task("fetch", .event, 2)]
        }

        private static func launch(_ build: Build, in minor: Int) async throws -> PlayedLaunch {
            try await withScratch { directory in
                try await PlayedLaunch.of(
                    try build.compile(in: directory),
                    as: plugin,
                    PlayedPlan(permitted: ["task", "later"], tasks: tasks(build, in: minor)),
                    environment: try Minor1.sanitizedEnvironment(),
                    runner: Minor1.runner(minor)
                )
            }
        }

        @Test(.proves("BGT-ABI-03"), arguments: [0, 1], [old, tolerant, new])
        func `a plugin of each tested minor version uses the functions and fields that its header and host share`(
            minor: Int,
            build: Build
        ) async throws {
            // Refused before a launch; the next test.
            if build.target > minor { return }
            let launch = try await Self.launch(build, in: minor)
            let expected = GrowsLines.expected(header: build.header, host: minor)
            let missing = expected.filter { !launch.lines.contains($0) }
            let unexpected = launch.lines.filter { !expected.contains($0) }
            #expect(
                missing.isEmpty && unexpected.isEmpty,
                """
                \(build.testDescription), host of minor \(minor)
                missing: \(missing)
                unexpected: \(unexpected)
                \(launch.errors.joined(separator: "\n"))
                \(Self.remedy)
                """
            )
            #expect(launch.entered == 0 && launch.end?.termination == .exited(code: 0), "\(launch) \(Self.remedy)")

            let later: (CompletionOutcome, [ABIRule?]) =
                switch (build.header, minor) {
                case (0, _): (.noData, [])
                case (_, 0): (.failure, [.oneCompletion])
                default: (.success, [])
                }
            let outcomes = Self.tasks(build, in: minor).map { launch.completions[$0.id] }
            #expect(outcomes.prefix(2) == [.success, later.0] && outcomes.dropFirst(2).allSatisfy { $0 == .success })
            #expect(launch.violations == later.1)
            // The simulated host appends the request's new field to the payload.
            let fields = launch.submissions.map(\.payload).filter { !$0.isEmpty }
            #expect(fields == (build.header == 1 && minor == 1 ? [[7]] : []))
        }

        @Test(.proves("BGT-ABI-02"))
        func `a plugin that requires a later minor version is refused before its code runs, with the remedy`()
            async throws
        {
            let launch = try await Self.launch(Self.new, in: 0)
            #expect(launch.entered == nil && launch.lines.isEmpty)
            let message = try #require(launch.loadFailure)
            #expect(message.contains("requires ABI 1.1; this version of bgtask offers ABI 1.0"), "\(message)")
            #expect(message.contains("BGTASK_TARGET_MINOR 0"), "\(message)")
        }

        @Test(.proves("BGT-ABI-03"))
        func `a plugin that writes a hook newer than its host without BGTASK_HAS fails in entry as too new`()
            async throws
        {
            let overwriting = Build(header: 1, target: 0, overwrites: true)
            let refused = try await Self.launch(overwriting, in: 0)
            #expect(refused.entered == 108 && refused.violations == [.growingStructs], "\(refused)")
            let accepted = try await Self.launch(overwriting, in: 1)
            #expect(accepted.entered == 0 && accepted.lines.contains("plugin.later"), "\(accepted)")
        }

        @Test(.proves("BGT-ABI-02"), arguments: [(old, false), (tolerant, true)])
        func `a kind and an event of a later minor version are delivered only to plugins whose header has them`(
            build: Build,
            isDelivered: Bool
        ) async throws {
            try await withScratch { directory in
                let binary = try PluginBinary.examine(path: build.compile(in: directory))
                #expect(binary.note.headerMinor == build.header && binary.note.requiredMinor == 0)
                let library = LibraryFile(
                    path: binary.path,
                    digest: "",
                    identity: binary.identity,
                    headerMinor: binary.note.headerMinor
                )
                let minors = ABIMinors(kinds: [.healthResearch: 1], events: [.fetch: 1])
                #expect(minors.delivers(.healthResearch, to: library) == isDelivered)
                #expect(minors.delivers(EventType.fetch, to: library) == isDelivered)
                #expect(minors.delivers(.processing, to: library) && minors.delivers(.started, to: library))
            }
        }
    }
}

/// The lines that `Grows.c` logs.
private enum GrowsLines {
    static func expected(header: Int, host: Int) -> [String] {
        var lines = [
            "host \(host), table \(168 + 8 * host), plugin \(48 + 8 * host)",
            "launch_info 0 1 bgtask kept", "task_info 0 task kept", "submit plain BGT_OK", "refusal 101 1 kept",
            "pending task 1", "pending 0", "never 1 1", "fetch BGT_NOT_PERMITTED",
        ]
        // A host of minor 1 does not deliver the event to this plugin.
        if header == 0 { return host == 0 ? lines + ["event known"] : lines }
        let isNew = host == 1
        lines += [
            "launch_info.later \(isNew ? 1 : 0)", "task_info.later \(isNew ? 2 : 0)",
            "refusal.later \(isNew ? 3 : 0)", "pending.later \(isNew ? 4 : -1)",
            "host.later \(isNew ? "BGT_LATER" : "absent")", "fetch.later \(isNew ? "BGT_LATER" : "absent")",
            "kind \(isNew ? "later" : "known")", "event \(isNew ? "later" : "known")",
            "complete \(isNew ? "BGT_OK" : "BGT_TOO_NEW")",
        ]
        if isNew { lines += ["the host received 8", "the host received 9", "plugin.later"] }
        for field in ["field", "kind", "flag", "protection", "strategy", "resource"] {
            lines.append("submit \(field) \(isNew ? "BGT_OK" : "BGT_TOO_NEW")")
        }
        for (index, name) in names.enumerated() { lines.append("name \(index + 1) \(isNew ? name : "unknown")") }
        return lines
    }

    /// The names of the numbers that only the simulated minor version 1 has, in the order of the vocabularies.
    private static let names = [
        "BGT_LATER", "BGT_REASON_LATER", "BGT_KIND_LATER", "BGT_LANE_LATER", "BGT_ROLE_LATER", "BGT_CAUSE_LATER",
        "BGT_EVENT_LATER", "BGT_OUTCOME_LATER", "BGT_EXPIRED_LATER", "BGT_LOG_LATER", "BGT_NEEDS_LATER",
        "BGT_PROTECTION_LATER", "BGT_STRATEGY_LATER", "BGT_RESOURCE_LATER", "BGT_VOCABULARY_LATER",
    ]
}

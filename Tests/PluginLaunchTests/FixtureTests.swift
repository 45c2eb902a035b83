// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import StatementTraits
import Testing

extension LaunchTests {
    @Suite("Plugins that were compiled for a released ABI run in today's runner")
    struct FixtureTests {
        private static let fixtures = (#filePath as NSString).deletingLastPathComponent + "/../Fixtures"

        private static let remedy = """
            A plugin that is installed in the field no longer works. Correct the host, not the fixture: it is the \
            compiled plugin of a released ABI. New fields, numbers and functions are added at the end (BGT-ABI-03), and \
            an incompatible change is a feature of query (BGT-ABI-19).
            """

        /// Paths of the compiled plugins of every released ABI for this machine, below `fixtures`; empty unless the
        /// machine is x86-64.
        private static let libraries: [String] = {
            #if arch(x86_64)
                let paths = FileManager.default.enumerator(atPath: fixtures)?.compactMap { $0 as? String } ?? []
                return paths.filter { $0.contains("/x86_64/") && $0.hasSuffix(".so") }.sorted()
            #else
                return []
            #endif
        }()

        @Test func `Tests/Fixtures/check accepts the compiled plugins of the released ABIs`() throws {
            let output = FileManager.default.temporaryDirectory.appendingPathComponent("check-\(UUID().uuidString)")
                .path
            defer { try? FileManager.default.removeItem(atPath: output) }
            let status = StandIn.spawn(["\(Self.fixtures)/check"], errors: output)
            #expect(status == 0, "\((try? String(contentsOfFile: output, encoding: .utf8)) ?? "")")
            #if arch(x86_64)
                #expect(Self.libraries.count >= 3)
            #endif
        }

        @Test(.proves("BGT-ABI-03"), arguments: libraries)
        func `a compiled plugin of a released ABI runs in today's runner`(library: String) async throws {
            try await ModelPlugin.check("\(Self.fixtures)/\(library)", remedy: Self.remedy)
        }

        @Test(
            .proves("BGT-ABI-03"),
            .enabled(if: Minor1.directory != nil, "make minor1 builds the runner of the simulated minor version"),
            arguments: libraries
        )
        func `a compiled plugin of a released ABI runs in the runner of the next minor version`(
            library: String
        ) async throws {
            try await ModelPlugin.check(
                "\(Self.fixtures)/\(library)",
                in: Minor1.runner(1),
                remedy: Self.remedy
            )
        }

        @Test
        func `Tests/Fixtures/check compares fixtures with the sources, and after a release with the release's tag`()
            async throws
        {
            try await withScratch { directory in
                let script = """
                    set -e
                    cd "$1"
                    git init --quiet .
                    mkdir --parents SDK/Sources/BackgroundTasks/Types SDK/Sources/CBackgroundTasks/include
                    mkdir --parents Tests/Fixtures/abi-1.0
                    echo header > SDK/Sources/CBackgroundTasks/include/bgtask.h
                    echo module > SDK/Sources/BackgroundTasks/Types/Module.swift
                    cp "$2/check" Tests/Fixtures
                    swift=Tests/Fixtures/abi-1.0/swift
                    mkdir --parents $swift/CBackgroundTasks $swift/BackgroundTasks
                    cp SDK/Sources/CBackgroundTasks/include/bgtask.h $swift/CBackgroundTasks
                    cp --recursive SDK/Sources/BackgroundTasks/Types $swift/BackgroundTasks
                    record() { echo "$1" > Tests/Fixtures/abi-1.0/plugin; (cd Tests/Fixtures/abi-1.0
                        find . -type f ! -name SHA256SUMS | LC_ALL=C sort | xargs sha256sum > SHA256SUMS); }
                    record first
                    git add .
                    git -c user.name=tests -c user.email=tests@example.com commit --quiet --message first
                    record second
                    Tests/Fixtures/check || exit 10
                    echo changed > SDK/Sources/CBackgroundTasks/include/bgtask.h
                    Tests/Fixtures/check 2> refused && exit 20
                    grep --quiet "CBackgroundTasks/bgtask.h differs from SDK/Sources" refused || exit 21
                    grep --quiet "make fixtures" refused || exit 22
                    echo header > SDK/Sources/CBackgroundTasks/include/bgtask.h
                    touch SDK/Sources/BackgroundTasks/New.swift
                    Tests/Fixtures/check 2> refused && exit 23
                    grep --quiet "BackgroundTasks/New.swift differs" refused || exit 24
                    git tag abi-1.0
                    Tests/Fixtures/check 2> refused && exit 11
                    grep --quiet "differs from the tag abi-1.0" refused || exit 12
                    Tests/Fixtures/check renew 2> refused && exit 13
                    grep --quiet "never change" refused || exit 14
                    record first
                    Tests/Fixtures/check || exit 15
                    echo third > Tests/Fixtures/abi-1.0/plugin
                    Tests/Fixtures/check 2> refused && exit 16
                    grep --quiet "differs from its SHA256SUMS" refused || exit 17
                    """
                let status = StandIn.spawn(
                    ["bash", "-c", script, "bash", directory, Self.fixtures],
                    output: "\(directory)/output",
                    errors: "\(directory)/errors"
                )
                #expect(status == 0, "the script ended with \(status >> 8)")
            }
        }

        @Test func `the Swift module of a released ABI compiles, and its plugin runs in today's runner`() async throws {
            try await withScratch { directory in
                let swift = "\(Self.fixtures)/abi-1.0/swift"
                let module =
                    FileManager.default.enumerator(atPath: "\(swift)/BackgroundTasks")?
                    .compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted() ?? []
                let common = [
                    "-swift-version", "6", "-parse-as-library", "-Onone", "-I", "\(swift)/CBackgroundTasks", "-I",
                    directory,
                ]
                let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
                    .flatMap { ["-enable-upcoming-feature", $0] }
                try StandIn.compile(
                    common + features + [
                        "-wmo", "-package-name", "bgtask", "-module-name", "BackgroundTasks", "-static",
                        "-emit-library",
                        "-emit-module", "-emit-module-path", "\(directory)/BackgroundTasks.swiftmodule",
                        "-o", "\(directory)/libBackgroundTasks.a",
                    ] + module.map { "\(swift)/BackgroundTasks/\($0)" },
                    with: "swiftc"
                )
                let library = "\(directory)/libModel.so"
                try StandIn.compile(
                    common + [
                        "-module-name", "Model", "-emit-library", "-o", library, "\(swift)/Model.swift",
                        "\(directory)/libBackgroundTasks.a",
                    ],
                    with: "swiftc"
                )
                try await ModelPlugin.check(library, isSwift: true, remedy: Self.remedy)
                guard Minor1.directory != nil else { return }
                try await ModelPlugin.check(library, in: Minor1.runner(1), isSwift: true, remedy: Self.remedy)
            }
        }
    }
}

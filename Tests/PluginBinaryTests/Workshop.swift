// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import PluginBinary
import TaskModel
import Testing

/// A directory for one test with a C compiler, as a vendor would use it. It is deleted when the closure returns.
struct Workshop {
    let directory: String

    static func with<Result>(_ body: (Workshop) throws -> Result) throws -> Result {
        var template = Array((NSTemporaryDirectory() + "/bgtask-binary-XXXXXX").utf8CString)
        let directory = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { try? FileManager.default.removeItem(atPath: directory) }
        return try body(Workshop(directory: directory))
    }

    func path(_ name: String) -> String { directory + "/" + name }

    /// Compiles `source` with the public header in its include path and returns the path of the output.
    func compile(
        _ source: String,
        to name: String = "libplugin.so",
        _ options: [String] = ["-shared", "-fPIC", "-fvisibility=hidden"]
    ) throws -> String {
        try Data(source.utf8).write(to: URL(filePath: path(name + ".c")))
        let headers = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "SDK/Sources/CBackgroundTasks/include").path
        try ProgramRun.requireSuccess(of: ["cc", "-I", headers] + options + ["-o", path(name), path(name + ".c")])
        return path(name)
    }

    func bytes(of path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    func write(_ bytes: [UInt8], to name: String = "libpatched.so") throws -> String {
        try Data(bytes).write(to: URL(filePath: path(name)))
        return path(name)
    }

    func problem(compiling source: String, to name: String = "libplugin.so") throws -> PluginBinaryProblem.Kind? {
        PluginBinaryTests.problem(in: try compile(source, to: name))
    }

    func problem(inBytes bytes: [UInt8]) throws -> PluginBinaryProblem.Kind? {
        PluginBinaryTests.problem(in: try write(bytes))
    }
}

/// The problem that `PluginBinary` throws; nil when it accepts the library. Also checks that the survey reports the
/// same problem first.
func problem(in path: String) -> PluginBinaryProblem.Kind? {
    let foreseen = BinarySurvey(path: path).problems.first?.kind
    do {
        _ = try PluginBinary.examine(path: path)
        #expect(foreseen == nil, "the survey of \(path)")
        return nil
    } catch {
        #expect(foreseen == error.kind, "the survey of \(path)")
        return error.kind
    }
}

enum Source {
    static let plugin = """
        #include <bgtask.h>
        BGTASK_PLUGIN_ENTRY(host, plugin) { return BGT_OK; }
        """

    /// Assembly code for a note, as a language without the header would emit it.
    static func note(
        major: Int = 1,
        minor: Int = 0,
        header: Int? = nil,
        owner: String = "bgtask",
        type: Int = 1
    ) -> String {
        """
        __asm__(".pushsection .note.bgtask, \\"a\\", %note\\n.balign 4\\n"
                ".long 7, 12, \(type)\\n.ascii \\"\(owner)\\\\0\\\\0\\"\\n"
                ".long \(major), \(minor), \(header ?? minor)\\n.popsection");
        """
    }

    /// Assembly code for a note whose descriptor has these words.
    static func note(words: [Int]) -> String {
        """
        __asm__(".pushsection .note.bgtask, \\"a\\", %note\\n.balign 4\\n.long 7, \(words.count * 4), 1\\n"
                ".ascii \\"bgtask\\\\0\\\\0\\"\\n\(words.map { ".long \($0)\\n" }.joined()).popsection");
        """
    }

    static let entry = "__attribute__((visibility(\"default\"))) int bgtask_plugin_entry(void) { return 0; }\n"
}

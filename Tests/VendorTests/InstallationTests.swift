// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("A plugin builds against an installation of bgtask", .serialized)
struct InstallationTests {
    private static let plugin = """
        #include <bgtask.h>
        BGTASK_PLUGIN_ENTRY(host, plugin) { return BGT_OK; }
        """
    private static let test = """
        #include <bgtask-testing.h>
        int main(void) {
            bgtt_host *host = bgtt_new("com.example.hello");
            const int32_t status = bgtt_enter(host, bgtask_plugin_entry);
            const int defects = status == BGT_OK ? bgtt_end(host) : 1;
            bgtt_free(host);
            return defects;
        }
        """

    private func with(_ body: (DevelopmentFiles, ScratchDirectory) async throws -> Void) async throws {
        try await DevelopmentFiles.with { files, directory in
            try directory.write("\(Self.plugin)\n".utf8, to: "hello.c")
            try directory.write("\(Self.test)\n".utf8, to: "hello_test.c")
            try await body(files, directory)
        }
    }

    @Test func `a plugin and its test build with the flags of pkg-config, which also prints a version`()
        async throws
    {
        try await with { files, directory in
            let build =
                "cc -shared -fPIC $(pkg-config --cflags bgtask) hello.c -o libhello.so"
                + " && cc $(pkg-config --cflags bgtask-testing) hello.c hello_test.c $(pkg-config --libs bgtask-testing)"
                + " -o hello-test && ./hello-test"
            let environment = files.environment
            try await Tool.succeed("sh", ["-c", build], in: directory.path, environment: environment)
            for name in ["bgtask", "bgtask-testing"] {
                let version = try await Tool.succeed(
                    "pkg-config",
                    ["--modversion", name],
                    environment: environment
                )
                #expect(version.output.first?.isNumber == true, "\(version.output)")
            }
        }
    }

    @Test(.enabled(if: Tool.isInstalled("cmake"), "cmake is not installed"))
    func `CMake finds the targets bgtask::bgtask and bgtask::testing`() async throws {
        try await with { files, directory in
            let project = """
                cmake_minimum_required(VERSION 3.13)
                project(hello C)
                find_package(bgtask 0.0 REQUIRED)
                add_library(hello MODULE hello.c)
                target_link_libraries(hello PRIVATE bgtask::bgtask)
                add_executable(hello_test hello.c hello_test.c)
                target_link_libraries(hello_test PRIVATE bgtask::testing)
                enable_testing()
                add_test(NAME hello COMMAND hello_test)
                """
            try directory.write("\(project)\n".utf8, to: "CMakeLists.txt")
            let environment = files.environment
            for arguments in [["-S", ".", "-B", "build"], ["--build", "build"]] {
                try await Tool.succeed("cmake", arguments, in: directory.path, environment: environment)
            }
            try await Tool.succeed("build/hello_test", [], in: directory.path, environment: environment)
        }
    }

    @Test(.enabled(if: Tool.isInstalled("cmake"), "cmake is not installed"))
    func `the CMakeLists.txt of the guide for vendors builds the guide's first plugin, which passes test and check`()
        async throws
    {
        let page = DevelopmentFiles.root.appending(path: "Documentation/Vendors.md")
        let guide = try String(contentsOf: page, encoding: .utf8)
        let project = try #require(guide.firstMatch(of: #/```cmake\n([^`]+)```/#)).1
        let source = try #require(guide.firstMatch(of: #/`colorfeed\.c`:\n\n```c\n([^`]+)```/#)).1
        let manifest = try #require(guide.firstMatch(of: #/`colorfeed\.yaml`:\n\n```yaml\n([^`]+)```/#)).1
        let permission = "bgtt_permit(host, \"com.example.colorfeed.db-cleaning\");\n    const int32_t"
        let test = Self.test.replacing("com.example.hello", with: "com.example.colorfeed")
            .replacing("const int32_t", with: permission)
        try await DevelopmentFiles.with { files, directory in
            try directory.write(project.utf8, to: "CMakeLists.txt")
            try directory.write(source.utf8, to: "colorfeed.c")
            try directory.write("\(test)\n".utf8, to: "colorfeed_test.c")
            try directory.write(manifest.utf8, to: "colorfeed.yaml")
            let (place, environment) = (directory.path, files.environment)
            let command = try BuiltProgram.command.path()
            let steps = [["-B", "build", "-DBGTASK=\(command)"], ["--build", "build"]]
            for arguments in steps {
                try await Tool.succeed("cmake", arguments, in: place, environment: environment)
            }
            let tests = "cd build && ctest --output-on-failure"
            let run = try await Tool.succeed("sh", ["-c", tests], in: place, environment: environment)
            #expect(run.output.contains("100% tests passed") && run.output.contains("out of 2"), "\(run.output)")
        }
    }

    @Test func `make uninstall removes every file that the make targets headers and development have installed`()
        async throws
    {
        try await with { files, _ in
            let arguments = ["-s", "-C", "\(DevelopmentFiles.root.path)/Packaging", "PREFIX=\(files.prefix)"]
            try await Tool.succeed("make", arguments + ["uninstall", "DESTDIR="])
            let left = FileManager.default.enumerator(atPath: files.prefix)?.compactMap { $0 as? String } ?? []
            let isFile = { (path: String) in
                var isDirectory: ObjCBool = false
                return FileManager.default.fileExists(atPath: "\(files.prefix)/\(path)", isDirectory: &isDirectory)
                    && !isDirectory.boolValue
            }
            #expect(left.filter(isFile) == [])
        }
    }
}

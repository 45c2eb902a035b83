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

    @Test func `make uninstall removes every file that make headers development has installed`() async throws {
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

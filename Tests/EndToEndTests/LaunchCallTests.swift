// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import Testing

@Suite("The processes of a launch cannot use the control socket")
struct LaunchCallTests {
    @Test func `a call by a descendant of a runner is refused with 403 and journaled under its plugin`() async throws {
        let plugin = TestPlugin("NeverCompletes", policy: ["grace-period: 200ms"])
        try await Self.withCallingRunner(plugins: [.neighbour, plugin]) { host in
            let submission = try await host.submit(plugin.task())
            let launch = try await host.launch(of: plugin)
            let violation = try await host.waitForJournal("the refused call") {
                $0.launch == launch.number && $0.message.contains("BGT-ABI-18")
            }
            #expect(violation.event == "violation" && violation.blame == "plugin")
            #expect(violation.plugin == plugin.identifier && violation.message.contains("DELETE /v1/tasks/com.example"))
            let answer = try String(contentsOfFile: host.directory.file("answer"), encoding: .utf8)
            #expect(answer.hasPrefix("HTTP/1.1 403") && answer.contains("caller-in-launch"), "\(answer)")
            try await host.expireOnceEntered(plugin.task())
            _ = try await host.outcome(of: submission)
            let cancelled = try await host.journal().filter { $0.event == "cancelled" }
            #expect(cancelled.isEmpty)
        }
    }

    /// Runs a host whose runners have a child process in a session of its own. The child sends a cancellation to the
    /// control socket again and again until it is killed, and writes each answer to the file `answer`.
    private static func withCallingRunner(
        plugins: [TestPlugin],
        _ body: (HostFixture) async throws -> Void
    ) async throws {
        try await ScratchDirectory.with { directory in
            let runner = directory.file("runner")
            // The runner's environment has no variables of the host: the paths are in the file beside the program.
            try await PluginCompiler.program(source, at: runner)
            // An idle runner would have such a child without a launch.
            let setup = HostSetup(["runner": runner, "idle-runners": "0"])
            try await HostFixture.with(setup, plugins: plugins) { host in
                let lines = [try BuiltProgram.runner.path(), host.socket, host.directory.file("answer")]
                try directory.write(lines.joined(separator: "\n").utf8, to: "paths")
                try await body(host)
            }
        }
    }

    private static let source = #"""
        #include <stdio.h>
        #include <string.h>
        #include <sys/socket.h>
        #include <sys/un.h>
        #include <unistd.h>

        static char runner[512], target[512], file[512];

        static void read_paths(void) {
            char own[512] = {0};
            if (readlink("/proc/self/exe", own, sizeof own - 8) < 0) _exit(9);
            strcpy(strrchr(own, '/'), "/paths");
            FILE *paths = fopen(own, "r");
            if (!paths || fscanf(paths, "%511s %511s %511s", runner, target, file) != 3) _exit(9);
            fclose(paths);
        }

        static void call(void) {
            struct sockaddr_un address = {.sun_family = AF_UNIX};
            strncpy(address.sun_path, target, sizeof address.sun_path - 1);
            const int connection = socket(AF_UNIX, SOCK_STREAM, 0);
            const char text[] =
                "DELETE /v1/tasks/com.example.task HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
            if (connect(connection, (struct sockaddr *)&address, sizeof address) == 0 &&
                send(connection, text, sizeof text - 1, MSG_NOSIGNAL) == sizeof text - 1) {
                char answer[4096] = {0}, fresh[520];
                size_t size = 0;
                ssize_t count;
                while (size < sizeof answer - 1 && (count = read(connection, answer + size, sizeof answer - 1 - size)) > 0)
                    size += (size_t)count;
                snprintf(fresh, sizeof fresh, "%s.new", file);
                FILE *output = fopen(fresh, "w");
                if (output) {
                    fwrite(answer, 1, size, output);
                    fclose(output);
                    rename(fresh, file);
                }
            }
            close(connection);
        }

        int main(int count, char **arguments) {
            (void)count;
            read_paths();
            if (fork() == 0) {
                for (int descriptor = 0; descriptor < 64; descriptor++) close(descriptor);
                // A session of its own hides no descendant.
                setsid();
                while (1) {
                    call();
                    usleep(10000);
                }
            }
            execv(runner, arguments);
            return 8;
        }
        """#
}

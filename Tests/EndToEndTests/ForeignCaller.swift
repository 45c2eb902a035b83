// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit

/// A program that calls a host as another user. Only root can run it.
enum ForeignCaller {
    static func program(in host: HostFixture) async throws -> String {
        chmod(host.directory.path, 0o755)
        let program = host.directory.file("caller")
        if !FileManager.default.fileExists(atPath: program) {
            try await PluginCompiler.program(source, at: program)
        }
        return program
    }

    /// The first arguments of the program: the socket of the host, the user, and the groups of the user, the primary
    /// one first.
    static func arguments(of host: HostFixture, _ user: UInt32, _ groups: [UInt32]) -> [String] {
        [host.socket, "\(user)", groups.map { "\($0)" }.joined(separator: ",")]
    }

    /// Source of a program with the arguments SOCKET USER GROUP,... MODE ... It becomes USER in the groups, and then:
    ///
    /// - `print METHOD PATH`: prints the answer to the call.
    /// - `status METHOD PATH ...`: prints the status of the answer to each call.
    /// - `hold COUNT TEXT`: opens COUNT connections, sends TEXT on each, prints `held` and waits until it is killed.
    private static let source = #"""
        #include <errno.h>
        #include <grp.h>
        #include <signal.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/socket.h>
        #include <sys/un.h>
        #include <unistd.h>

        static const char *path;

        static int connected(void) {
            struct sockaddr_un address = {.sun_family = AF_UNIX};
            strncpy(address.sun_path, path, sizeof address.sun_path - 1);
            const int connection = socket(AF_UNIX, SOCK_STREAM, 0);
            if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) {
                printf("connect: %s\n", strerror(errno));
                exit(0);
            }
            return connection;
        }

        static void call(const char *method, const char *target, int prints_status) {
            const int connection = connected();
            char text[4096];
            const int size = snprintf(text, sizeof text,
                "%s %s HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n", method, target);
            if (write(connection, text, (size_t)size) != size) exit(3);
            char answer[4096];
            ssize_t length;
            int is_first = 1;
            while ((length = read(connection, answer, sizeof answer - 1)) > 0) {
                answer[length] = 0;
                if (!prints_status) fwrite(answer, 1, (size_t)length, stdout);
                else if (is_first) printf("%d\n", atoi(answer + strlen("HTTP/1.1 ")));
                is_first = 0;
            }
            close(connection);
        }

        int main(int count, char **arguments) {
            if (count < 7) return 2;
            signal(SIGPIPE, SIG_IGN);
            path = arguments[1];
            gid_t groups[16];
            int number = 0;
            for (char *next = strtok(arguments[3], ","); next && number < 16; next = strtok(NULL, ",")) {
                groups[number++] = (gid_t)atoi(next);
            }
            if (number == 0 || setgroups((size_t)number - 1, groups + 1) != 0 || setgid(groups[0]) != 0 ||
                setuid((uid_t)atoi(arguments[2])) != 0) {
                return 2;
            }
            if (strcmp(arguments[4], "hold") == 0) {
                for (int held = atoi(arguments[5]); held > 0; held--) {
                    const int connection = connected();
                    // The host may close a connection beyond its limits at once.
                    if (write(connection, arguments[6], strlen(arguments[6])) < 0 && errno != EPIPE) return 3;
                }
                puts("held");
                fflush(stdout);
                pause();
            }
            for (int index = 5; index + 1 < count; index += 2) {
                call(arguments[index], arguments[index + 1], strcmp(arguments[4], "status") == 0);
            }
            return 0;
        }
        """#
}

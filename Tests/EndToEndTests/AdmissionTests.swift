// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("The control socket admits its own user, root and one group", .enabled(if: getuid() == 0))
struct AdmissionTests {
    /// User and group of accounts that exist on every Debian installation. They own no files that matter.
    private static let (nobody, nogroup): (UInt32, UInt32) = (65_534, 65_534)
    private static let (daemon, daemonGroup): (UInt32, UInt32) = (1, 1)

    @Test func `another user's connection to the control socket fails with permission denied`() async throws {
        try await HostFixture.with { host in
            let answer = try await host.ask(asUser: Self.nobody, group: Self.nogroup)
            #expect(answer == "connect: Permission denied\n")
            #expect(try await host.ask(asUser: 0, group: 0).hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test
    func `a process with the socket group as a supplementary group is admitted, even if its user has no account`()
        async throws
    {
        try await HostFixture.with(HostSetup(["socket-group": "nogroup"])) { host in
            // The user database has no account with this number.
            let member = try await host.ask(asUser: 54_321, group: 54_321, others: [Self.daemonGroup, Self.nogroup])
            #expect(member.hasPrefix("HTTP/1.1 200"))
            let other = try await host.ask(asUser: 54_321, group: 54_321, others: [Self.daemonGroup])
            #expect(other == "connect: Permission denied\n")
            chmod(host.socket, 0o666)
            let past = try await host.ask(asUser: 54_321, group: 54_321, others: [Self.daemonGroup])
            #expect(past.hasPrefix("HTTP/1.1 403") && past.contains("socket group"))
        }
    }

    @Test func `the socket group is admitted, and an account outside it gets permission denied`() async throws {
        try await HostFixture.with(HostSetup(["socket-group": "nogroup"])) { host in
            #expect(try await host.ask(asUser: Self.nobody, group: Self.nogroup).hasPrefix("HTTP/1.1 200"))
            let other = try await host.ask(asUser: Self.daemon, group: Self.daemonGroup)
            #expect(other == "connect: Permission denied\n")
        }
    }

    @Test
    func `a user who gets past the socket's permissions, but is not admitted, gets a 403 with the user id`()
        async throws
    {
        try await HostFixture.with { host in
            chmod(host.socket, 0o666)
            let answer = try await host.ask(asUser: Self.nobody, group: Self.nogroup)
            #expect(answer.hasPrefix("HTTP/1.1 403"))
            #expect(answer.contains("not-admitted") && answer.contains("\(Self.nobody)"))
            #expect(try await host.ask(asUser: 0, group: 0).hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func `the state directory, the ledger and the containers are accessible to the host's user only`()
        async throws
    {
        try await HostFixture.with { host in
            try await host.runNeighbour()
            for path in ["state", "state/ledger.sqlite", "state/containers/\(TestPlugin.neighbour.identifier)"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: host.directory.file(path))
                let permissions = try #require(attributes[.posixPermissions] as? Int)
                #expect(permissions & 0o077 == 0, "\(path)")
            }
        }
    }
}

extension HostFixture {
    /// The host's response to a status call by a program that runs as another user; the error of `connect` if the call
    /// failed.
    fileprivate func ask(asUser user: UInt32, group: UInt32, others: [UInt32] = []) async throws -> String {
        chmod(directory.path, 0o755)
        let program = directory.file("asker")
        if !FileManager.default.fileExists(atPath: program) { try await PluginCompiler.program(asker, at: program) }
        let run = try await ProgramRun.of(program, [socket, "\(user)", "\(group)"] + others.map { "\($0)" })
        return run.output + run.error
    }
}

/// Source of a program that becomes user USER in the groups GROUP and OTHERS, and then calls the host at SOCKET.
private let asker = """
    #include <errno.h>
    #include <grp.h>
    #include <stdio.h>
    #include <stdlib.h>
    #include <string.h>
    #include <sys/socket.h>
    #include <sys/un.h>
    #include <unistd.h>

    int main(int count, char **arguments) {
        gid_t others[8];
        const int most = 8;
        int member = 0;
        for (int index = 4; index < count && member < most; index++) {
            others[member++] = (gid_t)atoi(arguments[index]);
        }
        if (count < 4 || setgroups((size_t)member, others) != 0 || setgid((gid_t)atoi(arguments[3])) != 0 ||
            setuid((uid_t)atoi(arguments[2])) != 0) {
            return 2;
        }
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        strncpy(address.sun_path, arguments[1], sizeof address.sun_path - 1);
        const int connection = socket(AF_UNIX, SOCK_STREAM, 0);
        if (connect(connection, (struct sockaddr *)&address, sizeof address) != 0) {
            printf("connect: %s\\n", strerror(errno));
            return 0;
        }
        const char request[] = "GET /v1/host HTTP/1.1\\r\\nhost: localhost\\r\\nconnection: close\\r\\n\\r\\n";
        if (write(connection, request, sizeof request - 1) < 0) {
            return 3;
        }
        char answer[4096];
        ssize_t length;
        while ((length = read(connection, answer, sizeof answer)) > 0) {
            fwrite(answer, 1, (size_t)length, stdout);
        }
        return 0;
    }
    """

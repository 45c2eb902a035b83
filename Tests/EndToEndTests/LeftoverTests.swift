// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("The host fixture reports every leftover of a launch at the end of a test")
struct LeftoverTests {
    @Test(arguments: ["state/stray", "state/containers/com.example.nobody", "tmp/scratch"])
    func `the host fixture reports a stray file in the state, container or temporary directory`(_ file: String)
        async throws
    {
        let failure = try await failure { host in try host.directory.write([1], to: file) }
        #expect(failure.contains("files are left that no host owns") && failure.contains("/\(file)\""), "\(failure)")
    }

    @Test(arguments: [
        ("stray", 0o600), ("com.example.neighbour/1.txt", 0o600), ("com.example.neighbour/1.log", 0o640),
    ])
    func `the host fixture reports a file in the directory of logs that is no log or that other users can read`(
        _ name: String,
        _ mode: Int
    ) async throws {
        let failure = try await failure { host in
            try await host.runNeighbour()
            try host.directory.makeDirectory("state/logs/com.example.neighbour")
            for directory in ["state/logs", "state/logs/com.example.neighbour"] {
                #expect(chmod(host.directory.file(directory), 0o700) == 0)
            }
            #expect(chmod(try host.directory.write([1], to: "state/logs/\(name)"), mode_t(mode)) == 0)
        }
        #expect(failure.contains("files are left that no host owns") && failure.contains("/state/logs/\(name)\"]"))
    }

    @Test func `the host fixture reports a control socket without a host`() async throws {
        let failure = try await failure { host in
            try await host.stop()
            try host.directory.write([], to: "control.sock")
        }
        #expect(failure.contains("/control.sock\""), "\(failure)")
    }

    @Test(.enabled(if: HostFixture.canMakeControlGroups))
    func `the host fixture reports a launch's control group that is left while the host runs`() async throws {
        let failure = try await failure { host in
            try await host.runNeighbour()
            let parent = try #require(host.controlGroups().first)
            #expect(mkdir(parent + "/launch-99", 0o755) == 0)
        }
        #expect(failure.contains("control groups of launches are left") && failure.contains("/launch-99"), "\(failure)")
    }

    @Test(.enabled(if: HostFixture.canMakeControlGroups))
    func `the host fixture reports a control group that is left after the host has ended`() async throws {
        let (stray, held) = (Tape<String>(), Tape<Int32>())
        let failure = try await failure { host in
            let parent = try #require(host.controlGroups().first)
            stray.append((parent as NSString).deletingLastPathComponent + "/bgtask-\(host.pid)-stray")
            #expect(mkdir(stray.elements[0], 0o755) == 0)
            // Held open with a lock: the host of another test would take it for the group of a dead host.
            let directory = open(stray.elements[0], O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            #expect(flock(directory, LOCK_EX) == 0)
            held.append(directory)
        }
        for directory in held.elements { close(directory) }
        #expect(rmdir(stray.elements[0]) == 0)
        #expect(failure.contains("control groups are left after the host's end") && failure.contains("-stray"))
    }

    @Test(arguments: ["flock", "record", "open file"], [true, false])
    func `the host fixture reports another process's lock in a container, before and after the host's end`(
        _ kind: String,
        _ goesOn: Bool
    ) async throws {
        try await ScratchDirectory.with { directory in
            let locker = directory.file("locker")
            try await PluginCompiler.program(lockerSource, at: locker)
            let holder = Tape<ChildProcess>()
            let failure = try await failure { host in
                try await host.runNeighbour()
                let file = host.stateDirectory + "/containers/\(TestPlugin.neighbour.identifier)/ran.txt"
                let process = try await ChildProcess.start(locker, [kind, file])
                holder.append(process)
                try await process.outputLine("the lock") { $0 == "locked" }
                if !goesOn { try await host.stop() }
            }
            let process = holder.elements[0]
            process.signal(SIGKILL)
            #expect(failure.contains("locks are left") && failure.contains("/ran.txt by process"), "\(failure)")
            #expect(failure.contains("by process \(kind == "open file" ? -1 : process.pid)"), "\(failure)")
        }
    }

    @Test func `the host fixture reports a process that carries the process mark of a launch of its host`() async throws
    {
        let sleeper = Tape<ChildProcess>()
        let failure = try await failure { host in
            let mark = ["BGTASK_RUNNER": "1-\(host.pid)-1"]
            sleeper.append(try await ChildProcess.start("/bin/sleep", ["3600"], environment: mark))
        }
        let pid = sleeper.elements[0].pid
        sleeper.elements[0].signal(SIGKILL)
        #expect(failure.contains("processes of launches are left after the host's end: [\(pid)]"), "\(failure)")
    }

    @Test func `the host fixture reports a killed host without a successor`() async throws {
        let failure = try await failure { host in
            host.kill9()
            _ = try await host.process?.ending()
        }
        #expect(failure.contains("the last host was killed; start another one"), "\(failure)")
    }

    /// The first line of the failure of a test that deliberately leaves a trace behind.
    private func failure(after body: (HostFixture) async throws -> Void) async throws -> String {
        let error = await #expect(throws: HostFailure.self) {
            try await HostFixture.with { host in try await body(host) }
        }
        return try #require(error).description.split(separator: "\n").first.map(String.init) ?? ""
    }
}

/// Source of a program that locks FILE with the kind of lock KIND, prints "locked" or "not locked", and keeps the lock
/// until it ends.
private let lockerSource = """
    #define _GNU_SOURCE
    #include <fcntl.h>
    #include <stdio.h>
    #include <string.h>
    #include <sys/file.h>
    #include <unistd.h>

    int main(int count, char **arguments) {
        const int file = count > 2 ? open(arguments[2], O_RDWR) : -1;
        struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        int status;
        if (strcmp(arguments[1], "flock") == 0) {
            status = flock(file, LOCK_EX | LOCK_NB);
        } else {
            status = fcntl(file, strcmp(arguments[1], "record") == 0 ? F_SETLK : F_OFD_SETLK, &whole);
        }
        puts(status == 0 ? "locked" : "not locked");
        fflush(stdout);
        for (;;) {
            pause();
        }
    }
    """

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LinuxSystem
import TaskModel
import Testing

@testable import PluginLaunch

extension LaunchTests {
    @Suite("A control group is emptied regardless of its processes")
    struct GroupKillTests {
        /// Whether this machine permits tests to create control groups.
        static var canMakeGroups: Bool {
            guard let parent = try? ControlGroupParent(.detected, logger: silentLogger) else { return false }
            parent.remove()
            return true
        }

        @Test(.enabled(if: canMakeGroups))
        func `without cgroup.kill the processes of a control group are killed one by one, even while they fork`()
            async throws
        {
            let parent = try #require(try ControlGroupParent(.detected, logger: silentLogger))
            defer { parent.remove() }
            let group = try parent.makeGroup(named: "relay")
            let inner = try ControlGroup(creating: group.path + "/inner")
            // Each process is replaced by its child before it can be found; the first process stays outside the group.
            let main = """
                char *groups[] = {getenv("GROUP"), getenv("INNER")};
                for (int i = 0; i < 10; i++) {
                    if (fork() == 0) {
                        char path[4096];
                        snprintf(path, sizeof path, "%s/cgroup.procs", groups[i % 2]);
                        int procs = open(path, O_WRONLY);
                        if (write(procs, "0", 1) != 1) _exit(1);
                        close(procs);
                        for (;;) if (usleep(200) == 0 && fork() > 0) _exit(0);
                    }
                }
                for (int i = 0; i < 10; i++) wait(NULL);
                puts("running 1");
                fflush(stdout);
                forever();
                """
            let environment = RunnerEnvironment([
                .init(name: "GROUP", value: group.path), .init(name: "INNER", value: inner.path),
            ])
            try await LaunchFixture.with(environment: environment, runner: main) { fixture in
                fixture.launcher.take(for: 1)
                _ = await fixture.events.number(after: "running", from: 1)
                let events = try #require(group.openEvents())
                #expect(group.isOccupied(in: events))
                group.killEach()
                while group.isOccupied(in: events) {
                    var change = pollfd(fd: events.number, events: Int16(POLLPRI), revents: 0)
                    poll(&change, 1, -1)
                }
                #expect(group.remove() == .removed)
                #expect(fixture.events.ends(1).isEmpty)
                fixture.launcher.kill(1)
                await fixture.events.end(1)
            }
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import TaskModel
import TerminalText
import Testing

@testable import Commands

@Suite("Tables and texts of the commands keep their layout")
struct RenderingTests {
    private let reader = Reader(now: Samples.now, timeZone: .gmt)

    @Test func `table columns are as wide as their widest cell, without blanks at the end of a line`() {
        var table = Table("A", "LONG", "C")
        table.add("1", "2", "3")
        table.add("wide", "", "")
        #expect(table.text == "A     LONG  C\n1     2     3\nwide  -     -\n")
    }

    @Test func `control characters in tables are printed as escapes`() {
        #expect("a\nb\tc\u{1b}[31m\u{202e}ü".terminalSafe == "a\\nb\\tc\\u{1B}[31m\\u{202E}ü")
        var table = Table("A")
        table.add("x\ny")
        #expect(table.text == "A\nx\\ny\n")
    }

    @Test func `stats prints a row for each plugin and kind, then the disk use and the limit`() throws {
        let text = try Samples.stats().text(for: reader)
        let lines = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
        #expect(
            lines == [
                "PLUGIN KIND LAUNCHES SUCCESS FAILED INTERRUPTED DELAY P50 DELAY P95 RUN P50 RUN P95 BUDGET P50 BUDGET P95",
                "com.example.feed refresh 2 66 % 1 1 2s 1min 1s 1.2s 1.2s 4 % 4 %",
                "since 2026-01-24 01:48:00 (7d ago)",
                "ledger 1024 KiB",
                "free disk 13 GiB",
                "containers com.example.feed: 40 KiB",
                "com.example.large: too many files to count",
                "there are more launches than the limit; only the newest are counted",
            ],
            "\(text)"
        )
    }

    @Test func `host status prints the host's directories, settings and counts, and the source of each condition`() {
        #expect(
            Samples.host().text(for: reader) == """
                version         0.1.0
                features        bgtask.legacy-fetch/1
                                bgtask.cursor/1
                                bgtask.push/1
                                bgtask.transfer/1
                                bgtask.notification/1
                                manifest.library-per-architecture
                                manifest.extension-point
                process         7, user bgtask
                started         2026-01-31 00:48:00 (1h ago)
                boot            b00t
                time zone       Europe/Berlin
                socket          /run/bgtask/control.sock
                socket groups   read adm, operate operators
                state           /var/lib/bgtask
                ledger          writable
                manifests       /etc/bgtask/manifests
                                /usr/share/bgtask/manifests
                plugins         /usr/lib/bgtask/plugins
                configuration   /etc/bgtask/bgtaskd.yaml
                not installed   com.example.gone: named in the configuration; its manifest is missing or refused
                external power  no (simulated)
                network         yes (configuration)
                idle            yes (sensor /proc/stat: 2 % used by others)
                high load       no (sensor /proc/stat: 2 % used by others)
                low memory      unknown (not measured: no /proc/pressure/memory)
                hot             unknown (not sampled: no work waits for it)
                battery low     unknown (not measured: no battery)
                power saver     unknown (not sampled: no work waits for it)
                metered         unknown (not sampled: no work waits for it)
                gpu             no (sensor /dev: none)
                sensors         heat-margin 5, idle-after 30s, idle-percent 10, sample-interval 5s
                catalogue       2 installed, 1 refused
                work            3 pending, 1 event waiting, 1 launch running
                pending limits  refresh 1, processing 10
                launch limits   background 1 of 4 (1 stopping)
                idle runners    1 of 2
                budgets         refresh 30s, processing 10min
                grace period    5s
                spacing         1s
                batch size      100
                idle timeout    10s
                retry           a task after 10s, doubling, at most 3 attempts; a failed runner or commit after 1s
                retention       removed plugins' requests 30d, journal and ended launches 90d, 256MiB of journal; each deletion waits 10min, in case the clock is wrong
                logs            1MiB per launch, 16MiB per plugin, 512MiB in all, kept for 14d
                policies        stagger 1min, spacing of plugins' own refresh requests 15min, spacing of pushes 20min, spacing after overruns 30s, doubling to 1h, use is learned, day budget 4h, maximum deferral 2d, maximum capacity wait 5min; off: load
                isolation       required: files, network
                                network: seccomp, Landlock 7
                                memory: not enforced: control groups are disabled (cgroup: none)
                plugin users    600000-665535, one per plugin
                each launch     memory 256MiB, processes 512, file size 1GiB, disk reserve 1GiB, background nice 10
                grant limits    com.example.*: network false
                provenance      unsigned allow, unpinned warn, packages trust
                                signers /etc/bgtask/allowed_signers
                continued       expired after 30s without progress; under memory pressure one task is expired every 10s
                refresh         on, legacy fetch of each plugin at most every 15min

                """
        )
    }

    @Test func `plugin list and task list end with a note while the host is still loading`() throws {
        let plugins = PluginListReply(plugins: [], refused: [], isPartial: true).text(for: reader)
        let tasks = TaskListReply(pending: [], running: [], events: [], isPartial: true).text(for: reader)
        for text in [plugins, tasks] {
            #expect(text.hasPrefix("the host is still loading: ") && text.hasSuffix("missing here\n"))
        }
        #expect(!(try Samples.taskList().text(for: reader)).contains("loading"))
    }

    @Test func `plugin show counts the events that its list leaves out`() throws {
        let reply = try Samples.pluginShow(events: 4)
        #expect(reply.text(for: reader).contains("waits for nothing\n                and 3 more events\n"))
    }

    @Test func `plugin list prints refused manifests with file, line and cause`() throws {
        #expect(
            try Samples.pluginList().text(for: reader) == """
                PLUGIN            VERSION  ROLE  MODES             TASKS  PENDING  EVENTS  RUNNING  STATE
                com.example.feed  1.4.0    main  fetch,processing  2      2        1       1        running

                1 manifest refused:
                /etc/bgtask/manifests/broken.yaml:4:3: error: role: "mian" is not a role
                /etc/bgtask/manifests/broken.yaml: error: library is missing

                """
        )
    }

    @Test func `plugin show prints the limits, budgets and counts of a plugin`() throws {
        #expect(
            try Samples.pluginShow().text(for: reader) == """
                plugin          com.example.feed
                name            Feed 1.4.0
                role            main
                state           running
                waits for       spacing: the spacing since the plugin's last background launch is not over; until 2026-01-31 01:48:02 (in 2s)
                modes           fetch, processing
                permitted       com.example.feed.refresh
                                com.example.feed.export.*
                extensions      com.example.feed.keyboard
                manifest        /etc/bgtask/manifests/feed.yaml
                                sha256 cd34
                requires        bgtask.legacy-fetch/1
                library         /opt/libFeed.so
                                sha256 ab12
                libraries for   aarch64, x86_64
                provenance      signed by ssh-ed25519 SHA256:abc, which signs for com.example.*; the library is pinned
                                file libhelper.so, sha256 ef56
                handlers        com.example.feed.refresh is int32_t feed_read(const char *, char *, size_t, int32_t *); called \
                with setting: feed-url, out-string: 64, cancel-flag; success-when-zero
                grants          network
                                write /srv/photos: only /srv/photos/new, because grant-limits.*.write is /srv/photos/new
                enforced by     network: seccomp, Landlock 7
                                memory: not enforced: control groups are disabled (cgroup: none)
                launch limits   memory unlimited, processes unlimited, file size unlimited
                settings        feed-url = https://example.com/feed.xml
                secrets         token from file /etc/bgtask/feed-token
                work            2 pending, 1 running
                events          13 started, now, waits for nothing
                pending limits  refresh 1 of 1, processing 3 of 10
                budgets         refresh 30s
                grace period    5s
                spacing         1s
                batch size      100
                day budget      4h
                background      on
                entitlements    gpu
                schedules       com.example.feed.refresh (refresh) every 6h, next 2026-01-31 02:48:00 (in 1h)
                retry           a task after 10s, doubling, at most 3 attempts; a failed runner or commit after 1s
                failed tasks    com.example.feed.refresh: 5 attempts; 1min after the first failure, doubled after each further \
                one; jitter 10 %; the manifest proposes 3 attempts; 1min after the first failure, doubled after each further one; \
                jitter 10 %
                retention       requests are kept for 30d after a removal or refusal
                last launch     41, 2026-01-31 01:48:00 (now), completed: 2 tasks
                notes           /etc/bgtask/manifests/feed.yaml:9: note: modes: audio has no effect

                """
        )
    }

    @Test func `task list prints running, pending and event tasks with their reasons for waiting`() throws {
        #expect(
            try Samples.taskList().text(for: reader) == """
                RUNNING                      KIND       SUBMISSION  LAUNCH  USED   BUDGET  PROGRESS  TITLE
                com.example.feed.refresh     refresh    12          41      22.4s  30s     -         -
                com.example.feed.export.one  continued  14          42      1min   none    3 of 8    Exporting: holidays

                PENDING                   KIND     SUBMISSION  EARLIEST  NEEDS    FAILED  WAITS FOR
                com.example.feed.refresh  refresh  12          in 12min  network  3x      earliest-begin in 12min

                EVENT                     SUBMISSION  CREATED  FAILED  WAITS FOR
                com.example.feed started  13          now      -       nothing

                """
        )
        #expect(TaskListReply(pending: [], running: [], events: []).text(for: reader).isEmpty)
    }

    @Test func `launch list prints tasks, worst outcome, budget and used time of each launch`() throws {
        let list = LaunchListReply(launches: [try Samples.launch(), try Samples.launch(end: Samples.launchEnd)])
        #expect(
            list.text(for: reader) == """
                LAUNCH  PLUGIN            LANE        CAUSE  TASKS                     WORST      BUDGET  USED   STARTED              OUTCOME
                41      com.example.feed  background  due    com.example.feed.refresh  succeeded  30s     2s     2026-01-31 01:48:00  running
                41      com.example.feed  background  due    com.example.feed.refresh  succeeded  30s     22.4s  2026-01-31 01:48:00  completed

                """
        )
    }

    @Test func `launch list and launch show mark a launch whose tasks have ended as stopping`() throws {
        let launch = try Samples.launch(isStopping: true)
        #expect(LaunchListReply(launches: [launch]).text(for: reader).contains("2026-01-31 01:48:00  stopping\n"))
        let text = launch.text(for: reader)
        #expect(text.contains("\noutcome   stopping\n          every task has ended, the process has not\n"))
        #expect(try !Samples.launch(isStopping: false).text(for: reader).contains("stopping"))
    }

    @Test func `the unknown used time of a lost launch is printed as a dash in launch list and launch show`() throws {
        let end = LaunchEnd(outcome: .lost, at: Samples.now, used: nil, blame: .machine, message: "the host went down")
        let launch = try Samples.launch(end: end)
        #expect(LaunchListReply(launches: [launch]).text(for: reader).contains("  30s     -     2026"))
        #expect(launch.text(for: reader).contains("budget    - of 30s used, grace period 5s\n"))
    }

    @Test func `launch show prints times, budget use and outcome of an ended launch, and the outcomes of its tasks`()
        throws
    {
        #expect(
            try Samples.launch(end: Samples.launchEnd).text(for: reader) == """
                launch    41
                plugin    com.example.feed
                lane      background
                cause     due
                process   4711
                manifest  sha256 cd34
                started   2026-01-31 01:48:00 (now)
                ended     2026-01-31 01:48:22 (in 22s)
                budget    22.4s of 30s used, grace period 5s
                outcome   completed
                          all tasks completed

                TASK                      KIND     SUBMISSION  OUTCOME    BLAME  ENDED                MESSAGE
                com.example.feed.refresh  refresh  12          succeeded  -      2026-01-31 01:48:02  -

                """
        )
    }

    @Test func `launch show names the assertions that keep the launch open`() throws {
        let text = try Samples.launch(assertions: ["flush", "up\u{7}load"]).text(for: reader)
        #expect(text.contains("\nheld open  by assertion \"flush\"\n           by assertion \"up\\u{07}load\"\n"))
    }

    @Test func `the journal is printed as a table with one row per entry`() throws {
        let reply = JournalReply(
            entries: [try Samples.journalLine(), try Samples.journalLine(6, message: "x\u{7}")],
            last: 6
        )
        #expect(
            reply.text(for: reader) == """
                TIME      EVENT      LAUNCH  SUBJECT                   BLAME  MESSAGE
                01:48:00  succeeded  41      com.example.feed.refresh  -      pruned 12 rows
                01:48:00  succeeded  41      com.example.feed.refresh  -      x\\u{07}

                """
        )
    }

    @Test func `the journal names the host as the subject of an entry without a plugin`() throws {
        let user = CallingUser(uid: 1_000, pid: 4_711, command: "bgtask")
        let entry = JournalEntry(
            at: Samples.now,
            event: .simulationEnded,
            plugin: nil,
            blame: .nobody,
            message: "changed: idle real",
            user: user
        )
        #expect(
            JournalReply(entries: [JournalLine(number: 5, entry)], last: 5).text(for: reader) == """
                TIME      EVENT             LAUNCH  SUBJECT  BLAME  MESSAGE
                01:48:00  simulation-ended  -       host     -      changed: idle real; called by user 1000, process 4711 (bgtask)

                """
        )
    }
}

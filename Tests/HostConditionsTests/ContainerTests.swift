// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import StatementTraits
import TaskModel
import Testing

@testable import HostConditions

@Suite(
    "A container is locked while its file system is not mounted or its key is missing",
    .serialized,
    .timeLimit(.minutes(10))
)
struct ContainerTests {
    private let tree: FileTree
    private let sensor: ContainerSensor
    private let study: PluginIdentifier

    init() throws {
        tree = try FileTree()
        try tree.write("proc/self/mountinfo", "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n")
        sensor = ContainerSensor(tree.roots, ConditionThresholds())
        study = try #require(PluginIdentifier("com.example.study"))
    }

    private var containers: String { tree.path + "/containers" }
    private var container: String { containers + "/com.example.study" }

    private func reading(at now: MonotonicTime = .seconds(1)) -> ConditionReading? {
        sensor.watch(WatchedContainers(directory: containers + "/", plugins: [study]), at: now)
        sensor.sample(at: now)
        var readings = Readings()
        sensor.write(to: &readings)
        return readings.containers[study]
    }

    private func mount(_ point: String, type: String = "ext4") throws {
        try tree.write(
            "proc/self/mountinfo",
            "22 1 254:0 / / rw - ext4 /dev/vda rw\n40 22 0:30 / \(point) rw shared:1 master:2 - \(type) /dev/mapper/x rw\n"
        )
    }

    @Test func `a plugin's container without a mount is not locked, whether or not its directory exists yet`() throws {
        try tree.directory("containers")
        #expect(reading() == .measured(false, from: container, detail: "the container does not exist yet"))
        try tree.directory("containers/com.example.study")
        #expect(reading() == .measured(false, from: container, detail: "the container is not locked"))
        #expect(sensor.nextSample == nil, "the kernel reports mounts")
    }

    @Test(.proves(70), arguments: ["", "/com.example.study", "/com.example.study/"])
    func `a container at or below an fstab mount point in the container directory is locked until the mount`(
        _ below: String
    ) throws {
        try tree.directory("containers/com.example.study")
        try tree.write(
            "etc/fstab",
            "# comment\n\nUUID=1 / ext4 defaults 0 1\n/dev/mapper/x\t\(containers)\(below)\text4\tnoauto 0 0\n"
        )
        #expect(reading()?.holds == true)
        #expect(reading()?.detail?.hasSuffix(" is not mounted, although \(tree.path)/etc/fstab configures it") == true)
        try mount(MountTable.normalized(containers + below))
        #expect(reading()?.holds == false)
    }

    @Test func `a missing mount of another container, or above the container directory, does not lock a container`()
        throws
    {
        try tree.directory("containers/com.example.study")
        try tree.write(
            "etc/fstab",
            """
            a \(containers)/com.example.other ext4 defaults 0 0
            b \(containers)/com.example.study2 ext4 defaults 0 0
            c \(tree.path) ext4 defaults 0 0
            d none swap sw 0 0
            e
            """
        )
        #expect(reading()?.holds == false)
    }

    @Test(.proves(70))
    func `systemd mount units lock containers as fstab does, and the first unit directory overrides later ones`()
        throws
    {
        try tree.directory("containers/com.example.study")
        try tree.write("lib/units/x.mount", "[Unit]\nDescription=x\n[Mount]\nWhat=/dev/x\nWhere=\(containers)\n")
        #expect(reading()?.holds == true)
        try tree.write("etc/units/x.mount", "")
        #expect(reading()?.holds == false)
        try tree.write("etc/units/x.mount", "[Mount]\nWhere=\(container)\n")
        let unit = "\(tree.path)/etc/units/x.mount"
        #expect(reading()?.detail == "\(container) is not mounted, although \(unit) configures it")
    }

    @Test func `a container at an automount point counts as unlocked`() throws {
        try tree.directory("containers/com.example.study")
        try tree.write("etc/fstab", "x \(container) ext4 noauto,x-systemd.automount 0 0\n")
        try mount(container, type: "autofs")
        let detail = "\(container) is an automount point, which is mounted at the first access"
        #expect(reading() == .measured(false, from: container, detail: detail))
    }

    @Test func `a container that is not a directory counts as locked and is sampled again`() throws {
        try tree.write("containers/com.example.study", "a file")
        #expect(reading() == .measured(true, from: container, detail: "cannot open \(container): Not a directory"))
        #expect(sensor.nextSample == .seconds(6))
    }

    @Test func `without a mount table the lock of a container is reported as missing`() throws {
        try tree.remove("proc")
        #expect(reading()?.isMissing == true)
    }

    @Test func `the locks of unwatched containers are not sampled`() throws {
        _ = reading()
        sensor.watch(.none, at: .seconds(2))
        var readings = Readings()
        sensor.write(to: &readings)
        #expect(readings.containers.isEmpty && sensor.awaited == nil && sensor.nextSample == nil)
    }

    @Test func `escaped and malformed entries of mount tables are parsed without a crash`() {
        #expect(MountTable.unescaped("/a\\040b\\134") == "/a b\\")
        #expect(MountTable.unescaped("/a\\04") == "/a\\04")
        #expect(MountTable.unescaped("/a\\999\\") == "/a\\999\\")
        #expect(MountTable.points(inTable: "x /a\\040b ext4\n/only\n\n x y z \n# /c /d ext4") == ["/a b"])
        #expect(
            MountTable.mounted(inInfo: "1 2 3 / /a rw -\n1 2 3 / /b rw - \n- - -\n1 2 3 / /c rw a b - tmpfs t") == [
                "/c": "tmpfs"
            ]
        )
        #expect(MountTable.point(inUnit: "Where=\n") == "")
    }

    @Test(.enabled(if: Machine.canMount, "mounting takes root"))
    func `mounting and unmounting a container's file system changes the container's reported lock`() async throws {
        try tree.directory("containers/com.example.study")
        try tree.write("etc/fstab", "tmpfs \(container) tmpfs noauto 0 0\n")
        var roots = tree.roots
        roots.proc = "/proc"
        let watching = try Watching(roots)
        var locked = ContainerLockChanges(watching)
        watching.conditions.watch([], containers: WatchedContainers(directory: containers, plugins: [study]))
        #expect(await locked.next() == [study: true])
        #expect(Machine.run("mount", "-t", "tmpfs", "tmpfs", container))
        defer { Machine.run("umount", container) }
        #expect(await locked.next() == [study: false])
        #expect(Machine.run("umount", container))
        #expect(await locked.next() == [study: true])
        await watching.conditions.close()
    }

    @Test(
        .proves(70),
        .enabled(
            if: EncryptedVolume.isAllowed,
            "an encrypted directory takes root, ext4 with fscrypt and a loop device"
        )
    )
    func `an encrypted container is locked while its key is not in the kernel`() throws {
        let volume = try EncryptedVolume()
        let key = try volume.addKey()
        try volume.encrypt("containers", with: key)
        let container = volume.path + "/containers/com.example.study"
        #expect(mkdir(container, 0o700) == 0)

        var roots = tree.roots
        roots.proc = "/proc"
        var thresholds = ConditionThresholds()
        thresholds.lockInterval = .milliseconds(10)
        let sensor = ContainerSensor(roots, thresholds)
        func reading() -> ConditionReading? {
            var readings = Readings()
            sensor.write(to: &readings)
            return readings.containers[study]
        }
        sensor.watch(WatchedContainers(directory: volume.path + "/containers", plugins: [study]), at: .now)
        #expect(reading()?.holds == false)
        #expect(sensor.nextSample != nil, "keys go silently")

        try volume.removeKey(key)
        #expect(sensor.listens { reading()?.holds == true })
        #expect(reading()?.detail == "the encryption key of \(volume.path)/containers is missing")
        #expect(try volume.addKey() == key)
        #expect(sensor.listens { reading()?.holds == false })
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
package import LinuxSystem
import RunnerWire
import Synchronization
package import TaskModel

/// The main bundles of plugins, each a directory with a link to the runner, an `Info.plist`, and a link to the plugin's
/// resources or a directory of such links. Plugins can read and not write them. Blocks on the disk.
///
/// The runner is copied once into the directory of the bundles, and each bundle has a hard link to the copy. A link to
/// the runner itself is not possible everywhere: it may lie in another file system, and the kernel refuses a link to a
/// file of another user.
package final class RunnerBundles: Sendable {
    private struct State {
        /// The bundles that this process made, by name.
        var made: [String: MainBundle] = [:]
        var hasCopy = false
    }

    private let runner: Descriptor
    private let directory: String
    private let state = Mutex(State())

    private var copy: String { "\(directory)/.bgtask-runner" }

    init(of runner: Descriptor, in directory: String) {
        self.runner = runner
        self.directory = directory
    }

    /// Makes a bundle, or replaces its files if they differ from the present ones or lack permissions, which a plugin
    /// with the host's user can take away. Running launches of an earlier version keep their program.
    ///
    /// - Parameter name: name of the bundle's directory, the plugin's identifier.
    /// - Returns: path of the runner in the bundle.
    package func make(_ name: String, _ bundle: MainBundle) throws(SystemError) -> String {
        let program = "\(directory)/\(name)/\(BundleLayout.program)"
        try state.withLock { state throws(SystemError) in
            if state.made[name] == bundle, Self.isIntact(bundle, at: "\(directory)/\(name)") { return }
            try Self.makeDirectory(directory, 0o711)
            if !state.hasCopy || !Self.isFile(copy, 0o755) { try copyRunner() }
            state.hasCopy = true
            // A bundle of which only a part was written is not used.
            state.made[name] = nil
            try write(bundle, to: "\(directory)/\(name)")
            state.made[name] = bundle
        }
        return program
    }

    /// Deletes the bundles of plugins. Names without a bundle have no effect.
    package func remove(_ names: [String]) {
        state.withLock { state in
            for name in names where state.made.removeValue(forKey: name) != nil { delete(name) }
        }
    }

    /// Deletes all bundles and the copy of the runner, including those of an earlier host process.
    package func removeAll() {
        state.withLock { state in
            state = State()
            for name in FilePlace.names(in: directory) { delete(name) }
        }
    }

    // A bundle that cannot be deleted has no effect: `make` replaces its files.
    private func delete(_ name: String) {
        while (try? TreeRemoval.removePart(of: name, in: directory, atMost: 1_000)) == true {}
    }

    private func write(_ bundle: MainBundle, to place: String) throws(SystemError) {
        let program = "\(place)/\(BundleLayout.program)"
        for path in [place, "\(place)/Contents", FilePlace.directory(of: program)] {
            try Self.makeDirectory(path, 0o755)
        }
        try Self.replace(program) { link(copy, $0) }
        let information = "\(place)/\(BundleLayout.information)"
        // A replacement keeps the mode of the present file.
        chmod(information, 0o644)
        try AtomicFile.replace(information, with: bundle.information)
        try Self.linkResources(of: bundle, in: "\(place)/\(BundleLayout.resources)")
    }

    /// Whether the files and directories of a bundle exist with their modes.
    private static func isIntact(_ bundle: MainBundle, at place: String) -> Bool {
        let (program, resources) = ("\(place)/\(BundleLayout.program)", "\(place)/\(BundleLayout.resources)")
        let linked = bundle.linked.map { [resources] + $0.map { FilePlace.directory(of: "\(resources)/\($0)") } } ?? []
        let directories = [place, "\(place)/Contents", FilePlace.directory(of: program)] + linked
        return directories.allSatisfy { isDirectory($0, 0o755) } && isFile(program, 0o755)
            && isFile("\(place)/\(BundleLayout.information)", 0o644)
    }

    private static func isFile(_ path: String, _ mode: mode_t) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode == S_IFREG | mode
    }

    private static func isDirectory(_ path: String, _ mode: mode_t) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode == S_IFDIR | mode
    }

    /// Links the directory of the resources, or each resource in a directory of its own: the sandbox then opens these
    /// files alone, so that Foundation could not list their directory. Running launches see the earlier links or the
    /// new ones.
    private static func linkResources(of bundle: MainBundle, in place: String) throws(SystemError) {
        let temporary = "\(place).new"
        try removeTree(temporary)
        try makeLinks(of: bundle, in: temporary)
        let status = bgl_exchange(temporary, place)
        // Without earlier links, and on a file system without exchange.
        if status == -EINVAL || status == -ENOSYS { try removeTree(place) }
        if status != 0, rename(temporary, place) != 0 {
            throw SystemError(number: errno, attempt: "write \(place)")
        }
        try removeTree(temporary)
    }

    private static func makeLinks(of bundle: MainBundle, in place: String) throws(SystemError) {
        guard let linked = bundle.linked else {
            if symlink(bundle.resources, place) == 0 { return }
            throw SystemError(number: errno, attempt: "write \(place)")
        }
        try makeDirectory(place, 0o755)
        for file in linked {
            var directory = place
            for part in file.split(separator: "/").dropLast() {
                directory += "/\(part)"
                try makeDirectory(directory, 0o755)
            }
            guard symlink("\(bundle.resources)/\(file)", "\(place)/\(file)") == 0 else {
                throw SystemError(number: errno, attempt: "write \(place)/\(file)")
            }
        }
    }

    private static func removeTree(_ path: String) throws(SystemError) {
        let (parent, name) = (FilePlace.directory(of: path), FilePlace.name(of: path))
        while try TreeRemoval.removePart(of: name, in: parent, atMost: 1_000) {}
    }

    /// Copies the runner that the launcher opened, whatever is at its path now.
    private func copyRunner() throws(SystemError) {
        let source = try Descriptor(opening: "/proc/self/fd/\(runner.number)", flags: O_RDONLY)
        let attempt = "copy the runner to \(copy)"
        try Self.replace(copy) { path in
            let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o700)
            guard target >= 0 else { return -1 }
            defer { close(target) }
            do throws(SystemError) {
                var offset = 0
                while true {
                    let part = try FileBytes.range(of: source.number, from: offset, count: 1 << 20, for: attempt)
                    if part.isEmpty { return fchmod(target, 0o755) }
                    try FileBytes.write(part[...], to: target, for: attempt)
                    offset += part.count
                }
            } catch {
                errno = error.number
                return -1
            }
        }
    }

    /// Replaces a file at once by the one that `make` creates at a temporary path. `make` returns a negative number and
    /// sets `errno` when it fails.
    private static func replace(_ path: String, _ make: (_ temporary: String) -> Int32) throws(SystemError) {
        let temporary = "\(path).new"
        unlink(temporary)
        // A move between two links to one file leaves both.
        defer { unlink(temporary) }
        if make(temporary) < 0 || rename(temporary, path) != 0 {
            throw SystemError(number: errno, attempt: "write \(path)")
        }
    }

    /// Makes a directory with a mode that does not depend on the umask: the users of plugins pass through it.
    private static func makeDirectory(_ path: String, _ mode: mode_t) throws(SystemError) {
        if mkdir(path, mode) == 0 || errno == EEXIST, chmod(path, mode) == 0 { return }
        throw SystemError(number: errno, attempt: "create the directory \(path)")
    }
}

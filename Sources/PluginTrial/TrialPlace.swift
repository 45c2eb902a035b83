// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import PluginBinary
package import TaskModel

/// The temporary directory of trials: containers, and a copy of the library with the files that the loader takes from
/// its directory.
///
/// A superuser's trial runs as the user `nobody`, which may not read the vendor's directory. The sandbox opens the
/// directory of the copies as a whole: it contains only files that a host opens.
package struct TrialPlace: Sendable {
    package let path: String
    /// The user of the runner; nil for the user of this process.
    package let user: UInt32?

    /// Makes the directory.
    ///
    /// - Parameters:
    ///   - isSuperuser: whether this process has the authority of root, so that its runners run as the user `nobody`.
    ///   - temporary: the directory for temporary files.
    package init(isSuperuser: Bool, temporary: String) throws(TrialFailure) {
        user = isSuperuser ? Self.nobody : nil
        // The user of the runner passes through all directories above.
        let parent = isSuperuser && !Self.isPassable(temporary) ? "/tmp" : temporary
        var template = Array("\(parent)/bgtask-trial-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw TrialFailure(
                "no temporary directory can be created in \(parent): \(String(systemError: errno))",
                remedy: "set TMPDIR to a writable directory" + (isSuperuser ? " through which every user may pass" : "")
            )
        }
        path = FilePlace.absolute(String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
        do throws(TrialFailure) {
            try Self.make(path, 0o711, exists: true)
            try Self.make(path + "/containers", 0o711)
        } catch {
            _ = delete()
            throw error
        }
    }

    /// Makes a directory with a mode that does not depend on the umask of the caller: the user of the runner passes
    /// through it.
    private static func make(_ directory: String, _ mode: mode_t, exists: Bool = false) throws(TrialFailure) {
        if exists || mkdir(directory, mode) == 0 || errno == EEXIST, chmod(directory, mode) == 0 { return }
        throw TrialFailure(
            "the directory \(directory) of the trial cannot be made: \(String(systemError: errno))",
            remedy: "free space on its disk, or set TMPDIR to a directory on another disk"
        )
    }

    private static var nobody: UInt32 { getpwnam("nobody")?.pointee.pw_uid ?? 65_534 }

    /// Whether every user may pass through a directory and the directories above it.
    private static func isPassable(_ directory: String) -> Bool {
        var directory = FilePlace.absolute(directory)
        while true {
            var status = stat()
            guard stat(directory, &status) == 0, status.st_mode & 0o001 != 0 else { return false }
            if directory == "/" { return true }
            directory = FilePlace.directory(of: directory)
        }
    }

    package func containerPath(_ number: Int) -> String { "\(path)/containers/\(number)" }

    /// Makes the empty container `number`, which belongs to the user of the runner, and returns its path.
    package func container(_ number: Int) throws(TrialFailure) -> String {
        let container = containerPath(number)
        guard mkdir(container, 0o700) == 0, user.map({ chown(container, $0, $0) }) ?? 0 == 0 else {
            throw TrialFailure("the container \(container) cannot be made: \(String(systemError: errno))")
        }
        return container
    }

    /// The directory of main bundles.
    package var bundles: String { path + "/bundles" }

    /// The directory of the copied library, which the sandbox of a runner opens.
    package var libraries: String { path + "/library" }

    /// Copies the library of a plugin, the files that the loader takes from the library's directory, and the pinned
    /// files, which the plugin may open itself, to `libraries`. Returns the plugin with the copied library.
    package func install(_ plugin: PluginEntry) throws(TrialFailure) -> PluginEntry {
        let source = FilePlace.directory(of: plugin.library.path)
        let copies = libraries
        try Self.make(copies, 0o755)
        let pinned = plugin.provenance.files.map { "\(source)/\($0.name)" }
        let files = PrivateLibraries(of: plugin.library.path).files.map(\.path) + pinned + [plugin.library.path]
        for file in Set(files) where file.hasPrefix(source + "/") && !file.contains("$") {
            try copy(file, from: source, to: copies)
        }
        let library = "\(copies)/\(FilePlace.name(of: plugin.library.path))"
        guard let identity = FileIdentity(ofPath: library) else {
            throw TrialFailure("the copy \(library) disappeared", remedy: "do not change the temporary directory")
        }
        return plugin.with(library: library, identity)
    }

    private func copy(_ file: String, from source: String, to copies: String) throws(TrialFailure) {
        let name = file.dropFirst(source.utf8.count + 1)
        var directory = copies
        for part in name.split(separator: "/").dropLast() {
            directory += "/\(part)"
            try Self.make(directory, 0o755)
        }
        let target = "\(copies)/\(name)"
        var status = stat()
        do throws(SystemError) {
            guard stat(file, &status) == 0 else { throw SystemError(number: errno, attempt: "read \(file)") }
            let bytes = try FileBytes.contents(of: file, limit: Int(status.st_size) + 1)
            let copy = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o755)
            guard copy >= 0 else { throw SystemError(number: errno, attempt: "write \(target)") }
            defer { close(copy) }
            try FileBytes.write(bytes[...], to: copy, for: "write \(target)")
            fchmod(copy, 0o755)
        } catch {
            throw TrialFailure("the library cannot be copied for the user of the trial: \(error)")
        }
    }

    /// Deletes the directory, whatever the plugin put into it. Returns the problem with its remedy when a part is left,
    /// otherwise nil.
    package func delete() -> String? {
        do throws(SystemError) {
            while try TreeRemoval.removePart(
                of: FilePlace.name(of: path),
                in: FilePlace.directory(of: path),
                atMost: 1_000
            ) {}
            return nil
        } catch {
            return "the temporary directory \(path) is not deleted: \(error); delete the directory yourself"
        }
    }
}

extension PluginEntry {
    /// A copy of the entry with a copy of its library.
    fileprivate func with(library path: String, _ identity: FileIdentity) -> PluginEntry {
        PluginEntry(
            identifier: identifier,
            name: name,
            version: version,
            role: role,
            containingPlugin: containingPlugin,
            extensionPoint: extensionPoint,
            extensions: extensions,
            permitted: permitted,
            modes: modes,
            entitlements: entitlements,
            settings: settings,
            secrets: secrets,
            handlers: handlers,
            grants: grants,
            limits: limits,
            library: LibraryFile(
                path: path,
                digest: library.digest,
                identity: identity,
                headerMinor: library.headerMinor
            ),
            companions: .directory,
            mainBundle: mainBundle.map { bundle in
                MainBundle(information: bundle.information, resources: FilePlace.directory(of: path))
            },
            manifestPath: manifestPath,
            manifestDigest: manifestDigest,
            provenance: provenance
        )
    }
}

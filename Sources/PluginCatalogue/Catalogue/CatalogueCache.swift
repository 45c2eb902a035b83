// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem
internal import PluginBinary
internal import Synchronization
internal import TaskModel

/// The manifests and libraries that earlier passes over the directories read, by path and file identity. A pass reads
/// only files that have changed since the previous pass. Safe on any thread; several threads may share one pass.
///
/// The next pass reads a recently changed file again: a second change within the same tick of the file system's clock
/// would not change the identity.
package final class CatalogueCache: Sendable {
    /// Time in nanoseconds after which a second change of a file gets another timestamp than the first change. It is
    /// longer than the clock tick of every supported file system except FAT.
    private static let settlingTime: Int64 = 1_000_000_000

    /// Counts of the manifests that were read and of the libraries that were examined and hashed since the cache was
    /// made. Files whose results the cache already had are not counted.
    package struct Work: Hashable, Sendable {
        package var manifestsRead: Int
        package var librariesExamined: Int
        package var librariesHashed: Int

        package init(manifestsRead: Int = 0, librariesExamined: Int = 0, librariesHashed: Int = 0) {
            self.manifestsRead = manifestsRead
            self.librariesExamined = librariesExamined
            self.librariesHashed = librariesHashed
        }
    }

    private struct State {
        /// Manifests by path.
        var manifests: [String: Kept<ManifestReading>] = [:]
        /// Examined libraries by path and use.
        var libraries: [String: Kept<ExaminedLibrary>] = [:]
        /// Signatures by path and digest of the manifest.
        var signatures: [String: Kept<ExaminedSignature>] = [:]
        /// Pinned files by path.
        var files: [String: Kept<ExaminedFile>] = [:]
        /// The files that libraries take from their directories, by path of the library.
        var privates: [String: KeptPrivates] = [:]
        /// Digests by file identity, because several paths may lead to one file.
        var digests: [FileIdentity: LibraryDigestSlot] = [:]
        var pass = 0
        var work = Work()
    }

    /// Cached content of a file.
    private struct Kept<Value: Sendable>: Sendable {
        let value: Value
        /// Identity of the file from which `value` was read.
        let identity: FileIdentity
        /// The only pass over the directories that may use `value`: the file was changed so shortly before that pass
        /// that a further change might not be noticed. Nil when every pass may use it.
        let onlyPass: Int?
        var lastUse: Int
    }

    /// The files that a library takes from its directory, and the identities on which they depend.
    private struct KeptPrivates: Sendable {
        let value: PrivateLibraries
        let identities: [FileIdentity?]
        let onlyPass: Int?
        var lastUse: Int
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Int64

    /// Creates an empty cache.
    ///
    /// - Parameter now: the current time in nanoseconds since 1970, on the clock of file timestamps.
    package init(now: @escaping @Sendable () -> Int64 = CatalogueCache.wallClock) { self.now = now }

    package var work: Work { state.withLock { $0.work } }

    package static let wallClock: @Sendable () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    func manifest(at path: String) -> ManifestReading {
        if let reading = kept(path, in: \.manifests) { return reading }
        let reading = ManifestReading.read(path: path)
        keep(reading, reading.identity, as: path, in: \.manifests) { $0.manifestsRead += 1 }
        return reading
    }

    func library(at path: String, for use: LibraryUse) -> ExaminedLibrary {
        // Paths contain no NUL, so the keys of two files always differ.
        let key = path + use.key
        if let library = kept(path, as: key, in: \.libraries) { return library }
        let library = ExaminedLibrary.examine(path: path, for: use) {
            descriptor,
            identity throws(PluginBinaryProblem) in
            try self.digest(of: descriptor, identity, path: path)
        }
        keep(library, library.identity, as: key, in: \.libraries) { $0.librariesExamined += 1 }
        return library
    }

    func signature(of manifest: ManifestReading) -> ExaminedSignature {
        guard let path = ExaminedSignature.path(of: manifest) else { return .missing }
        let key = "\(path)\0\(manifest.digest)"
        if let signature = kept(path, as: key, in: \.signatures) { return signature }
        let (signature, identity) = ExaminedSignature.examine(path: path, of: manifest)
        keep(signature, identity, as: key, in: \.signatures) { _ in }
        return signature
    }

    func file(at path: String) -> ExaminedFile {
        if let file = kept(path, in: \.files) { return file }
        let file = ExaminedFile.examine(path: path) { descriptor, identity throws(PluginBinaryProblem) in
            try self.digest(of: descriptor, identity, path: path)
        }
        keep(file, file.identity, as: path, in: \.files) { _ in }
        return file
    }

    /// The files that the loader may take from the directory of the library.
    func privateLibraries(of library: LibraryFile) -> PrivateLibraries {
        func identities(_ paths: [String]) -> [FileIdentity?] {
            [library.identity] + paths.map { FileIdentity(ofPath: $0) }
        }
        let known = state.withLock { state in
            state.privates[library.path].flatMap { $0.onlyPass == nil || $0.onlyPass == state.pass ? $0 : nil }
        }
        if let known, identities(known.value.consulted) == known.identities {
            state.withLock { $0.privates[library.path]?.lastUse = $0.pass }
            return known.value
        }
        let value = PrivateLibraries(of: library.path)
        let found = identities(value.consulted)
        let isSettled = found.allSatisfy { $0.map { $0.changed < now() - Self.settlingTime } ?? true }
        state.withLock { state in
            state.privates[library.path] = KeptPrivates(
                value: value,
                identities: found,
                onlyPass: isSettled ? nil : state.pass,
                lastUse: state.pass
            )
        }
        return value
    }

    /// Ends a pass: removes the content of every file that the pass did not use.
    package func endPass() {
        state.withLock { state in
            let pass = state.pass
            state.manifests = state.manifests.filter { $0.value.lastUse == pass }
            state.libraries = state.libraries.filter { $0.value.lastUse == pass }
            state.signatures = state.signatures.filter { $0.value.lastUse == pass }
            state.files = state.files.filter { $0.value.lastUse == pass }
            state.privates = state.privates.filter { $0.value.lastUse == pass }
            let settled = state.libraries.values.filter { $0.onlyPass == nil }.map(\.identity)
            let identities = Set(settled + state.files.values.filter { $0.onlyPass == nil }.map(\.identity))
            state.digests = state.digests.filter { identities.contains($0.key) }
            state.pass = pass + 1
        }
    }

    private func digest(
        of descriptor: CInt,
        _ identity: FileIdentity,
        path: String
    ) throws(PluginBinaryProblem) -> String {
        let slot = state.withLock { state in
            if let slot = state.digests[identity] { return slot }
            let slot = LibraryDigestSlot()
            state.digests[identity] = slot
            return slot
        }
        let (digest, isNew) = try slot.digest(of: descriptor, identity, path: path)
        if isNew { state.withLock { $0.work.librariesHashed += 1 } }
        return digest
    }

    private func kept<Value: Sendable>(
        _ path: String,
        as key: String? = nil,
        in table: WritableKeyPath<State, [String: Kept<Value>]>
    ) -> Value? {
        guard let identity = FileIdentity(ofPath: path) else { return nil }
        let key = key ?? path
        return state.withLock { state in
            let pass = state.pass
            guard let kept = state[keyPath: table][key], kept.identity == identity,
                kept.onlyPass == nil || kept.onlyPass == pass
            else { return nil }
            state[keyPath: table][key]?.lastUse = pass
            return kept.value
        }
    }

    private func keep<Value: Sendable>(
        _ value: Value,
        _ identity: FileIdentity?,
        as key: String,
        in table: WritableKeyPath<State, [String: Kept<Value>]>,
        count: (inout Work) -> Void
    ) {
        let isSettled = identity.map { $0.changed < now() - Self.settlingTime } ?? false
        state.withLock { state in
            count(&state.work)
            state[keyPath: table][key] = identity.map { identity in
                Kept(
                    value: value,
                    identity: identity,
                    onlyPass: isSettled ? nil : state.pass,
                    lastUse: state.pass
                )
            }
        }
    }
}

extension LibraryUse {
    fileprivate var key: String {
        switch self {
        case .entry: ""
        case .functions(let names): "\0" + names.joined(separator: "\0")
        }
    }
}

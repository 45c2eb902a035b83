// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import PluginBinary
internal import Synchronization
internal import TaskModel

/// What was read and hashed already, by path and state of the file, so that a reload looks only at what changed.
///
/// Keeps nothing of a file that changed a moment ago: a second change within the same tick of the file system's clock
/// could not be told from the first.
package final class CatalogCache: Sendable {
    /// Coarser than the clock of any file system that a plugin is installed on, but for FAT.
    private static let settlingTime: Int64 = 1_000_000_000

    /// How much had to be done, since the cache exists.
    package struct Work: Hashable, Sendable {
        package var manifestsRead: Int
        package var librariesHashed: Int

        package init(manifestsRead: Int = 0, librariesHashed: Int = 0) {
            self.manifestsRead = manifestsRead
            self.librariesHashed = librariesHashed
        }
    }

    private struct State {
        var manifests: [String: ManifestReading] = [:]
        /// By path and use.
        var libraries: [String: ExaminedLibrary] = [:]
        var used: Set<String> = []
        var work = Work()
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> Int64

    /// - Parameter now: nanoseconds since 1970 on the clock that stamps files.
    package init(now: @escaping @Sendable () -> Int64 = CatalogCache.wallClock) { self.now = now }

    package var work: Work { state.withLock { $0.work } }

    package static let wallClock: @Sendable () -> Int64 = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    func manifest(at path: String) -> ManifestReading {
        if let identity = FileIdentity(ofPath: path), let reading = known(path, \.manifests, \.identity, identity) {
            return reading
        }
        let reading = ManifestReading.read(path: path)
        keep(reading, as: path, in: \.manifests, if: reading.identity) { $0.manifestsRead += 1 }
        return reading
    }

    func library(at path: String, for use: LibraryUse) -> ExaminedLibrary {
        // A NUL stands in no path: two files' keys never meet.
        let key = path + use.key
        if let identity = FileIdentity(ofPath: path), let library = known(key, \.libraries, \.identity, identity) {
            return library
        }
        let library = ExaminedLibrary.examine(path: path, for: use)
        keep(library, as: key, in: \.libraries, if: library.identity) { $0.librariesHashed += 1 }
        return library
    }

    /// Forgets every file that was not asked for since the last call.
    func forgetUnused() {
        state.withLock { state in
            let used = state.used
            state.manifests = state.manifests.filter { used.contains($0.key) }
            state.libraries = state.libraries.filter { used.contains($0.key) }
            state.used = []
        }
    }

    private func known<Value: Sendable>(
        _ path: String,
        _ table: KeyPath<State, [String: Value]>,
        _ state: KeyPath<Value, FileIdentity?>,
        _ identity: FileIdentity
    ) -> Value? {
        self.state.withLock { cache in
            cache.used.insert(path)
            return cache[keyPath: table][path].flatMap { $0[keyPath: state] == identity ? $0 : nil }
        }
    }

    private func keep<Value: Sendable>(
        _ value: Value,
        as path: String,
        in table: WritableKeyPath<State, [String: Value]>,
        if identity: FileIdentity?,
        count: (inout Work) -> Void
    ) {
        let isSettled = identity.map { $0.changed < now() - Self.settlingTime } ?? false
        state.withLock { cache in
            cache.used.insert(path)
            cache[keyPath: table][path] = isSettled ? value : nil
            count(&cache.work)
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

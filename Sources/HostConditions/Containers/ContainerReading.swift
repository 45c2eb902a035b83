// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem

/// The accessibility of the data in one plugin's container.
enum ContainerReading: Equatable {
    case open(isEncrypted: Bool)
    /// The container does not exist yet, but the host can create it.
    case notThereYet
    /// The container is on an automount point that is not mounted yet: opening it would mount it. The value is the path
    /// of the mount point.
    case automatic(String)
    case notMounted(String, file: String)
    case keyAbsent(String)
    case unreadable(SystemError)

    var isLocked: Bool {
        switch self {
        case .open, .notThereYet, .automatic: false
        case .notMounted, .keyAbsent, .unreadable: true
        }
    }

    /// Whether the state can change without an event of the kernel: keys can be added and removed, and an unreadable
    /// directory can become readable.
    var changesSilently: Bool {
        switch self {
        case .open(let isEncrypted): isEncrypted
        case .keyAbsent, .unreadable: true
        case .notThereYet, .automatic, .notMounted: false
        }
    }

    var words: String {
        switch self {
        case .open: "the container is not locked"
        case .notThereYet: "the container does not exist yet"
        case .automatic(let point): "\(point) is an automount point, which is mounted at the first access"
        case .notMounted(let point, let file): "\(point) is not mounted, although \(file) configures it"
        case .keyAbsent(let directory): "the encryption key of \(directory) is missing"
        case .unreadable(let error): error.description
        }
    }

    /// Reads the state of a container.
    ///
    /// - Parameters:
    ///   - path: path of the container, within `directory`.
    ///   - directory: directory of all containers.
    init(_ path: String, in directory: String, mounts: MountTable) {
        if let (point, file) = mounts.missing(from: directory, to: path) {
            self = .notMounted(point, file: file)
        } else if let point = mounts.automatic(from: directory, to: path) {
            // The directory is not opened: that would mount it, and wait for its source.
            self = .automatic(point)
        } else {
            self = Self.opened(path, in: directory)
        }
    }

    /// The state that results from opening the directory of all containers, then the container. A locked directory
    /// hides the names in it, so a container in it appears to be missing.
    private static func opened(_ path: String, in directory: String) -> Self {
        var (isThere, isEncrypted) = (true, false)
        for place in [directory, path] {
            do throws(SystemError) {
                let file = try Descriptor(opening: place, flags: O_RDONLY | O_DIRECTORY | O_NONBLOCK)
                let key = try SystemError.check(bgl_encryption_key(file.number), "read the encryption key of \(place)")
                if key == BGL_KEY_ABSENT || key == BGL_KEY_PARTLY_REMOVED { return .keyAbsent(place) }
                if key == BGL_KEY_PRESENT { isEncrypted = true }
            } catch {
                guard error.number == ENOENT else { return .unreadable(error) }
                isThere = false
            }
        }
        return isThere || isEncrypted ? .open(isEncrypted: isEncrypted) : .notThereYet
    }
}

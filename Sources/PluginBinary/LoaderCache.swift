// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem
internal import TaskModel

/// The cache of library paths that `ldconfig` writes, and that the loader of glibc searches before the standard
/// directories.
struct LoaderCache {
    static let standardPath = "/etc/ld.so.cache"

    private static let magic = Array("glibc-ld.so.cache1.1".utf8)
    private static let headerSize = 48
    private static let entrySize = 24
    /// Maximum size of a cache in bytes; a full desktop has a few hundred kilobytes.
    private static let largest = 16 << 20

    private let paths: [String: [String]]
    /// Whether the contents are known completely: false for a file of another format, and for one that cannot be read.
    let isUnderstood: Bool

    init(path: String = Self.standardPath) {
        var (paths, isUnderstood): ([String: [String]], Bool) = ([:], true)
        if access(path, F_OK) == 0 {
            do {
                let descriptor = try Descriptor(opening: path, flags: O_RDONLY)
                let file = try OpenLibrary(descriptor: descriptor.number)
                let size = UInt64(clamping: file.identity.size)
                guard size <= Self.largest else { throw PluginBinaryProblem.Kind.truncated }
                let bytes = try LibraryBytes(descriptor: descriptor.number, size: size).read(at: 0, count: size)
                paths = try Self.entries(of: bytes)
            } catch {
                isUnderstood = false
            }
        }
        (self.paths, self.isUnderstood) = (paths, isUnderstood)
    }

    /// Paths of the libraries with that name, for any architecture.
    func paths(of name: String) -> [String] { paths[name] ?? [] }

    private static func entries(of bytes: ByteBlock) throws(PluginBinaryProblem.Kind) -> [String: [String]] {
        guard bytes.starts(with: magic, at: 0) else { throw .damaged("its format is unknown") }
        let count = Int(try bytes.integer(at: magic.count, as: UInt32.self))
        var paths: [String: [String]] = [:]
        for entry in 0..<count {
            let start = headerSize + entry * entrySize
            let name = bytes.text(at: Int(try bytes.integer(at: start + 4, as: UInt32.self)))
            paths[name, default: []].append(bytes.text(at: Int(try bytes.integer(at: start + 8, as: UInt32.self))))
        }
        return paths
    }
}

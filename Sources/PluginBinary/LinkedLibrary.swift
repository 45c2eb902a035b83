// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import Glibc
internal import LinuxSystem

/// One open library among those that the loader would load together.
struct LinkedLibrary {
    static let openFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY

    let path: String
    let image: ElfImage
    let links: ElfLinks
    let exports: ElfExports
    /// Whether the library belongs to the system, so that its own symbols are assumed to be complete.
    let isStandard: Bool
    /// The directories that the loader searches for the needed libraries, in its order. A directory that contains a `$`
    /// depends on the processor or the system.
    let searchDirectories: [String]
    /// The directories of RPATH entries that apply to the libraries needed by this one, and in turn to those that they
    /// need: the entries of this library, then of the libraries that need it.
    private let inherited: [String]
    // Keeps the file open for the image.
    private let descriptor: Descriptor

    /// Reads a library.
    ///
    /// - Parameters:
    ///   - origin: directory that stands for `$ORIGIN`; nil for the directory of `path`.
    ///   - user: the library that needs this one; nil for the plugin's own.
    init(
        _ descriptor: Descriptor,
        path: String,
        origin: String? = nil,
        neededBy user: LinkedLibrary? = nil,
        isStandard: Bool = false
    ) throws(PluginBinaryProblem.Kind) {
        let image = try OpenLibrary(descriptor: descriptor.number).image()
        let links = try image.links()
        let origin = origin ?? FilePlace.directory(of: path)
        let own = links.runPath == nil ? Self.directories(links.inheritedPath, origin) : []
        self.path = path
        self.image = image
        self.links = links
        self.isStandard = isStandard
        self.descriptor = descriptor
        exports = try ElfExports(of: image)
        inherited = own + (user?.inherited ?? [])
        searchDirectories = links.runPath == nil ? inherited : Self.directories(links.runPath, origin)
    }

    /// Whether the loader uses this library where a library needs `name`: it compares the name in the library (SONAME),
    /// the path and the file name.
    func isNamed(_ name: String) -> Bool {
        links.name == name || path == name || path.hasSuffix("/\(name)")
    }

    private static func directories(_ path: String?, _ origin: String) -> [String] {
        guard let path else { return [] }
        return path.split(separator: ":", omittingEmptySubsequences: false).map { directory in
            String(directory).replacing("${ORIGIN}", with: origin).replacing("$ORIGIN", with: origin)
        }
    }
}

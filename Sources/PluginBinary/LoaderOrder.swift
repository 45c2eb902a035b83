// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The order in which glibc's loader loads needed libraries.
enum LoaderOrder {
    /// The libraries that every runner loads before a plugin; their symbols are visible to it.
    static let librariesOfRunner = ["libm.so.6", "libc.so.6", ElfHeader.loaderName]

    /// Returns the libraries `first`, and after them all libraries that they need, directly or not: breadth first, and
    /// each name once. The loader uses a library that a runner already has, so no file is searched for its name.
    ///
    /// - Parameters:
    ///   - needs: returns the names that a library needs.
    ///   - search: returns the libraries that the loader takes, or may take, for a name that a library needs.
    static func libraries(
        from first: [LinkedLibrary],
        needs: (LinkedLibrary) -> [String],
        search: (String, LinkedLibrary) -> [LinkedLibrary]
    ) -> [LinkedLibrary] {
        var loaded = first
        var names = Set(librariesOfRunner)
        var next = 0
        while next < loaded.count {
            let user = loaded[next]
            next += 1
            if let name = user.links.name { names.insert(name) }
            for name in needs(user) where names.insert(name).inserted { loaded += search(name, user) }
        }
        return loaded
    }
}

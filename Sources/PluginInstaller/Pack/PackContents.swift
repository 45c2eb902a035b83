// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import PluginCatalogue
import TaskModel

/// The files that a manifest names, for every architecture.
struct PackContents {
    struct File: Hashable {
        /// Path relative to the directory of the manifest.
        let name: String
        /// The SHA-256 digest that the manifest pins; nil without a pin.
        let digest: String?
        /// The architecture of a library; nil for other files, and for one library for every machine.
        let architecture: String?
    }

    /// The libraries and files, each once, in the order of architectures and of the manifest. Empty when the manifest
    /// names no valid library.
    let files: [File]
    /// The architectures of the libraries; empty when one library serves every machine.
    let architectures: [String]
    /// The reading for this machine's architecture, or for the first other supported one if the manifest has no library
    /// for this machine; nil when the manifest names no valid library.
    let reading: ManifestReading?

    /// Reads the manifest for every architecture that it names.
    ///
    /// - Parameter file: path of the manifest.
    init(ofManifest file: String) {
        func reading(for architecture: String) -> ManifestReading {
            ManifestReading.read(
                path: file,
                for: ManifestHost(architecture: architecture, features: HostFeatures.all)
            )
        }
        let own = ManifestHost.current.architecture
        let supported = [own] + ArchitectureName.supported.filter { $0 != own }
        let first = supported.lazy.map(reading).first { $0.library != nil }
        self.reading = first
        architectures = first?.library?.architectures ?? []
        let readings = architectures.isEmpty ? [first].compactMap(\.self) : architectures.map(reading)
        var seen: Set<String> = []
        files = readings.compactMap(\.library).flatMap(Self.files).filter { seen.insert($0.name).inserted }
    }

    /// The library that a manifest names for one architecture, followed by its pinned files.
    static func files(of library: LibraryReference) -> [File] {
        let path = library.path.value
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let own = File(name: path, digest: library.pinnedDigest?.value, architecture: library.architecture)
        return [own]
            + library.files.map { File(name: directory + $0.name, digest: $0.digest.value, architecture: nil) }
    }
}

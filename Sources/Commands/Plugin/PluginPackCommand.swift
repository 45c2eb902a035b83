// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import LinuxSystem
import PluginCatalogue
import PluginInstaller

/// `bgtask plugin pack`: writes one file with the manifest of a plugin, its signature, its libraries and its files.
struct PluginPackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pack",
        abstract: "Write a plugin into one file for operators.",
        discussion: """
            Checks the plugin, and writes its manifest, the signature beside it, the libraries of all architectures and \
            the files under files into one pack. Sign the manifest first. The files stay unchanged, and equal files make \
            an equal pack. A pack has the format ustar: tar -tf lists it. No plugin code runs, and no host takes part.

            Examples:
              bgtask plugin pack com.example.feed.yaml
              bgtask plugin pack com.example.feed.yaml --library build/libFeed.so --output feed.bgplugin
            """
    )

    @Argument(help: "The manifest file.")
    var manifest: String

    @Option(help: ArgumentHelp("The library, if it is not beside the manifest.", valueName: "file"))
    var library: String?

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("The pack. Default: IDENTIFIER-VERSION.bgplugin in this directory.", valueName: "file")
    )
    var output: String?

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard ManifestDirectory.isManifest(FilePlace.name(of: manifest)) else {
            throw ValidationError(
                "\(manifest) is not the name of a manifest; name a manifest, or rename the file: a manifest's name ends"
                    + " with .yaml, .yml or .plist and does not begin with a dot"
            )
        }
    }

    func run() throws {
        let plan = try PackPlan(source: FilePlace.absolute(manifest), library: library.map(FilePlace.absolute))
        let path = FilePlace.absolute(output ?? plan.defaultName)
        let digest = try plan.write(to: path)
        try OutputOptions(json: json).show(PackReport(plan, at: path, digest: digest))
    }
}

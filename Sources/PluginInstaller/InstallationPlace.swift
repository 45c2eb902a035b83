// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import PluginCatalogue
package import TaskModel

/// The directories in which plugins are installed, and the host that reads them, if one is running.
package struct InstallationPlace: Hashable {
    package struct RunningHost: Hashable {
        package let socket: String
        package let user: String
        /// The guarantees about plugins that this host does not enforce, with the reasons.
        package let unenforced: [String]
        /// The extensions of each main plugin, from manifests and configuration.
        package let extensions: [PluginIdentifier: Set<PluginIdentifier>]

        package init(
            socket: String,
            user: String,
            unenforced: [String],
            extensions: [PluginIdentifier: Set<PluginIdentifier>]
        ) {
            self.socket = socket
            self.user = user
            self.unenforced = unenforced
            self.extensions = extensions
        }
    }

    /// The operator's manifest directory. Installations and removals change no files outside of it.
    package let operatorDirectory: String
    let packageDirectories: [String]
    let pluginDirectory: String?
    package let host: RunningHost?

    package init(operatorDirectory: String, packageDirectories: [String], pluginDirectory: String?, host: RunningHost?)
    {
        self.operatorDirectory = operatorDirectory
        self.packageDirectories = packageDirectories
        self.pluginDirectory = pluginDirectory
        self.host = host
    }

    package var directories: CatalogueDirectories {
        CatalogueDirectories(
            operatorManifests: operatorDirectory,
            packageManifests: packageDirectories,
            plugins: pluginDirectory
        )
    }
}

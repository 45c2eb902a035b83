// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginCatalog
package import TaskModel

/// The directories in which plugins are installed, and the host that reads them, if one is running.
package struct InstallationPlace: Hashable {
    package struct RunningHost: Hashable {
        package let socket: String
        package let user: String
        /// The extensions of each main plugin, from manifests and configuration.
        let extensions: [PluginIdentifier: Set<PluginIdentifier>]

        package init(socket: String, user: String, extensions: [PluginIdentifier: Set<PluginIdentifier>]) {
            self.socket = socket
            self.user = user
            self.extensions = extensions
        }
    }

    /// The operator's manifest directory, the only directory that is changed.
    package let operatorFolder: String
    let packageFolders: [String]
    let pluginFolder: String?
    package let host: RunningHost?

    package init(operatorFolder: String, packageFolders: [String], pluginFolder: String?, host: RunningHost?) {
        self.operatorFolder = operatorFolder
        self.packageFolders = packageFolders
        self.pluginFolder = pluginFolder
        self.host = host
    }

    var folders: CatalogFolders {
        CatalogFolders(operatorManifests: operatorFolder, packageManifests: packageFolders, plugins: pluginFolder)
    }
}

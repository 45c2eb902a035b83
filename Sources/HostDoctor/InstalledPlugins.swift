// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import HostConfiguration
package import PluginCatalogue
package import TaskModel

/// Reads the installed plugins like the catalogue of a host.
package enum InstalledPlugins {
    /// The contents of the manifest directories of a configuration.
    ///
    /// - Parameter known: the plugins that the host has recorded.
    package static func contents(_ configuration: HostConfiguration, known: [KnownPlugin]) -> CatalogueContents {
        CatalogueReader.load(
            CatalogueDirectories(
                operatorManifests: configuration.operatorManifests,
                packageManifests: [configuration.packageManifests],
                plugins: configuration.pluginDirectory
            ),
            alreadyCatalogued: known,
            operatorExtensions: configuration.operatorExtensions,
            rule: ProvenanceRule(reading: configuration.provenance)
        )
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The OpenAPI document of the control API, as the host serves it. Tests compare the routes and bodies with the
/// document.
package enum APIDescription {
    /// The document in YAML, embedded in the program. A resource bundle would have to be installed with the program,
    /// and SwiftPM finds a bundle only at its build location.
    package static var text: String { String(decoding: PackageResources.openapi_yaml, as: UTF8.self) }
}

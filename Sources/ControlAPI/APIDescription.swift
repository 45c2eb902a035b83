// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The OpenAPI document of this API, as the host serves it. Routes and bodies are held against it by tests.
package enum APIDescription {
    /// Part of the program's own bytes: a bundle beside it would have to be installed, found and kept in step with it,
    /// and SwiftPM finds one only where it was built.
    package static var text: String { String(decoding: PackageResources.openapi_yaml, as: UTF8.self) }
}

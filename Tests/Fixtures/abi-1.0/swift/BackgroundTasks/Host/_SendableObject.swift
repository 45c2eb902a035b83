// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation

/// The base of every class of this module. Its conformance is inherited, so an app's own conformance of a class to
/// `Sendable` is no second one, and the compiler does not warn. Not meant for use.
open class _SendableObject: NSObject, @unchecked Sendable {
    // Unchecked: each class states how it protects its mutable state. Here there is none.

    /// Restricts the creation to this module, as Apple's classes are created by the system or by their own
    /// initializers.
    override init() { super.init() }
}

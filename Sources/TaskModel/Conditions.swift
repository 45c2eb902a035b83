// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// What the machine offers at the moment, as far as requests can ask for it.
package struct Conditions: Hashable, Sendable {
    package var isOnExternalPower: Bool
    package var hasNetwork: Bool

    package init(isOnExternalPower: Bool, hasNetwork: Bool) {
        self.isOnExternalPower = isOnExternalPower
        self.hasNetwork = hasNetwork
    }
}

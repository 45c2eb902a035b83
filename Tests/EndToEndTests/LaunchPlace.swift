// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit

/// A place in a launch where a plugin with `Place.h` does its damage.
enum LaunchPlace: String, CaseIterable, Sendable {
    case constructor, entry, handler
    /// A second thread, which the handler starts and whose end it awaits.
    case thread

    /// Whether the damage is done before the entry function returns.
    var isBeforeTasks: Bool { self == .constructor || self == .entry }
}

extension HostFixture {
    /// Sets the place at which the plugin does its damage in later launches. Requires the container of the plugin, into
    /// which the place is written.
    func choose(_ place: LaunchPlace, of plugin: TestPlugin) throws {
        try place.rawValue.write(
            toFile: "\(stateDirectory)/containers/\(plugin.identifier)/place",
            atomically: false,
            encoding: .utf8
        )
    }
}

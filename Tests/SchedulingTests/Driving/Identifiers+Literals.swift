// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

// Tests write identifiers as literals. An invalid literal is a defect of the test and traps.

extension PluginIdentifier: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        guard let identifier = PluginIdentifier(text) else { preconditionFailure("\(text) names no plugin") }
        self = identifier
    }
}

extension TaskIdentifier: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        guard let identifier = TaskIdentifier(text) else { preconditionFailure("\(text) names no task") }
        self = identifier
    }
}

extension PermittedIdentifier: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) {
        guard let permitted = PermittedIdentifier(text) else { preconditionFailure("\(text) permits nothing") }
        self = permitted
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// A list of fields, each a name with values, that shows one item in full. Each value has a line of its own.
package struct FieldList {
    private var fields: [(name: String, lines: [String])] = []

    package init() {}

    package mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        fields.append((name, [value]))
    }

    /// Adds a field with one line per value and the name before the first. Adds no field when `values` is empty.
    package mutating func add(_ name: String, each values: [String]) {
        if !values.isEmpty { fields.append((name, values)) }
    }

    package var text: String {
        let width = fields.reduce(0) { max($0, $1.name.count) } + 2
        var text = ""
        for field in fields {
            for (index, line) in field.lines.enumerated() {
                let name = index == 0 ? field.name : ""
                text += name + String(repeating: " ", count: width - name.count) + line.terminalSafe + "\n"
            }
        }
        return text
    }
}

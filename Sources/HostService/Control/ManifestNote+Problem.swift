// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import LocatedYAML
import PluginCatalogue

extension ManifestNote {
    init(_ problem: DocumentProblem) {
        self.init(
            severity: problem.severity == .error ? .error : .note,
            line: problem.line,
            column: problem.column,
            key: problem.key,
            message: "\(problem.message); \(problem.remedy)"
        )
    }
}

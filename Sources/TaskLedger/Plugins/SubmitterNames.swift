// Part of bgtask, under the Apache License 2.0; see LICENSE.

import GRDB
import TaskModel

/// Maps the numbers of submitters to names while the rows of one plugin are read. The most frequent submitter is the
/// plugin itself, whose name needs neither a read of the table `plugin` nor a validation.
struct SubmitterNames {
    private let database: Database
    private var known: [Int64: Submitter]

    /// Creates a map that contains only the plugin whose requests are read.
    ///
    /// - Parameter id: the number of the plugin in the table `plugin`.
    init(of plugin: PluginIdentifier, id: Int64, in database: Database) {
        self.database = database
        known = [id: .plugin(plugin)]
    }

    /// The submitter in the row's column `submitter`; NULL stands for a user.
    mutating func submitter(from row: inout RowReader) throws -> Submitter {
        guard let id = try row.optional("submitter", { try $0.integer($1) }) else { return .user }
        if let submitter = known[id] { return submitter }
        let sql = "SELECT identifier FROM plugin WHERE id = ?"
        let name = try String.fetchOne(database.cachedStatement(sql: sql), arguments: [id])
        let submitter = try row.value("submitter", fromInteger: { _ in name.flatMap(Submitter.init(storedName:)) })
        known[id] = submitter
        return submitter
    }
}

extension RowReader {
    /// The submitter in the row's column `submitter`, whose name the column `name` has; NULL stands for a user.
    mutating func submitter(named name: String) throws -> Submitter {
        try isNull("submitter") ? .user : try value(name, fromText: Submitter.init(storedName:))
    }
}

extension Submitter {
    /// Creates the submitter with a stored name; nil when the name belongs neither to schedules nor to a plugin.
    fileprivate init?(storedName name: String) {
        if name == PluginNames.schedule {
            self = .schedule
        } else if let plugin = PluginIdentifier(name) {
            self = .plugin(plugin)
        } else {
            return nil
        }
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The statements that create the schema `bgtask_fleet`.
///
/// Migrations change tables and are applied once, in order. Functions are replaced by every `init` and keep their
/// signatures, so that older feeders go on.
enum FleetSchema {
    struct Migration {
        let version: Int
        let statements: [UInt8]

        /// The statements with the row that records them, as one transaction where the server supports that for tables.
        var script: String {
            "\(text(statements))\ninsert into bgtask_fleet.migration (version) values (\(version));"
        }
    }

    static let migrations = [
        Migration(version: 1, statements: PackageResources.tables_1_sql),
        Migration(version: 2, statements: PackageResources.tables_2_sql),
    ]

    /// The newest version of the tables.
    static let version = migrations.map(\.version).max() ?? 0

    /// The schema, the table of migrations, and the roles.
    static let foundation = text(PackageResources.migration_sql) + text(PackageResources.roles_sql)

    static let functions = [
        PackageResources.rules_sql, PackageResources.hosts_sql, PackageResources.submissions_sql,
        PackageResources.duties_sql, PackageResources.views_sql, PackageResources.grants_sql,
    ].map(text).joined()

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) + "\n" }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The body of `POST /v1/host/backups`: a complete backup, which the host records in its journal.
package struct BackupReport: CallBody, Hashable {
    package static let fields: [BodyField] = [.required("file", .text), .required("sha256", .text)]

    /// Maximum length of each field in bytes: that of a path.
    private static let longest = 4_096

    /// Path of the backup on the machine of the host.
    package let file: String
    /// The SHA-256 digest of the manifest of the backup.
    package let sha256: String

    package init(file: String, sha256: String) { (self.file, self.sha256) = (file, sha256) }

    /// Throws a refusal for a field that is too long for the journal.
    package func check() throws(RouteError) {
        for (field, text) in [("file", file), ("sha256", sha256)] where text.utf8.count > Self.longest {
            throw RouteError(
                .textTooLong,
                field: field,
                "field \"\(field)\" has \(text.utf8.count) bytes; at most \(Self.longest) are allowed",
                remedy: "send the path and the digest that bgtask host backup prints"
            )
        }
    }
}

/// The answer to `POST /v1/host/backups`, sent after the journal entry is committed.
package struct BackupReportReply: Codable, Hashable, Sendable {
    /// The incarnation of the ledger.
    package let incarnation: Int64

    package init(incarnation: Int64) { self.incarnation = incarnation }
}

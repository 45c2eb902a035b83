// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Testing

@Suite("The tables of the differences on Linux have every public symbol of the Swift modules")
struct SymbolTableTests {
    private static let package = PackageManifest.root.appending(path: "SDK")
    private static let article = "Sources/BackgroundTasks/BackgroundTasks.docc/Articles/LinuxDifferences.md"

    /// Names of members that the compiler or a protocol of the standard library demands.
    private static let conventional: Set = ["init", "rawValue", "description", "hash", "isEqual"]

    /// A declaration in the record of a module's API.
    private struct Declaration: Decodable {
        let name: String
        let declKind: String?
        let implicit: Bool?
        let children: [Declaration]?

        /// The names of the declared types, functions, properties and cases.
        var names: Set<String> {
            let members = (children ?? []).filter { $0.declKind != nil && $0.implicit != true }
            let nested = members.filter { $0.declKind != "Import" && $0.declKind != "Accessor" }
            return nested.reduce(into: []) { $0.formUnion($1.names.union([$1.name])) }
        }
    }

    private struct Record: Decodable {
        let ABIRoot: Declaration
    }

    @Test(arguments: ["BackgroundTasks", "BackgroundTasksMain", "BackgroundTasksApp", "BackgroundTasksTesting"])
    func `the tables of LinuxDifferences have each public symbol of a module`(module: String) throws {
        let page = try String(contentsOf: Self.package.appending(path: Self.article), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("|") }
        let named = Set(rows.flatMap { $0.matches(of: /[\w~=]+/).map { String($0.output) } })
        let record = try Data(contentsOf: Self.package.appending(path: "Baseline/\(module).json"))
        let names = try JSONDecoder().decode(Record.self, from: record).ABIRoot.names.subtracting(Self.conventional)
        #expect(names.count > 2)
        #expect(names.subtracting(named).sorted() == [], "add these symbols of \(module) to a table of \(Self.article)")
    }
}

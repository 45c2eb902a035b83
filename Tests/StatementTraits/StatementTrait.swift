// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import Testing

/// The entries of Documentation/Semantics.md, and the rules of the header, that a test or a whole suite proves.
///
/// `Tests/statements` reads the traits from the sources and writes the lists of tests in that page.
package struct StatementTrait: TestTrait, SuiteTrait {
    package let entries: [StatementEntry]

    /// Whether the trait applies to the tests of a suite: they prove what the suite proves.
    package var isRecursive: Bool { true }
}

/// An entry of Documentation/Semantics.md: a statement by its number (`48`), a choice (`"C8"`) or a rule of the header
/// (`"BGT-ABI-08"`).
package struct StatementEntry: Sendable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    package let name: String

    package init(integerLiteral number: Int) { name = String(number) }

    package init(stringLiteral name: String) { self.name = name }
}

extension Trait where Self == StatementTrait {
    /// Marks a test as the proof of statements, choices or rules: `@Test(.proves(48, "C8"))`.
    package static func proves(_ entries: StatementEntry...) -> Self { StatementTrait(entries: entries) }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

@testable import PluginInstaller

@Suite("A version is lower than another one by its numbers")
struct VersionOrderTests {
    @Test(arguments: [
        ("1.0", "1.0.1"), ("1.9.0", "1.10.0"), ("0.9", "1"), ("2.0-beta.1", "2.0"), ("2.0-beta.2", "2.0-beta.10"),
        ("1.0-rc", "1.0.1-beta"), ("99999999999999999999", "100000000000000000000"), ("1.0+b2", "1.0.1+b1"),
    ])
    func `a version with lower numbers, or a pre-release of the same numbers, is lower`(left: String, right: String) {
        #expect(VersionOrder.isLower(left, than: right))
        #expect(!VersionOrder.isLower(right, than: left))
    }

    @Test(arguments: [("1.0", "1.0.0"), ("1.0+a", "1.0+b"), ("", "1.0"), ("1.0", ""), ("01.0", "1.0")])
    func `of two equal versions, or of a version and an empty one, neither is lower`(left: String, right: String) {
        #expect(!VersionOrder.isLower(left, than: right) && !VersionOrder.isLower(right, than: left))
    }
}

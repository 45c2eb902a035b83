// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import Testing

@Suite("The problems of a file are found by the key that they concern")
struct ProblemCollectorTests {
    @Test(arguments: [
        ("files", true), ("files.libc", true), ("files[2].path", true), ("files-extra", false), ("file", false),
    ])
    func `an error counts for its key and the keys that contain it, not for another key that begins alike`(
        path: String,
        counts: Bool
    ) {
        let problems = ProblemCollector(file: "manifest.yaml")
        problems.report(.duplicateKey, key: path, "it is written twice", remedy: "delete one")
        #expect(problems.holdsErrors(under: "files") == counts)
    }
}

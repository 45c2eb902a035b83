// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@Suite("The host names every number of the header")
struct VocabularyNameTests {
    @Test func `the host's vocabularies name each BGT_ number of the header, with the header's value`() throws {
        let text = try Header.text()
        var found = 0
        for vocabulary in ABIVocabulary.allCases {
            for (number, name) in vocabulary.names {
                let defined = text.firstMatch(
                    of: try Regex("#define \\Q\(name)\\E (0x[0-9a-fA-F]+|[0-9]+)(?:u|ull)?\\b")
                )
                let value = try #require(defined?.output[1].substring, "\(name)")
                let expected = value.hasPrefix("0x") ? Int64(value.dropFirst(2), radix: 16) : Int64(value)
                #expect(number == expected, "\(name)")
                found += 1
            }
        }
        let names = text.matches(of: /#define (BGT_[A-Z_]+) +[0-9]/).map { String($0.1) }
        #expect(found == names.count)
        let known = ABIVocabulary.allCases.flatMap { $0.names.map { "\($0.name)" } }
        #expect(Set(known) == Set(names))
    }

    @Test
    func `the host's name of a number outside the vocabulary is unknown, that of a negative status is plugin status`() {
        #expect("\(ABIVocabulary.status.name(of: 0))" == "BGT_OK")
        #expect("\(ABIVocabulary.status.name(of: -1))" == "plugin status")
        #expect("\(ABIVocabulary.status.name(of: 99))" == "unknown")
        #expect("\(ABIVocabulary.expired.name(of: -1))" == "unknown")
        #expect("\(ABIVocabulary.expired.name(of: 2))" == "BGT_EXPIRED_EXTERNAL_POWER_LOST")
    }
}

// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostTestKit
import Testing

/// A suite of tests that compare JSON bodies with recorded ones.
protocol WireShapeSuite {
    var document: APIDocument { get }
}

extension WireShapeSuite {
    /// Checks that the value encodes to the golden text, that the golden text decodes to the value, and that the text
    /// is valid under the schema.
    func check<Body: Codable & Equatable>(_ value: Body, _ schema: String, is golden: String) throws {
        let encoded = try WireCoding.encode(value)
        let got = try JSONSerialization.jsonObject(with: encoded) as? NSDictionary
        let wanted = try JSONSerialization.jsonObject(with: Data(golden.utf8)) as? NSDictionary
        #expect(got == wanted, "\(String(decoding: encoded, as: UTF8.self))")
        #expect(try WireCoding.decode(Body.self, from: Data(golden.utf8)) == value)
        let parsed = try JSONValue(parsing: Data(golden.utf8))
        let problems = try document.problems(of: parsed, against: try document.schema(named: schema))
        #expect(problems == [], "schema \(schema) of openapi.yaml")
    }
}

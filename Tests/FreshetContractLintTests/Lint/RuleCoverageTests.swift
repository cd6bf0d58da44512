// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Testing

@testable import FreshetContract
@testable import FreshetContractLint

@Suite struct `Rule shadowing` {
    private func rules(_ text: String) throws -> [ClassificationRule] {
        let json = ValidContract.json.replacing("/classify", with: try JSONParser.parse(text.utf8))
        return try ContractDocument(json).rules
    }

    private func shadow(_ text: String) throws -> RuleCoverage.Shadow? {
        let rules = try rules(text)
        return RuleCoverage(rules: rules).shadow(of: rules.count - 1)
    }

    @Test(arguments: [
        #"[{ "on": "api", "outcome": "forbidden" }, { "on": "api", "status": 403, "outcome": "transient" }]"#,
        #"[{ "on": "api", "status": "4xx", "outcome": "forbidden" }, { "on": "api", "status": [403, "410-412"], "outcome": "transient" }]"#,
        #"""
        [{ "on": "api", "status": 403, "if": { "at": "/e", "exists": true }, "outcome": "forbidden" },
         { "on": "api", "status": 403, "if": { "at": "/e", "equals": "x" }, "outcome": "transient" }]
        """#,
        #"""
        [{ "on": "api", "if": { "at": "/e", "contains": "AB" }, "outcome": "forbidden" },
         { "on": "api", "if": [{ "at": "/f", "exists": true }, { "at": "/e", "contains": "xabx" }], "outcome": "transient" }]
        """#,
        #"""
        [{ "on": "api", "if": { "at": "/e", "oneOf": [1, "a", "b"] }, "outcome": "forbidden" },
         { "on": "api", "if": { "at": "/e", "oneOf": ["b", "1"] }, "outcome": "transient" }]
        """#,
        #"""
        [{ "on": "socket", "close": "4000-4999", "outcome": "transient" }, { "on": "socket", "close": 4401, "outcome": "accessExpired" }]
        """#,
        #"""
        [{ "on": "refresh", "status": 401, "outcome": "sessionEnded" },
         { "on": "refresh", "status": 401, "if": { "at": "/e", "equals": 1 }, "outcome": "transient" }]
        """#,
    ])
    func `a rule is shadowed by an earlier rule that matches every response of the rule`(text: String) throws {
        #expect(try shadow(text)?.by == [0])
    }

    @Test(arguments: [
        #"[{ "on": "api", "status": 403, "outcome": "forbidden" }, { "on": "login", "status": 403, "outcome": "transient" }]"#,
        #"[{ "on": "api", "status": 403, "outcome": "forbidden" }, { "on": "api", "outcome": "transient" }]"#,
        #"[{ "on": "api", "status": 403, "outcome": "forbidden" }, { "on": "api", "status": [403, 404], "outcome": "transient" }]"#,
        #"""
        [{ "on": "api", "if": { "at": "/e", "equals": "x" }, "outcome": "forbidden" },
         { "on": "api", "if": { "at": "/e", "exists": true }, "outcome": "transient" }]
        """#,
        #"""
        [{ "on": "api", "if": { "at": "/e", "exists": true }, "outcome": "forbidden" },
         { "on": "api", "if": { "at": "/e", "equals": null }, "outcome": "transient" }]
        """#,
        #"""
        [{ "on": "api", "if": { "at": "/e", "equals": "x" }, "outcome": "forbidden" },
         { "on": "api", "if": { "at": "/f", "equals": "x" }, "outcome": "transient" }]
        """#,
        #"[{ "on": "socket", "outcome": "transient" }, { "on": "socket", "close": 4401, "outcome": "accessExpired" }]"#,
        #"""
        [{ "on": "refresh", "status": 401, "outcome": "sessionEnded" }, { "on": "refresh", "status": 401, "outcome": "transient" }]
        """#,
        #"""
        [{ "on": "refresh", "if": { "at": "/e", "exists": true }, "outcome": "sessionEnded" },
         { "on": "refresh", "status": 503, "if": { "at": "/e", "equals": 1 }, "outcome": "throttled" }]
        """#,
    ])
    func `a rule that can still apply after the earlier rules is not shadowed`(text: String) throws {
        #expect(try shadow(text) == nil)
    }

    @Test func `several earlier rules can shadow a rule together`() throws {
        let text = #"""
            [{ "on": "api", "status": "400-405", "outcome": "forbidden" }, { "on": "api", "status": 500, "outcome": "transient" },
             { "on": ["api", "login"], "status": "4xx", "outcome": "refused" },
             { "on": ["api", "login"], "status": ["404-407", 500], "outcome": "transient" }]
            """#
        #expect(try shadow(text) == .init(channels: [.api], by: [0, 1, 2]))
    }

    @Test(
        arguments: [
            (#"{ "at": "/e", "equals": 1 }"#, #"{ "at": "/e", "equals": 2 }"#, true),
            (#"{ "at": "/e", "equals": 1 }"#, #"{ "at": "/e", "oneOf": ["1", 2] }"#, false),
            (#"{ "at": "/e", "equals": "abc" }"#, #"{ "at": "/e", "contains": "B" }"#, false),
            (#"{ "at": "/e", "contains": "x" }"#, #"{ "at": "/e", "equals": "abc" }"#, true),
            (#"{ "at": "/e", "contains": "x" }"#, #"{ "at": "/e", "contains": "y" }"#, false),
            (#"{ "at": "/e", "contains": "x" }"#, #"{ "at": "/e", "exists": false }"#, true),
            (#"{ "at": "/e", "exists": true }"#, #"{ "at": "/e", "exists": false }"#, true),
            (#"{ "at": "/e", "exists": false }"#, #"{ "at": "/e", "equals": null }"#, false),
            (#"{ "at": "/e", "equals": 1 }"#, #"{ "at": "/f", "equals": 2 }"#, false),
        ]
    )
    func `two conditions exclude each other if no response can meet both`(a: String, b: String, isExcluded: Bool) throws
    {
        let conditions = try rules(#"[{ "on": "api", "if": [\#(a), \#(b)], "outcome": "transient" }]"#)[0].conditions
        #expect(conditions[0].excludes(conditions[1]) == isExcluded)
        #expect(conditions[1].excludes(conditions[0]) == isExcluded)
    }
}

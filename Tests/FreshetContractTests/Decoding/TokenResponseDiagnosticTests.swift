// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Testing

@testable import FreshetContract

@Suite struct `Mistakes in token responses` {
    private static let place = "'x' names no place; write '/pointer', 'header:Name' or 'cookie:Name'."
    private static let empty = "This list must not be empty."

    @Test(
        arguments: [
            DiagnosticCase("/reply", "[]", "$.reply", "An object is expected here, not an array of 0."),
            DiagnosticCase(
                "/reply/encoding",
                "\"xml\"",
                "$.reply.encoding",
                "'xml' must be one of 'json', 'form', 'auto'."
            ),
            DiagnosticCase(
                "/reply/anyCasing",
                "1",
                "$.reply.anyCasing",
                "True or false is expected here, not a number."
            ),
            DiagnosticCase(
                "/reply/access",
                nil,
                "$.reply",
                "The key 'access' is missing: an answer must hold a token."
            ),
            DiagnosticCase("/reply/access", "[]", "$.reply.access", empty),
            DiagnosticCase("/reply/access/1", "\"x\"", "$.reply.access[1]", place),
            DiagnosticCase(
                "/reply/access/1",
                "\"header:\"",
                "$.reply.access[1]",
                place.replacing("'x'", with: "'header:'")
            ),
            DiagnosticCase(
                "/reply/access/1",
                "\"header:a b\"",
                "$.reply.access[1]",
                place.replacing("'x'", with: "'header:a b'")
            ),
            DiagnosticCase(
                "/reply/access/1",
                "\"cookie:a=b\"",
                "$.reply.access[1]",
                place.replacing("'x'", with: "'cookie:a=b'")
            ),
            DiagnosticCase("/reply/access/1", "\"\"", "$.reply.access[1]", place.replacing("'x'", with: "''")),
            DiagnosticCase("/reply/access/1", "\"/~2\"", "$.reply.access[1]", place.replacing("'x'", with: "'/~2'")),
            DiagnosticCase("/reply/access/1", "1", "$.reply.access[1]", "A string is expected here, not a number."),
            DiagnosticCase(
                "/reply/envelope",
                "\"data\"",
                "$.reply.envelope",
                "'data' is not a JSON pointer; a pointer begins with '/' or is empty."
            ),
            DiagnosticCase("/reply/envelope/1", "null", "$.reply.envelope[1]", "A string is expected here, not null."),
            DiagnosticCase("/reply/user", "7", "$.reply.user", "A string is expected here, not a number."),
            DiagnosticCase("/reply/user", "[]", "$.reply.user", empty),
            DiagnosticCase("/reply/user", "[7]", "$.reply.user[0]", "A string is expected here, not a number."),
            DiagnosticCase("/reply/user", #"[{"at": "/t"}]"#, "$.reply.user[0]", "The key 'jwt' is missing."),
            DiagnosticCase("/reply/user", #"{"jwt": ""}"#, "$.reply.user.jwt", "This must not be empty."),
            DiagnosticCase("/reply/user/id", #"{"jwt": "sub", "at": "x"}"#, "$.reply.user.id.at", place),
        ]
            + ["refresh", "session", "tokenType", "attempt", "user/id", "user/email"].map { key in
                DiagnosticCase("/reply/\(key)", "\"x\"", "$.reply.\(key.replacing("/", with: "."))", place)
            }
    )
    func `mistakes in a contract's token response are reported with their location`(mistake: DiagnosticCase) throws {
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test(arguments: [
        DiagnosticCase("/reply/success/0", "7", "$.reply.success[0]", "An object is expected here, not a number."),
        DiagnosticCase("/reply/success", "[]", "$.reply.success", empty),
        DiagnosticCase("/reply/success/0/at", nil, "$.reply.success[0]", "The key 'at' is missing."),
        DiagnosticCase("/reply/success/0/at", "\"x\"", "$.reply.success[0].at", place),
        DiagnosticCase(
            "/reply/success/0/equals",
            nil,
            "$.reply.success[0]",
            "One of equals, oneOf, contains, exists must say what is tested."
        ),
        DiagnosticCase(
            "/reply/success/0/exists",
            "true",
            "$.reply.success[0]",
            "Only one of equals, oneOf, contains, exists is allowed here."
        ),
        DiagnosticCase(
            "/reply/success/0/equals",
            "[true]",
            "$.reply.success[0].equals",
            "A string, a number, true, false or null is expected here, not an array of 1."
        ),
        DiagnosticCase(
            "/reply/success/1/exists",
            "1",
            "$.reply.success[1].exists",
            "True or false is expected here, not a number."
        ),
        DiagnosticCase("/classify/0/if/oneOf", "[]", "$.classify[0].if.oneOf", empty),
        DiagnosticCase(
            "/classify/0/if/oneOf",
            "\"a\"",
            "$.classify[0].if.oneOf",
            "A list is expected here, not a string."
        ),
        DiagnosticCase(
            "/classify/0/if/oneOf/1",
            "{}",
            "$.classify[0].if.oneOf[1]",
            "A string, a number, true, false or null is expected here, not an object of 0."
        ),
        DiagnosticCase("/classify/1/if/0/contains", "\"\"", "$.classify[1].if[0].contains", "This must not be empty."),
        DiagnosticCase("/classify/1/if", "[]", "$.classify[1].if", empty),
    ])
    func `mistakes in a contract's conditions are reported with their location`(mistake: DiagnosticCase) throws {
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test(arguments: [
        DiagnosticCase("/reply/expiry", "{}", "$.reply.expiry", "A list is expected here, not an object of 0."),
        DiagnosticCase("/reply/expiry/2", "\"jwt\"", "$.reply.expiry[2]", "An object is expected here, not a string."),
        DiagnosticCase(
            "/reply/expiry/2",
            "{}",
            "$.reply.expiry[2]",
            "One of 'in', 'at', 'jwt' and 'assume' must say where the time is."
        ),
        DiagnosticCase(
            "/reply/expiry/2/assume",
            "9",
            "$.reply.expiry[2]",
            "Only one of in, at, jwt, assume is allowed here."
        ),
        DiagnosticCase(
            "/reply/expiry/2/jwt",
            "\"iat\"",
            "$.reply.expiry[2].jwt",
            "The only claim that says when a token ends is 'exp'."
        ),
        DiagnosticCase(
            "/reply/expiry/2/jwt",
            "true",
            "$.reply.expiry[2].jwt",
            "A string is expected here, not a truth value."
        ),
        DiagnosticCase(
            "/reply/expiry/2/unit",
            "\"s\"",
            "$.reply.expiry[2].unit",
            "A unit goes with 'in' and 'at' alone."
        ),
        DiagnosticCase("/reply/expiry/1/since", "\"/a\"", "$.reply.expiry[1].since", "'since' goes with 'in' alone."),
        DiagnosticCase(
            "/reply/expiry/3/assume",
            "-1",
            "$.reply.expiry[3].assume",
            "-1 seconds are not between 0 and ten years."
        ),
        DiagnosticCase("/reply/expiry/0/in", "\"x\"", "$.reply.expiry[0].in", place),
        DiagnosticCase("/reply/expiry/0/since", "\"x\"", "$.reply.expiry[0].since", place),
        DiagnosticCase(
            "/reply/expiry/0/unit",
            "\"iso8601\"",
            "$.reply.expiry[0].unit",
            "Here the unit is one of 's', 'ms'."
        ),
        DiagnosticCase("/reply/expiry/1/at", "\"x\"", "$.reply.expiry[1].at", place),
        DiagnosticCase("/reply/expiry/1/unit", nil, "$.reply.expiry[1]", "The key 'unit' is missing."),
        DiagnosticCase(
            "/reply/expiry/1/unit",
            "\"min\"",
            "$.reply.expiry[1].unit",
            "'min' must be one of 's', 'ms', 'iso8601', 'http-date'."
        ),
        DiagnosticCase("/reply/expiryBounds", "7", "$.reply.expiryBounds", "An object is expected here, not a number."),
        DiagnosticCase("/reply/expiryBounds/min", "90000", "$.reply.expiryBounds", "'min' is more than 'max'."),
        DiagnosticCase("/reply/refreshExpiry/sources", nil, "$.reply.refreshExpiry", "The key 'sources' is missing."),
        DiagnosticCase("/reply/refreshExpiry/extends", nil, "$.reply.refreshExpiry", "The key 'extends' is missing."),
        DiagnosticCase(
            "/reply/refreshExpiry/extends",
            "\"no\"",
            "$.reply.refreshExpiry.extends",
            "True or false is expected here, not a string."
        ),
        DiagnosticCase("/reply/refreshExpiry/sources/0/in", "\"x\"", "$.reply.refreshExpiry.sources[0].in", place),
    ])
    func `mistakes in a contract's expiry times are reported with their location`(mistake: DiagnosticCase) throws {
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test func `a lifetime without a unit is in seconds`() throws {
        let document = try ContractDocument(FullContract.json.replacing("/reply/expiry/0/unit", with: nil))
        let pointers = try ["/expires_in", "/issued_at"].map { try #require(Selector($0)) }
        #expect(document.reply.expiry[0] == .lifetime(pointers[0], .seconds, since: pointers[1]))
    }
}

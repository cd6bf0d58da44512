// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Testing

@testable import FreshetContract

@Suite struct `Mistakes in a contract as a whole` {
    private static let rotations = "'always', 'optional', 'never', 'sliding', 'none', 'confirmed'"
    private static let others = "refresh, confirm, report, logout, logoutAll, sessions.list, sessions.revoke, me"

    @Test func `the full contract fixture has no mistakes`() {
        #expect(diagnostics(in: FullContract.json) == [])
    }

    @Test(arguments: [
        DiagnosticCase("", "[]", "$", "An object is expected here, not an array of 0."),
        DiagnosticCase("/contract", nil, "$", "The key 'contract' is missing."),
        DiagnosticCase("/contract", "2", "$", "The format is 2; this version reads format 1."),
        DiagnosticCase("/contract", "0.9", "$", "The format is 0.9; this version reads format 1."),
        DiagnosticCase("/contract", "\"1\"", "$", "The format is 1; this version reads format 1."),
        DiagnosticCase("/contract", "null", "$", "The format is null; this version reads format 1."),
        DiagnosticCase("/contract", "1e300", "$", "The format is 1e300; this version reads format 1."),
        DiagnosticCase("/contract", "-1e999", "$", "The format is -1e999; this version reads format 1."),
        DiagnosticCase("/name", nil, "$", "The key 'name' is missing."),
        DiagnosticCase("/name", "\"\"", "$.name", "This must not be empty."),
        DiagnosticCase(
            "/name",
            "\"Full\"",
            "$.name",
            "A contract's name consists of a-z, 0-9 and '-', and does not begin with '-'."
        ),
        DiagnosticCase(
            "/name",
            "\"-a\"",
            "$.name",
            "A contract's name consists of a-z, 0-9 and '-', and does not begin with '-'."
        ),
        DiagnosticCase(
            "/name",
            "\"é\"",
            "$.name",
            "A contract's name consists of a-z, 0-9 and '-', and does not begin with '-'."
        ),
        DiagnosticCase("/title", "7", "$.title", "A string is expected here, not a number."),
        DiagnosticCase("/reply", nil, "$", "The key 'reply' is missing."),
        DiagnosticCase("/rotation", nil, "$", "The key 'rotation' is missing."),
        DiagnosticCase("/rotation", "\"often\"", "$.rotation", "'often' must be one of \(rotations)."),
        DiagnosticCase("/reuseGrace", "-1", "$.reuseGrace", "-1 seconds are not between 0 and ten years."),
        DiagnosticCase("/reuseGrace", "1e9", "$.reuseGrace", "1e9 seconds are not between 0 and ten years."),
        DiagnosticCase("/reuseGrace", "1e999", "$.reuseGrace", "1e999 seconds are not between 0 and ten years."),
        DiagnosticCase("/reuseGrace", "\"30\"", "$.reuseGrace", "A number of seconds is expected here, not a string."),
        DiagnosticCase(
            "/policy/refreshBefore",
            "true",
            "$.policy.refreshBefore",
            "A number of seconds is expected here, not a truth value."
        ),
        DiagnosticCase("/replay/methods", nil, "$.replay", "The key 'methods' is missing."),
        DiagnosticCase(
            "/replay/methods/0",
            "\"get\"",
            "$.replay.methods[0]",
            "'get' is not a method; methods are written in capitals."
        ),
        DiagnosticCase("/errors", "\"/error\"", "$.errors", "An object is expected here, not a string."),
        DiagnosticCase(
            "/errors/code",
            "\"error\"",
            "$.errors.code",
            "'error' names no place; write '/pointer', 'header:Name' or 'cookie:Name'."
        ),
    ])
    func `mistakes in a contract are reported with their location`(mistake: DiagnosticCase) throws {
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test(arguments: [
        DiagnosticCase(
            "/variables/email",
            "{}",
            "$.variables.email",
            "'email' has a meaning of its own; choose another name."
        ),
        DiagnosticCase(
            "/variables/client id",
            "{}",
            "$.variables[\"client id\"]",
            "'client id' is not a name; names consist of letters, digits and '_'."
        ),
        DiagnosticCase(
            "/secrets/client_id",
            "{}",
            "$.secrets.client_id",
            "'client_id' is a variable as well; one of the two must go."
        ),
        DiagnosticCase(
            "/secrets/api_key/default",
            "\"x\"",
            "$.secrets.api_key.default",
            "A contract holds no secret, so a secret has no default."
        ),
        DiagnosticCase("/variables/tenant", "7", "$.variables.tenant", "An object is expected here, not a number."),
        DiagnosticCase("/variables", "[]", "$.variables", "An object is expected here, not an array of 0."),
        DiagnosticCase("/secrets", "null", "$.secrets", "An object is expected here, not null."),
    ])
    func `mistakes in names are reported with their location`(mistake: DiagnosticCase) throws {
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test(arguments: [
        DiagnosticCase(
            "/endpoints/signin",
            "{}",
            "$.endpoints.signin",
            "There is no endpoint 'signin'. Sign-ins begin with 'login.', the others are \(others)."
        ),
        DiagnosticCase(
            "/endpoints/login.",
            "{}",
            "$.endpoints[\"login.\"]",
            "There is no endpoint 'login.'. Sign-ins begin with 'login.', the others are \(others)."
        ),
        DiagnosticCase(
            "/endpoints/refresh",
            nil,
            "$",
            "Without an endpoint 'refresh' the rotation can only be 'none'."
        ),
        DiagnosticCase("/endpoints", nil, "$", "Without an endpoint 'refresh' the rotation can only be 'none'."),
        DiagnosticCase("/endpoints", "[]", "$.endpoints", "An object is expected here, not an array of 0."),
        DiagnosticCase(
            "/rotation",
            "\"none\"",
            "$.rotation",
            "There is an endpoint 'refresh', so the rotation cannot be 'none'."
        ),
    ])
    func `mistakes in the choice of endpoints are reported with their location`(mistake: DiagnosticCase) throws {
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test(arguments: ["always", "confirmed"])
    func `a missing place for the refresh token is reported if the rotation needs one`(rotation: String) {
        let json = FullContract.json.replacing("/reply/refresh", with: nil).replacing(
            "/rotation",
            with: .string(rotation)
        )
        let sentence = "The rotation is '\(rotation)', so 'refresh' must say where the token is."
        #expect(diagnostics(in: json).contains(ContractDiagnostic(path: "$.reply", sentence: sentence)))
    }

    @Test(arguments: ["confirm", "report", "logout"])
    func `a missing endpoint of a confirmed rotation is reported`(name: String) {
        let call = JSONValue.object(JSONObject([.init("path", .string("/x"))]))
        var json = FullContract.json.replacing("/rotation", with: .string("confirmed"))
        for name in ["confirm", "report", "logout"] { json = json.replacing("/endpoints/\(name)", with: call) }
        #expect(diagnostics(in: json) == [])
        let sentence = "The rotation is 'confirmed', so there must be an endpoint '\(name)'."
        #expect(
            diagnostics(in: json.replacing("/endpoints/\(name)", with: nil))
                == [ContractDiagnostic(path: "$", sentence: sentence)]
        )
    }

    @Test func `a text that is not JSON is reported with its line and column`() {
        let fault = "This is not JSON: line 2, column 3: a member of an object begins with its name."
        #expect(throws: ContractDecodingError(diagnostics: [.init(path: "$", sentence: fault)])) {
            try ContractDocument(reading: "{\n  name: 1 }".utf8)
        }
    }

    @Test func `all mistakes are reported together, in the order of the file's sections`() {
        let json = FullContract.json
            .replacing("/name", with: .string("No Name"))
            .replacing("/endpoints/refresh/path", with: nil)
            .replacing("/endpoints/refresh/timeout", with: .string("long"))
            .replacing("/reply/access", with: .string("access"))
            .replacing("/classify/0/outcome", with: .string("over"))
            .replacing("/classify/0/status", with: .string("all"))
            .replacing("/socket/renewal", with: .string("never"))
            .replacing("/server/rotation", with: nil)
            .replacing("/facts/refresh/checked", with: .array([]))
        #expect(
            diagnostics(in: json).map(\.path) == [
                "$.name", "$.endpoints.refresh", "$.endpoints.refresh.timeout", "$.reply.access",
                "$.classify[0].outcome", "$.classify[0].status", "$.socket.renewal", "$.server", "$.facts.refresh",
            ]
        )
    }
}

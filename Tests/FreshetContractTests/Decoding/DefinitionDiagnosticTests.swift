// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Testing

@testable import FreshetContract

@Suite struct `Mistakes in sockets, storage, facts and the server's part` {
    private static let names = ServerDefinition.names.sorted().joined(separator: ", ")
    private static let renewal = "The renewal is 'reconnect' or an object with a 'message'."

    @Test(arguments: [
        DiagnosticCase("/socket", "[]", "$.socket", "An object is expected here, not an array of 0."),
        DiagnosticCase("/socket/path", nil, "$.socket", "The key 'path' is missing."),
        DiagnosticCase("/socket/token", nil, "$.socket", "The key 'token' is missing."),
        DiagnosticCase(
            "/socket/token",
            "{}",
            "$.socket.token",
            "One of query, header, subprotocol, message must say where the token goes."
        ),
        DiagnosticCase(
            "/socket/token/query",
            "\"t\"",
            "$.socket.token",
            "Only one of query, header, subprotocol, message is allowed here."
        ),
        DiagnosticCase(
            "/socket/token",
            #"{"query":"t","scheme":"A"}"#,
            "$.socket.token.scheme",
            "A scheme goes with 'header' alone."
        ),
        DiagnosticCase("/socket/token", #"{"query":""}"#, "$.socket.token.query", "This must not be empty."),
        DiagnosticCase("/socket/token/header", "\"a b\"", "$.socket.token.header", "'a b' is not a header name."),
        DiagnosticCase(
            "/socket/token/scheme",
            "\"a b\"",
            "$.socket.token.scheme",
            "'a b' is not a scheme; a scheme is one word, or empty for none."
        ),
        DiagnosticCase("/socket/renewal", "\"push\"", "$.socket.renewal", renewal),
        DiagnosticCase("/socket/renewal", "7", "$.socket.renewal", renewal),
        DiagnosticCase("/socket/renewal/message", nil, "$.socket.renewal", "The key 'message' is missing."),
    ])
    func `mistakes in sockets are reported with their location`(mistake: DiagnosticCase) throws {
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test(arguments: [
        DiagnosticCase(
            "/storage/synchronizable",
            "0",
            "$.storage.synchronizable",
            "True or false is expected here, not a number."
        ),
        DiagnosticCase("/storage/imports", "{}", "$.storage.imports", "A list is expected here, not an object of 0."),
        DiagnosticCase("/storage/imports/0/access", nil, "$.storage.imports[0]", "The key 'access' is missing."),
        DiagnosticCase("/storage/imports/0/access", "\"\"", "$.storage.imports[0].access", "This must not be empty."),
        DiagnosticCase(
            "/storage/imports/0/refresh",
            "7",
            "$.storage.imports[0].refresh",
            "A string is expected here, not a number."
        ),
        DiagnosticCase(
            "/storage/imports/0/expiresAt",
            "\"e\"",
            "$.storage.imports[0].expiresAt",
            "An object is expected here, not a string."
        ),
        DiagnosticCase(
            "/storage/imports/0/expiresAt/item",
            nil,
            "$.storage.imports[0].expiresAt",
            "One of 'item' and 'itemNamedBy' must say which item it is."
        ),
        DiagnosticCase(
            "/storage/imports/1/access/at",
            "\"access\"",
            "$.storage.imports[1].access.at",
            "'access' is not a JSON pointer; a pointer begins with '/' or is empty."
        ),
        DiagnosticCase(
            "/storage/imports/1/access/item",
            "\"x\"",
            "$.storage.imports[1].access",
            "Only one of item, itemNamedBy is allowed here."
        ),
        DiagnosticCase(
            "/storage/imports/1/access/itemNamedBy/service",
            "\"\"",
            "$.storage.imports[1].access.itemNamedBy.service",
            "This must not be empty."
        ),
        DiagnosticCase(
            "/storage/imports/0/expiresAt/unit",
            nil,
            "$.storage.imports[0].expiresAt",
            "The key 'unit' is missing."
        ),
        DiagnosticCase(
            "/storage/imports/0/expiresAt/unit",
            "\"http-date\"",
            "$.storage.imports[0].expiresAt.unit",
            "Here the unit is one of 'iso8601', 's', 'ms'."
        ),
        DiagnosticCase("/facts", "[]", "$.facts", "An object is expected here, not an array of 0."),
        DiagnosticCase("/facts/refresh/text", nil, "$.facts.refresh", "The key 'text' is missing."),
        DiagnosticCase("/facts/refresh/checked", nil, "$.facts.refresh", "The key 'checked' is missing."),
        DiagnosticCase(
            "/facts/refresh/checked/0",
            "\"X\"",
            "$.facts.refresh.checked[0]",
            "'X' must be one of 'R', 'S', 'D', 'I', 'K'."
        ),
        DiagnosticCase(
            "/facts/refresh/checked",
            "[]",
            "$.facts.refresh",
            "Every fact says how it is known; what is not verified is marked 'K'."
        ),
    ])
    func `mistakes in storage and facts are reported with their location`(mistake: DiagnosticCase) throws {
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test(arguments: [
        DiagnosticCase("/server/rotation", nil, "$.server", "The key 'rotation' is missing."),
        DiagnosticCase(
            "/server/rotation",
            "\"always\"",
            "$.server.rotation",
            "'always' must be one of 'plain', 'static'."
        ),
        DiagnosticCase(
            "/server/lifetimes/idle",
            "\"7d\"",
            "$.server.lifetimes.idle",
            "A number of seconds is expected here, not a string."
        ),
        DiagnosticCase(
            "/server/replies/signin",
            "{}",
            "$.server.replies.signin",
            "There is no endpoint 'signin' to reply to; 'login' stands for all sign-ins."
        ),
        DiagnosticCase(
            "/server/replies/login.password",
            "{}",
            "$.server.replies[\"login.password\"]",
            "'login' and 'login.password' are the same reply; one of them must go."
        ),
        DiagnosticCase(
            "/server/replies/login/status",
            "199",
            "$.server.replies.login.status",
            "A status is a number from 200 to 599."
        ),
        DiagnosticCase(
            "/server/replies/login/status",
            "\"200\"",
            "$.server.replies.login.status",
            "A status is a number from 200 to 599."
        ),
        DiagnosticCase(
            "/server/replies/login/json/ok",
            "\"$password\"",
            "$.server.replies.login.json.ok",
            "'password' is not a value of a response; the values are \(names)."
        ),
        DiagnosticCase(
            "/server/replies/refresh/headers/X",
            "\"$tenant\"",
            "$.server.replies.refresh.headers.X",
            "'tenant' is not a value of a response; the values are \(names)."
        ),
        DiagnosticCase("/server/resources", "{}", "$.server.resources", "A list is expected here, not an object of 0."),
        DiagnosticCase("/server/resources/0/path", nil, "$.server.resources[0]", "The key 'path' is missing."),
        DiagnosticCase(
            "/server/resources/0/path",
            "\"posts\"",
            "$.server.resources[0].path",
            "A path begins with '/'."
        ),
        DiagnosticCase("/server/resources/0/reply", nil, "$.server.resources[0]", "The key 'reply' is missing."),
        DiagnosticCase(
            "/server/resources/0/method",
            "\"get\"",
            "$.server.resources[0].method",
            "'get' is not a method; methods are written in capitals."
        ),
        DiagnosticCase(
            "/server/errors/gone",
            "{}",
            "$.server.errors.gone",
            "There is no error 'gone'; those are accessExpired, sessionEnded, superseded, refused, invalidRequest, forbidden, notFound, throttled, unavailable."
        ),
        DiagnosticCase(
            "/server/errors/sessionEnded",
            "[]",
            "$.server.errors.sessionEnded",
            "An object is expected here, not an array of 0."
        ),
    ])
    func `mistakes in the server's section are reported with their location`(mistake: DiagnosticCase) throws {
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test func `the server section's replies and lifetimes are decoded`() throws {
        let document = try ContractDocument(FullContract.json)
        #expect(document.server?.replies.keys.contains(.password) == true)
        #expect(document.server?.lifetimes == .init(access: 900, idle: 604_800, absolute: 2_592_000))
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import ContractFixtures
import Testing

@testable import FreshetContract

@Suite struct `Mistakes in endpoints` {
    private static let unknownName = "'who' is neither built in nor among the variables and secrets."
    private static let path = "A path begins with '/' and has no query; use the key for the query."
    private static let control = "must not contain line breaks or other control characters."

    @Test(arguments: [
        DiagnosticCase("/endpoints/me", "7", "$.endpoints.me", "An object is expected here, not a number."),
        DiagnosticCase("/endpoints/me/path", nil, "$.endpoints.me", "The key 'path' is missing."),
        DiagnosticCase("/endpoints/me/path", "\"me\"", "$.endpoints.me.path", path),
        DiagnosticCase("/endpoints/me/path", "\"\"", "$.endpoints.me.path", path),
        DiagnosticCase("/endpoints/me/path", "\"${tenant}/me\"", "$.endpoints.me.path", path),
        DiagnosticCase("/endpoints/me/path", "\"/me?a=1\"", "$.endpoints.me.path", path),
        DiagnosticCase("/endpoints/me/path", "\"/${tenant}?a=1\"", "$.endpoints.me.path", path),
        DiagnosticCase("/endpoints/me/path", "\"/me#top\"", "$.endpoints.me.path", path),
        DiagnosticCase(
            "/endpoints/me/method",
            "\"Get\"",
            "$.endpoints.me.method",
            "'Get' is not a method; methods are written in capitals."
        ),
        DiagnosticCase("/endpoints/me/method", "\"\"", "$.endpoints.me.method", "This must not be empty."),
        DiagnosticCase(
            "/endpoints/me/attach",
            "\"yes\"",
            "$.endpoints.me.attach",
            "True or false is expected here, not a string."
        ),
        DiagnosticCase("/endpoints/me/timeout", "0.5", "$.endpoints.me.timeout", "A timeout is at least one second."),
        DiagnosticCase("/endpoints/me/json", "{}", "$.endpoints.me", "A GET request has no body."),
        DiagnosticCase("/endpoints/me/form", "{}", "$.endpoints.me", "A GET request has no body."),
        DiagnosticCase("/endpoints/refresh/method", "\"HEAD\"", "$.endpoints.refresh", "A HEAD request has no body."),
        DiagnosticCase(
            "/endpoints/refresh/json",
            "{}",
            "$.endpoints.refresh",
            "Only one of json, form is allowed here."
        ),
        DiagnosticCase("/endpoints/me/contentType", "\"\"", "$.endpoints.me.contentType", "This must not be empty."),
        DiagnosticCase("/endpoints/me/contentType", #""a\r\nb""#, "$.endpoints.me.contentType", "A header \(control)"),
    ])
    func `mistakes in endpoints are reported with their location`(mistake: DiagnosticCase) throws {
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test(arguments: [
        DiagnosticCase(
            "/endpoints/refresh/query",
            "[]",
            "$.endpoints.refresh.query",
            "An object is expected here, not an array of 0."
        ),
        DiagnosticCase(
            "/endpoints/refresh/query",
            "{\"\":\"1\"}",
            "$.endpoints.refresh.query[\"\"]",
            "A field needs a name."
        ),
        DiagnosticCase(
            "/endpoints/refresh/form",
            "[]",
            "$.endpoints.refresh.form",
            "An object is expected here, not an array of 0."
        ),
        DiagnosticCase(
            "/endpoints/refresh/form/token",
            "1",
            "$.endpoints.refresh.form.token",
            "A string is expected here, not a number."
        ),
        DiagnosticCase(
            "/endpoints/refresh/headers",
            "[]",
            "$.endpoints.refresh.headers",
            "An object is expected here, not an array of 0."
        ),
        DiagnosticCase(
            "/endpoints/refresh/headers",
            "{\"a b\":\"1\"}",
            "$.endpoints.refresh.headers[\"a b\"]",
            "'a b' is not a header name."
        ),
        DiagnosticCase(
            "/endpoints/refresh/headers",
            #"{"X":"a\nb"}"#,
            "$.endpoints.refresh.headers.X",
            "A header \(control)"
        ),
        DiagnosticCase(
            "/endpoints/refresh/cookies",
            "{\"a;b\":\"1\"}",
            "$.endpoints.refresh.cookies[\"a;b\"]",
            "'a;b' is not a cookie name."
        ),
        DiagnosticCase(
            "/endpoints/refresh/cookies",
            #"{"a":"\u007f"}"#,
            "$.endpoints.refresh.cookies.a",
            "A cookie \(control)"
        ),
        DiagnosticCase(
            "/endpoints/refresh/basic",
            "\"u:p\"",
            "$.endpoints.refresh.basic",
            "A list is expected here, not a string."
        ),
        DiagnosticCase(
            "/endpoints/refresh/basic",
            "[\"u\"]",
            "$.endpoints.refresh.basic",
            "A list of two templates is expected here: user and password."
        ),
        DiagnosticCase(
            "/endpoints/refresh/basic/1",
            "7",
            "$.endpoints.refresh.basic[1]",
            "A string is expected here, not a number."
        ),
    ])
    func `mistakes in the fields and headers of endpoints are reported with their location`(mistake: DiagnosticCase)
        throws
    {
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test(arguments: [
        DiagnosticCase(
            "/endpoints/me/path",
            "\"/$\"",
            "$.endpoints.me.path",
            "This is not a template: a name follows '$'; '$$' is a dollar sign."
        ),
        DiagnosticCase(
            "/endpoints/me/path",
            "\"/${id\"",
            "$.endpoints.me.path",
            "This is not a template: '${id' lacks its '}'."
        ),
        DiagnosticCase("/endpoints/me/path", "\"/$who\"", "$.endpoints.me.path", unknownName),
        DiagnosticCase("/endpoints/me/query", "{\"q\":\"$who\"}", "$.endpoints.me.query.q", unknownName),
        DiagnosticCase("/endpoints/me/headers", "{\"X\":\"$who $who\"}", "$.endpoints.me.headers.X", unknownName),
        DiagnosticCase("/endpoints/me/cookies", "{\"c\":\"$who\"}", "$.endpoints.me.cookies.c", unknownName),
        DiagnosticCase("/endpoints/refresh/form/token", "\"$who\"", "$.endpoints.refresh.form.token", unknownName),
        DiagnosticCase("/endpoints/refresh/basic/0", "\"$who\"", "$.endpoints.refresh.basic[0]", unknownName),
        DiagnosticCase(
            "/endpoints/login.password/json/more/4/password",
            "\"$who\"",
            "$.endpoints[\"login.password\"].json.more[4].password",
            unknownName
        ),
        DiagnosticCase("/attach/headers/X-Tenant", "\"$who\"", "$.attach.headers[\"X-Tenant\"]", unknownName),
        DiagnosticCase("/socket/path", "\"/$who\"", "$.socket.path", unknownName),
        DiagnosticCase("/socket/token", "{\"subprotocol\":\"$who\"}", "$.socket.token.subprotocol", unknownName),
        DiagnosticCase("/socket/token", "{\"message\":[\"$who\"]}", "$.socket.token.message[0]", unknownName),
        DiagnosticCase("/socket/renewal/message/op", "\"$who\"", "$.socket.renewal.message.op", unknownName),
        DiagnosticCase(
            "/endpoints/me/path",
            "\"/$expires_in\"",
            "$.endpoints.me.path",
            unknownName.replacing("who", with: "expires_in")
        ),
    ])
    func `mistakes in templates are reported with their location`(mistake: DiagnosticCase) throws {
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }

    @Test(arguments: [
        DiagnosticCase("/attach/header", "\"X Access\"", "$.attach.header", "'X Access' is not a header name."),
        DiagnosticCase("/attach/header", "\"\"", "$.attach.header", "This must not be empty."),
        DiagnosticCase(
            "/attach/scheme",
            "\"Bearer \"",
            "$.attach.scheme",
            "'Bearer ' is not a scheme; a scheme is one word, or empty for none."
        ),
        DiagnosticCase("/attach/headers", "{\"é\":\"1\"}", "$.attach.headers[\"é\"]", "'é' is not a header name."),
        DiagnosticCase("/attach/hosts", "\"a.example\"", "$.attach.hosts", "A list is expected here, not a string."),
        DiagnosticCase("/attach/hosts/0", "\"\"", "$.attach.hosts[0]", "This must not be empty."),
    ])
    func `mistakes in the attach section are reported with their location`(mistake: DiagnosticCase) throws {
        #expect(try mistake.told() == [ContractDiagnostic(path: mistake.path, sentence: mistake.sentence)])
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Testing

@testable import FreshetContract
@testable import FreshetContractLint

@Suite struct `Advice on requests` {
    @Test(arguments: [
        LintCase(
            [("/endpoints/login.password/json/password", nil)],
            error: "$.endpoints[\"login.password\"]",
            "It does not send the password."
        ),
        LintCase(
            [("/endpoints/login.signup", #"{ "path": "/signup" }"#)],
            error: "$.endpoints[\"login.signup\"]",
            "It does not send the password."
        ),
        LintCase(
            [("/endpoints/login.code.verify/json/code", nil)],
            error: "$.endpoints[\"login.code.verify\"]",
            "It does not send the code."
        ),
        LintCase(
            [("/endpoints/login.apple", #"{ "path": "/apple", "json": "$nonce" }"#)],
            error: "$.endpoints[\"login.apple\"]",
            "It does not send the identity token."
        ),
        LintCase(
            [("/endpoints/sessions.revoke/path", "\"/sessions\"")],
            error: "$.endpoints[\"sessions.revoke\"]",
            "It does not send the session's id."
        ),
        LintCase(
            [("/endpoints/me/attach", nil)],
            error: "$.endpoints.me",
            "Nothing in it says whose session it is about."
        ),
        LintCase(
            [("/endpoints/logout/json", nil)],
            error: "$.endpoints.logout",
            "Nothing in it says whose session it is about."
        ),
        LintCase(
            [("/endpoints/logout", nil)],
            warning: "$.endpoints",
            "There is no endpoint 'logout': signing out deletes the client's tokens, but they stay valid."
        ),
    ])
    func `a request without a required value or a missing logout endpoint is reported`(flaw: LintCase) throws {
        try flaw.check()
    }

    @Test(arguments: [
        LintCase(
            [("/endpoints/refresh/form/who", "\"$email\"")],
            warning: "$.endpoints.refresh.form.who",
            "There is no value for 'email' then, so this is never sent."
        ),
        LintCase(
            [("/endpoints/refresh/headers", #"{ "X": "n=$nonce" }"#)],
            error: "$.endpoints.refresh.headers.X",
            "There is no value for 'nonce' then, so the request can never be made."
        ),
        LintCase(
            [("/endpoints/refresh/form/intent", "\"$intent\"")],
            warning: "$.endpoints.refresh.form.intent",
            "There is no value for 'intent' then, so this is never sent."
        ),
        LintCase(
            [("/endpoints/me/path", "\"/me/${id}\"")],
            error: "$.endpoints.me.path",
            "There is no value for 'id' then, so the request can never be made."
        ),
        LintCase(
            [("/attach", #"{ "headers": { "X-User": "$email" } }"#)],
            warning: "$.attach.headers[\"X-User\"]",
            "There is no value for 'email' then, so this is never sent."
        ),
        LintCase(
            [("/socket/path", "\"/ws/${id}\"")],
            error: "$.socket.path",
            "There is no value for 'id' then, so the request can never be made."
        ),
    ])
    func `a template variable that has no value in its request is reported`(flaw: LintCase) throws { try flaw.check() }

    @Test func `a custom sign-in may use any value that the app supplies`() throws {
        let changes = [("/endpoints/login.sms", #"{ "path": "/sms", "json": ["$code", "$nonce", "a $id"] }"#)]
        #expect(try LintCase.advice(changes) == [])
    }

    @Test(arguments: [
        LintCase(
            [("/endpoints/refresh/headers", #"{ "x-A": "1", "X-a": "2" }"#)],
            error: "$.endpoints.refresh.headers[\"X-a\"]",
            "The header 'X-a' has a value already ($.endpoints.refresh.headers[\"x-A\"])."
        ),
        LintCase(
            [
                ("/endpoints/refresh/headers", #"{ "authorization": "1" }"#),
                ("/endpoints/refresh/basic", #"["a", "b"]"#),
            ],
            error: "$.endpoints.refresh.basic",
            "The header 'Authorization' has a value already ($.endpoints.refresh.headers.authorization)."
        ),
        LintCase(
            [("/endpoints/me/basic", #"["a", "b"]"#)],
            error: "$.endpoints.me.attach",
            "The header 'Authorization' has a value already ($.endpoints.me.basic)."
        ),
        LintCase(
            [("/endpoints/me/headers", #"{ "Cookie": "a=b" }"#), ("/endpoints/me/cookies", #"{ "c": "d" }"#)],
            error: "$.endpoints.me.cookies",
            "The header 'Cookie' has a value already ($.endpoints.me.headers.Cookie)."
        ),
        LintCase(
            [
                ("/endpoints/refresh/headers", #"{ "content-type": "a/b" }"#),
                ("/endpoints/refresh/contentType", "\"c/d\""),
            ],
            error: "$.endpoints.refresh.contentType",
            "The header 'Content-Type' has a value already ($.endpoints.refresh.headers[\"content-type\"])."
        ),
        LintCase(
            [("/attach", #"{ "headers": { "authorization": "x" } }"#)],
            error: "$.attach.headers.authorization",
            "This header carries the access token."
        ),
        LintCase(
            [("/endpoints/me/contentType", "\"a/b\"")],
            warning: "$.endpoints.me.contentType",
            "There is no body that could be of this type."
        ),
        LintCase(
            [("/endpoints/refresh/basic", #"["", "$client_id"]"#)],
            warning: "$.endpoints.refresh.basic[0]",
            "The user is empty."
        ),
        LintCase(
            [("/endpoints/refresh/basic", #"["a:$client_id", ""]"#)],
            error: "$.endpoints.refresh.basic[0]",
            "A user name in HTTP's Basic scheme must not contain ':' (RFC 7617 section 2)."
        ),
    ])
    func `duplicate and invalid headers of a request are reported`(flaw: LintCase) throws { try flaw.check() }

    private static let logged = "is in the URL, which servers and proxies write into their logs."

    @Test(arguments: [
        LintCase(
            [("/endpoints/refresh/query", #"{ "t": "$refresh_token" }"#)],
            error: "$.endpoints.refresh.query.t",
            "'$refresh_token' \(logged)"
        ),
        LintCase(
            [("/endpoints/logout/path", "\"/out/${refresh_token}\"")],
            error: "$.endpoints.logout.path",
            "'$refresh_token' \(logged)"
        ),
        LintCase(
            [("/endpoints/login.password/query", #"{ "p": "$password" }"#)],
            error: "$.endpoints[\"login.password\"].query.p",
            "'$password' \(logged)"
        ),
        LintCase(
            [("/secrets", #"{ "key": {} }"#), ("/endpoints/refresh/query", #"{ "key": "$key" }"#)],
            error: "$.endpoints.refresh.query.key",
            "'$key' \(logged)"
        ),
        LintCase(
            [("/secrets", #"{ "key": {} }"#), ("/socket/path", "\"/ws/$key\"")],
            error: "$.socket.path",
            "'$key' \(logged)"
        ),
        LintCase(
            [("/endpoints/me/query", #"{ "t": "$access_token" }"#)],
            warning: "$.endpoints.me.query.t",
            "The access token \(logged)"
        ),
        LintCase(
            [("/attach", #"{ "headers": { "X": "$refresh_token" } }"#)],
            error: "$.attach.headers.X",
            "Every request of the app would carry the refresh token."
        ),
        LintCase(
            [("/socket/token", #"{ "message": ["$access_token", "$refresh_token"] }"#)],
            error: "$.socket.token.message[1]",
            "A socket must receive access tokens only."
        ),
    ])
    func `a secret or token in a URL or another exposed place is reported`(flaw: LintCase) throws { try flaw.check() }

    @Test func `a public value may be part of a URL`() throws {
        let query = #"{ "key": "$client_id" }"#
        #expect(try LintCase.advice([("/endpoints/refresh/query", query), ("/endpoints/me/query", query)]) == [])
    }
}

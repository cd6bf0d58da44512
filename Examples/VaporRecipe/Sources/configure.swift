// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetVerification
import Vapor

func configure(_ application: Application, server: URL, issuer: String, clientSecret: String) throws {
    // snippet.show
    let rules = TokenRules(issuer: issuer, audience: "api")
    let client = ClientCredentials(id: "backend", secret: clientSecret)
    let verifier = try TokenVerifier(server: server, rules: rules, client: client, fetch: AsyncHTTPClientFetch.send)
    application.lifecycle.use(EndedSessionsFollower(verifier))
    let api = application.grouped(TokenMiddleware(verifier: verifier))
    api.get("whoami") { request in try request.auth.require(TokenUser.self).token.subject }
    // snippet.hide
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

// snippet.hide
import Foundation
import FreshetHummingbird
import FreshetVerification
import Hummingbird

/// A backend that accepts the access tokens of a Freshet server.
@main
enum Backend {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let server = URL(string: environment["FRESHET_SERVER"] ?? "http://127.0.0.1:8080") else { return }
        let issuer = environment["FRESHET_ISSUER"] ?? "http://localhost"
        let secret = environment["FRESHET_CLIENT_SECRET"] ?? ""
        let leeway = environment["FRESHET_LEEWAY"].flatMap(Double.init) ?? 30
        let port = environment["PORT"].flatMap(Int.init) ?? 8081
        // snippet.show
        let rules = TokenRules(issuer: issuer, audience: "api", leeway: leeway)
        let client = ClientCredentials(id: "backend", secret: secret)
        let verifier = try TokenVerifier(server: server, rules: rules, client: client, fetch: AsyncHTTPClientFetch.send)
        let router = Router(context: BackendContext.self)
        router.add(middleware: BearerMiddleware(verifier))
        router.get("/whoami") { _, context in context.token?.subject ?? "" }
        var application = Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)))
        application.addServices(EndedSessionsService(verifier, logger: application.logger))
        try await application.runService()
        // snippet.hide
    }
}

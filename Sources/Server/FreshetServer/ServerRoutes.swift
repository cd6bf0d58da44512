// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Crypto
import FreshetContract
import FreshetContractServer
import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetPages
import HTTPTypes

/// All routes of a server: the native ones and those of its contracts.
struct ServerRoutes {
    private(set) var table = RouteTable()
    /// The paths at which a request can be upgraded to a WebSocket.
    private(set) var endpoints = SocketEndpoints()
    /// The pages that show errors to users.
    private(set) var errorPages: [ErrorPage] = []

    init(_ parts: ServerParts, listener: SocketListener?) throws {
        let bodyLimit = parts.configuration.limits.bodyBytes
        let signIn = parts.signIn
        SignInRoutes(passwords: signIn.passwords, codes: signIn.codes, clients: parts.clients, bodyLimit: bodyLimit)
            .add(to: &table)
        AccountRoutes(
            passwords: signIn.passwordChange,
            links: signIn.links,
            bearer: parts.bearer,
            bodyLimit: bodyLimit
        ).add(to: &table)
        if let apple = signIn.apple { AppleRoutes(login: apple, bodyLimit: bodyLimit).add(to: &table) }
        RefreshRoutes(sessions: parts.sessions, bodyLimit: bodyLimit).add(to: &table)
        SessionRoutes(sessions: parts.sessions, bearer: parts.bearer).add(to: &table)
        ProfileRoutes(sessions: parts.sessions, bearer: parts.bearer, bodyLimit: bodyLimit).add(to: &table)
        addOAuth(parts)
        JWKSRoutes(keys: parts.keys).add(to: &table)
        HealthRoutes(database: parts.database).add(to: &table)
        let native = Self.endpoint(try .native(), parts, listener)
        SocketRoutes(endpoint: native).add(to: &table)
        endpoints.add(native)
        RevocationFeedRoutes(clients: parts.clients, reader: parts.feed).add(to: &table)
        OpenAPIDocument(table).add(to: &table)
        if parts.configuration.pages.isOn {
            let account = AccountPages(
                parts.configuration.pages,
                transport: parts.configuration.pageTransport,
                codes: signIn.codes,
                sessions: parts.sessions,
                audit: parts.audit
            )
            account.add(to: &table)
            errorPages.append(account.site.errorPage)
        }
        guard !parts.configuration.contracts.isEmpty else { return }
        // The native paths take precedence: a contract whose path collides with a native one is refused. The configuration's
        // validation has compared those of the API; those of pages are known only here.
        var map = RouteRegistry(table.routes)
        for contract in parts.configuration.contracts { try add(contract, parts, listener, &map) }
    }

    private mutating func addOAuth(_ parts: ServerParts) {
        let configuration = parts.configuration
        let bodyLimit = configuration.limits.bodyBytes
        OAuthRoutes(clients: parts.clients, sessions: parts.sessions, bearer: parts.bearer, bodyLimit: bodyLimit)
            .add(to: &table)
        IntrospectionRoutes(
            clients: parts.clients,
            sessions: parts.sessions,
            bearer: parts.bearer,
            issuer: configuration.issuer,
            audience: configuration.audience,
            bodyLimit: bodyLimit
        ).add(to: &table)
        MetadataRoutes(issuer: configuration.issuer, registry: parts.clients.registry).add(to: &table)
    }

    private mutating func add(
        _ contract: ServedContract,
        _ parts: ServerParts,
        _ listener: SocketListener?,
        _ map: inout RouteRegistry
    ) throws {
        let actions = ContractActions(
            sessionPolicy: contract.sessionPolicy,
            requestAuthorization: contract.document.requestAuthorization,
            passwords: parts.signIn.passwords,
            codes: parts.signIn.codes,
            apple: parts.signIn.apple,
            sessions: parts.sessions,
            bearer: parts.bearer
        )
        let bodyLimit = parts.configuration.limits.bodyBytes
        let routes = ContractRoutes(contract: contract, actions: actions, bodyLimit: bodyLimit)
        try routes.add(to: &table, &map)
        guard let terms = try routes.socketPolicy() else { return }
        let endpoint = Self.endpoint(terms, parts, listener)
        routes.add(endpoint, to: &table)
        endpoints.add(endpoint)
    }

    private static func endpoint(_ policy: SocketEndpointPolicy, _ parts: ServerParts, _ listener: SocketListener?)
        -> SocketEndpoint
    {
        let (admission, proxies) = (parts.admission, parts.configuration.signIn.trustedProxies)
        return SocketEndpoint(
            policy: policy,
            bearer: parts.bearer,
            isAlive: { [sessions = parts.sessions] in try await sessions.isAlive(.accessToken($0)) },
            hub: parts.sockets,
            origins: Set(parts.configuration.allowedOrigins.map { $0.lowercased() }),
            listener: listener,
            log: parts.log,
            network: { head, peer in
                admission.network(of: .source(of: head.headerFields, peer: peer, proxies: proxies), peer: peer)
            }
        )
    }
}

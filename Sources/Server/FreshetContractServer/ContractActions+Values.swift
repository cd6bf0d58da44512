// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContract
import FreshetDatabase
import FreshetEngine
import FreshetHTTP
import FreshetIdentity
import FreshetWire

extension ContractActions {
    /// Returns the values of a response to a request with an access token.
    func values(_ claims: AccessClaims, _ needs: Set<String>) async throws -> TemplateValues {
        let now = bearer.clock()
        let values = TemplateValues([
            "session_id": .string(claims.session.description),
            "expires_in": .number(JSONNumber((claims.expiresAt - now).wholeSeconds)),
            "expires_at": .number(JSONNumber(Int(claims.expiresAt.seconds))),
            "now": .number(JSONNumber(Int(now.seconds))),
        ])
        return try await account(claims.user, needs).merging(values)
    }

    /// Returns the values of a response with tokens.
    func values(_ grant: SessionTokens, _ needs: Set<String>) async throws -> TemplateValues {
        guard let user = UUID(exactly: grant.user.id) else { throw APIError(.serverError) }
        let now = Int(grant.serverTime)
        let values = TemplateValues([
            "access_token": .string(grant.accessToken),
            "refresh_token": .string(grant.refreshToken),
            "session_id": .string(grant.sessionID.description),
            "expires_in": .number(JSONNumber(grant.expiresIn)),
            "expires_at": .number(JSONNumber(now + grant.expiresIn)),
            "refresh_expires_in": .number(JSONNumber(grant.refreshExpiresIn)),
            "now": .number(JSONNumber(now)),
            "message": .string("signed in"),
            // A refresh does not set this value.
            "is_new_user": .bool(grant.isNewUser ?? false),
        ])
        return try await account(user, needs).merging(values)
    }

    /// Returns the values of the response to a request for a code.
    func values(_ attempt: CodeAttempt) -> TemplateValues {
        TemplateValues.message("a code was sent").merging(
            TemplateValues([
                "attempt": .string(attempt.attempt),
                "expires_in": .number(JSONNumber(attempt.expiresIn)),
            ])
        )
    }

    /// Returns the sessions of a user, each in the format of the native list.
    func values(_ rows: [SessionRow], _ claims: AccessClaims) throws -> TemplateValues {
        let items = try rows.map { row in
            let summary = SessionSummary(row, isCurrent: row.id == claims.session)
            return try JSONParser.parse(try JSONEncoder().encode(summary))
        }
        return TemplateValues(["sessions": .array(items)])
    }

    /// Returns the values of the account; queries the database only for values that tokens lack.
    private func account(_ user: UUID, _ needs: Set<String>) async throws -> TemplateValues {
        let id = SessionID(user).description
        var values = TemplateValues(["user_id": .string(id), "is_new_user": .bool(false)])
        guard !needs.isDisjoint(with: Self.accountValues) else { return values }
        guard let facts = try await sessions.database.read({ try AccountSummary.find(user, in: $0) }) else {
            throw APIError(.invalidToken, "the account was deleted")
        }
        values["user_number"] = .number(JSONNumber(Int(facts.number)))
        // The value is null, which apps distinguish from an absent value.
        values["email"] = facts.email.map(JSONValue.string) ?? .null
        values["username"] = .string(facts.shownUsername ?? id)
        values["name"] = facts.name.map(JSONValue.string) ?? .null
        values["has_profile"] = .bool(facts.hasProfile)
        return values
    }

    /// The values that only the database has.
    private static let accountValues: Set = ["user_number", "email", "username", "name", "has_profile"]
}

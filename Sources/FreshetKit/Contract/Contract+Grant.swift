// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

internal import Foundation
internal import FreshetWire

extension Contract {
    /// Reads the grant out of an answer that was classified as delivered.
    func grant(from body: Data) throws(ContractFault) -> SessionGrant {
        guard let grant = try? JSONDecoder().decode(Grant.self, from: body) else {
            throw ContractFault("the grant cannot be read")
        }
        guard grant.tokenType.lowercased() == "bearer" else { throw ContractFault("the token type is not Bearer") }
        let refreshToken = try readRefreshToken(grant.refreshToken)
        guard refreshToken.session == grant.sessionID else {
            throw ContractFault("the refresh token is for another session")
        }
        return SessionGrant(
            sessionID: grant.sessionID.description,
            generation: refreshToken.generation,
            accessToken: try readAccessToken(grant.accessToken),
            refreshToken: grant.refreshToken,
            lifetime: lifetime(of: grant.accessToken, expiresIn: Double(grant.expiresIn), serverTime: grant.serverTime),
            serverTime: grant.serverTime,
            userID: grant.user.id,
            email: grant.user.email
        )
    }

    /// Takes over tokens that the app got by itself.
    func grant(from tokens: TokenGrant) throws(ContractFault) -> SessionGrant {
        let refreshToken = try readRefreshToken(tokens.refreshToken)
        return SessionGrant(
            sessionID: refreshToken.session.description,
            generation: refreshToken.generation,
            accessToken: try readAccessToken(tokens.accessToken),
            refreshToken: tokens.refreshToken,
            lifetime: lifetime(
                of: tokens.accessToken,
                expiresIn: tokens.expiresIn?.inSeconds,
                serverTime: nil
            ),
            userID: tokens.userID,
            email: tokens.email
        )
    }

    /// The earliest of what the answer and the token say, or what the contract assumes.
    private func lifetime(of token: String, expiresIn: Double?, serverTime: Double?) -> Duration {
        let said = [expiresIn, JWTTimes(token)?.lifetime(serverTime: serverTime)].compactMap(\.self).min()
        guard let said, said.isFinite else { return assumedLifetime }
        // Ten years bound what arithmetic on durations has to bear.
        return .seconds(min(max(said, RefreshSchedule.shortestLifetime.inSeconds), 10 * 365 * 86_400))
    }

    private func readRefreshToken(_ text: String) throws(ContractFault) -> RefreshToken {
        do { return try RefreshToken(text) } catch {
            throw ContractFault("the refresh token cannot be read")
        }
    }

    /// Refuses what must not stand in a header (RFC 9110 section 11.2, token68).
    private func readAccessToken(_ text: String) throws(ContractFault) -> String {
        let isSound =
            !text.isEmpty && text.utf8.count <= 16 * 1024
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "-._~+/=".utf8.contains(byte)
                }
            }
        guard isSound else { throw ContractFault("the access token has characters that no header may have") }
        return text
    }
}

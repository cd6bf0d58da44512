// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import SeededRandom

/// An older version of the native client, as the parts of the present one that it does not have.
///
/// PROTOCOL.md permits each of them to be absent from the requests of a native session.
struct OlderClient: OptionSet, Codable, Sendable, Equatable {
    let rawValue: Int

    /// It sends no intents: servers refuse its refreshes, and change nothing.
    static let noIntents = OlderClient(rawValue: 1)
    /// It confirms no tokens: the next refresh proves that it has received them.
    static let noConfirmations = OlderClient(rawValue: 2)
    /// It reports no superseded tokens, so that it retries without end.
    static let noReports = OlderClient(rawValue: 4)
    /// Its sign-ins name no device and have no intent, so that a code that was used is refused.
    static let bareSignIns = OlderClient(rawValue: 8)
    /// It signs out at the revocation endpoint of RFC 7009, with a form.
    static let revocations = OlderClient(rawValue: 16)
    /// It does not read the optional members of responses.
    static let fewerMembers = OlderClient(rawValue: 32)

    private static let names: [(part: OlderClient, name: String)] = [
        (.noIntents, "no intents"), (.noConfirmations, "no confirmations"), (.noReports, "no reports"),
        (.bareSignIns, "sign-ins with credentials only"), (.revocations, "sign-outs by revocation"),
        (.fewerMembers, "fewer members of responses"),
    ]

    /// Draws a version; each part is absent from half of them.
    ///
    /// A client without intents cannot refresh, which hides what the other parts do.
    static func draw(_ random: inout SeededRandomStream) -> OlderClient {
        var client: OlderClient = []
        for (part, _) in names where random.number(in: 0...(part == .noIntents ? 3 : 1)) == 0 { client.insert(part) }
        return client.isEmpty ? .noConfirmations : client
    }

    /// The differences from the present version, in plain words.
    var text: String {
        Self.names.filter { contains($0.part) }.map(\.name).joined(separator: ", ")
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetIdentity
import FreshetWire

/// One device that is signed in, as its owner reads it.
struct DeviceCard: Sendable {
    let id: String
    let name: String
    /// App, version and model, where they say more than the name.
    let details: String
    let hasDetails: Bool
    let isCurrent: Bool
    let signedInBy: String
    let place: String
    let created: FormattedDate
    let lastUsed: FormattedDate
    let expires: FormattedDate
    /// What the end depends on.
    let expiry: String

    init(_ row: SessionRow, isPage: Bool, isCurrent: Bool, now: Timestamp) {
        id = row.id.description
        name = row.device.title
        let words: [String] =
            isPage
            ? ["This account page, in a browser"]
            : [
                [row.device.app, row.device.appVersion].named.joined(separator: " "), row.device.model,
                row.device.platform,
            ]
            .compactMap(\.self).filter { !$0.isEmpty }
        let shown = words.filter { $0 != row.device.title }
        details = shown.joined(separator: " · ")
        hasDetails = !shown.isEmpty
        self.isCurrent = isCurrent
        signedInBy = row.signedInBy ?? "not known"
        place = row.place ?? "not known"
        created = FormattedDate(row.createdAt, now: now)
        lastUsed = FormattedDate(row.lastUsedAt, now: now)
        expires = FormattedDate(row.end, now: now)
        expiry = row.idleExpiry < row.absoluteExpiry ? "unless it is used before" : "at the latest"
    }

}

extension SessionRow {
    /// What its user signed in with, in words.
    package var signedInBy: String? {
        switch method.flatMap(SignInMethod.init) {
        case .code: "a code by e-mail"
        case .password: "a password"
        case .apple: "Apple"
        case nil: nil
        }
    }
}

extension Device {
    /// What to call it: as its owner does, else by what it is.
    package var title: String { [name, model, platform, app].named.first ?? "A device without a name" }
}

extension [String?] {
    /// Those that say something.
    fileprivate var named: [String] {
        compactMap { text in text.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 } }
    }
}

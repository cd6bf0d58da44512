// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetEngine
import FreshetIdentity
import FreshetWire

/// A signed-in device, as its owner sees it.
struct DeviceCard: Sendable {
    let id: String
    let name: String
    /// The app, version, model and platform, except the one that is used as the name.
    let details: String
    let hasDetails: Bool
    let isCurrent: Bool
    let signedInBy: String
    let place: String
    let created: FormattedDate
    let lastUsed: FormattedDate
    let expires: FormattedDate
    /// The condition under which the expiry in ``expires`` applies.
    let expiry: String

    init(_ row: SessionRow, isPage: Bool, isCurrent: Bool, now: Timestamp) {
        id = row.id.description
        name = row.device.title
        let parts: [String] =
            isPage
            ? ["This account page, in a browser"]
            : [
                [row.device.app, row.device.appVersion].named.joined(separator: " "), row.device.model,
                row.device.platform,
            ]
            .compactMap(\.self).filter { !$0.isEmpty }
        let shown = parts.filter { $0 != row.device.title }
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
    /// The method by which the user signed in, for display.
    var signedInBy: String? {
        switch method.flatMap(SignInMethod.init) {
        case .code: "a code by e-mail"
        case .password: "a password"
        case .apple: "Apple"
        case nil: nil
        }
    }
}

extension Device {
    /// The display name: the name that the owner chose, or else the model, the platform or the app.
    var title: String { [name, model, platform, app].named.first ?? "A device without a name" }
}

extension [String?] {
    /// The strings that are not blank.
    fileprivate var named: [String] {
        compactMap { text in text.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 } }
    }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import FreshetPages
import FreshetServer

/// The pages for users and for operators.
enum PageSettings: SettingsSection {
    static let title = "Pages"

    static let settings: [Setting] = [
        Setting(
            "no-pages",
            "Turns the account pages under /account off",
            see: "[the account pages](pages.md)",
            \.hasNoPages,
            .flag
        ),
        Setting("pages-name", "The name in the head of the account pages", \.server.pages.name, .text("name")),
        Setting(
            "pages-idle",
            "A sign-in to the account pages expires after this time without a request",
            \.server.pages.idle,
            .positiveDuration
        ),
        Setting(
            "pages-ttl",
            "A sign-in to the account pages expires this long after it began",
            \.server.pages.absolute,
            .positiveDuration
        ),
        Setting(
            "operator-listen",
            "Where the operators' pages are served: a port on loopback, or ADDRESS:PORT",
            see: "The operators' pages",
            \.server.operatorPages.listen,
            .listenAddress,
            defaultNote: "nowhere"
        ),
    ]
}

extension ServeSettings {
    fileprivate var hasNoPages: Bool {
        get { !server.pages.isOn }
        set { server.pages.isOn = !newValue }
    }
}

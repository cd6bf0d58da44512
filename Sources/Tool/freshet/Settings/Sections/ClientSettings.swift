// SPDX-License-Identifier: Apache-2.0
// Copyright the Freshet project authors

import Foundation
import FreshetContractServer
import FreshetKit
import FreshetServer

/// The apps and clients that the server serves.
enum ClientSettings: SettingsSection {
    static let title = "Clients"

    static let settings: [Setting] = [
        Setting(
            "contract",
            alias: "dialect",
            "Serves an app's existing client as its contract describes, under PATH if one is given",
            details: "NAME is that of a preset (`freshet contract list`) or a file.",
            \.server.contracts,
            .list(
                "name[=path]",
                parse: { text throws(SettingError) in
                    try ContractOption(names: Contract.presets, text: ContractChoice.presetText).contract(text)
                },
                text: { $0.prefix.isEmpty ? $0.name : "\($0.name)=\($0.prefix)" }
            )
        ),
        Setting(
            "oauth-clients",
            "A JSON file with the registered OAuth clients; see freshet client-secret",
            \.server.oauthClients,
            .file
        ),
        Setting(
            "allowed-origin",
            "An origin, such as https://app.example.com, whose pages may open WebSockets",
            \.server.allowedOrigins,
            .texts("origin")
        ),
        Setting(
            "feed-clock",
            "For development: the interval at which every WebSocket is sent a number",
            \.server.feedClock,
            .positiveDuration
        ),
    ]
}
